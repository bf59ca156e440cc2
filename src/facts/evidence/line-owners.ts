import type { PodEvidence } from '../../read/cluster/gather.ts';
import { readOwner, type Told, type WhoseMetric } from '../../read/cluster/owner.ts';
import { placeOf } from '../../read/cluster/sample-place.ts';
import type { KernelReading } from '../../read/kernel/kernel.ts';
import { KERNEL_FILE } from '../../read/kernel/kernel-lines.ts';
import { kubeletLine } from '../../read/kernel/kubelet-lines.ts';
import { parseSample } from '../../read/metrics/exposition.ts';
import type { LabelledLine, Sorted, TextLine } from '../../read/text/lines.ts';
import { mergeSorted, NOTHING_SORTED } from '../../read/text/lines.ts';

/**
 * Sorts out lines that name a pod or a container as metrics and the kubelet do, wherever they were pasted.
 * Where one pod alone is named, a line of the kubelet counts for it as a sentence would; a metric proves nothing there, as in
 * metrics.txt.
 */
export function sortNamed(lines: readonly TextLine[], told: () => Told): Sorted {
  const named = lines.flatMap((line) => readNamed(line) ?? []);
  if (named.length === 0) return NOTHING_SORTED;
  const whose = readOwner(told(), named);
  const of = named.map((line) => ({ line, whose: whose(line) }));
  const numbers = (wanted: (one: { readonly line: LabelledLine; readonly whose: WhoseMetric }) => boolean) =>
    new Set(of.filter(wanted).map(({ line }) => line.line));
  return {
    others: numbers((one) => one.whose === 'other'),
    unsure: numbers((one) => one.whose === 'open' || (one.whose === 'unsure' && one.line.name !== '')),
  };
}

function readNamed(line: TextLine): LabelledLine | undefined {
  const metric = line.text.includes('{') ? parseSample(line.text) : undefined;
  if (metric !== undefined && placeOf(metric.name, metric.labels).of !== 'other') return { ...metric, line: line.n };
  return kubeletLine(line);
}

type Sources = {
  readonly kernel: KernelReading | undefined;
  readonly pod: PodEvidence;
  /** Lines that say themselves whose they are, by file. */
  readonly named: ReadonlyMap<string, Sorted>;
};

/** By file, the lines that tell of other pods, of their metrics and of kills of others, and those of which it can not be told. */
export function sortNotes({ kernel, pod, named }: Sources): ReadonlyMap<string, Sorted> {
  const sorted = new Map<string, Sorted>();
  if (kernel !== undefined) sorted.set(KERNEL_FILE, kernel);
  sorted.set('describe.txt', { others: pod.otherLines, unsure: pod.unsureLines });
  for (const [file, told] of named) sorted.set(file, mergeSorted(sorted.get(file), told));
  return sorted;
}
