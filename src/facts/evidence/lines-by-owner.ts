import { readOwner, type Told, type WhoseMetric } from '../../read/cluster/owner.ts';
import { placeOf } from '../../read/cluster/sample-place.ts';
import { kubeletLine } from '../../read/kernel/kubelet-lines.ts';
import { parseSample } from '../../read/metrics/exposition.ts';
import { type LabelledLine, NOTHING_SORTED, type Sorted, type TextLine } from '../../read/text/lines.ts';

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

/** The numbers of all such lines. */
export function namedIn(lines: readonly TextLine[]): ReadonlySet<number> {
  return new Set(lines.flatMap((line) => readNamed(line)?.line ?? []));
}

function readNamed(line: TextLine): LabelledLine | undefined {
  const metric = line.text.includes('{') ? parseSample(line.text) : undefined;
  if (metric !== undefined && placeOf(metric.name, metric.labels).of !== 'other') return { ...metric, line: line.n };
  return kubeletLine(line);
}
