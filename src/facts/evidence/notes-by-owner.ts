import type { PodEvidence } from '../../read/cluster/gather.ts';
import { type KernelKill, type KernelReading, sortOutPasted, type Whose } from '../../read/kernel/kernel.ts';
import { KERNEL_FILE } from '../../read/kernel/kernel-lines.ts';
import { isWeighty } from '../../read/log/signs-of-work.ts';
import { mergeSorted, type Sorted } from '../../read/text/lines.ts';
import type { LogChoice } from './choose-logs.ts';
import { asContext, type Weighed } from './weighed.ts';

type Sources = {
  readonly texts: ReadonlyMap<string, string>;
  readonly kernel: KernelReading | undefined;
  readonly pod: PodEvidence;
  readonly whose: (kill: KernelKill) => Whose;
  /** Lines that say themselves whose they are, by file. */
  readonly named: ReadonlyMap<string, Sorted>;
};

/** By file, the lines that tell of other pods, of their metrics and of kills of others, and those of which it can not be told. */
export function sortNotes({ texts, kernel, pod, whose, named }: Sources): ReadonlyMap<string, Sorted> {
  const sorted = new Map([...texts].map(([file, text]) => [file, sortOutPasted(text, whose)]));
  if (kernel !== undefined) sorted.set(KERNEL_FILE, kernel);
  sorted.set(
    DESCRIBE_FILE,
    mergeSorted(sorted.get(DESCRIBE_FILE), { others: pod.otherLines, unsure: pod.unsureLines }),
  );
  for (const [file, told] of named) sorted.set(file, mergeSorted(sorted.get(file), told));
  return sorted;
}

const DESCRIBE_FILE = 'describe.txt';

/** A line that may be another's, as the hint that it is. */
export function asHint(weighed: Weighed, { unsure }: LogChoice): Weighed {
  const { phrase, hit, file } = weighed;
  if (unsure?.get(file)?.has(hit.line) !== true) return weighed;
  if (phrase.weight === 'rules-out') return asContext(weighed);
  return isWeighty(phrase) ? { ...weighed, phrase: { ...phrase, weight: 'hint' } } : weighed;
}
