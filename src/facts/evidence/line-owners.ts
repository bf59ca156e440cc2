import type { PodEvidence } from '../../read/cluster/gather.ts';
import { readOwner, type Told, type WhoseMetric } from '../../read/cluster/owner.ts';
import { placeOf } from '../../read/cluster/sample-place.ts';
import type { KernelKill, KernelReading, Whose } from '../../read/kernel/kernel.ts';
import { hintOf, KERNEL_FILE, killOf } from '../../read/kernel/kernel-lines.ts';
import { kubeletLine } from '../../read/kernel/kubelet-lines.ts';
import { parseSample } from '../../read/metrics/exposition.ts';
import type { LabelledLine, Sorted, TextLine } from '../../read/text/lines.ts';
import { evidenceLines, mergeSorted, NOTHING_SORTED } from '../../read/text/lines.ts';

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
  readonly describeText: string | undefined;
  readonly whose: (kill: KernelKill) => Whose;
  readonly kernel: KernelReading | undefined;
  readonly pod: PodEvidence;
  /** Lines that say themselves whose they are, by file. */
  readonly named: ReadonlyMap<string, Sorted>;
};

/** By file, the lines about other pods, of their metrics and of kills of others, and those where it is unclear. */
export function sortNotes({ describeText, whose, kernel, pod, named }: Sources): ReadonlyMap<string, Sorted> {
  const sorted = new Map<string, Sorted>();
  if (kernel !== undefined) sorted.set(KERNEL_FILE, kernel);
  const kills = sortKills(evidenceLines(describeText ?? ''), whose);
  sorted.set('describe.txt', mergeSorted({ others: pod.otherLines, unsure: pod.unsureLines }, kills));
  for (const [file, told] of named) sorted.set(file, mergeSorted(sorted.get(file), told));
  return sorted;
}

// Events of the node that follow a description.
function sortKills(lines: readonly TextLine[], whose: (kill: KernelKill) => Whose): Sorted {
  const kills = lines.flatMap((line) => {
    const kill = killOf(line) ?? hintOf(line);
    return kill === undefined ? [] : [{ n: line.n, of: whose(kill) }];
  });
  const numbers = (wanted: Whose) => new Set(kills.flatMap(({ n, of }) => (of === wanted ? [n] : [])));
  return { others: numbers('other'), unsure: numbers('unsure') };
}
