import { evidenceLines, type TextLine } from '../text/lines.ts';
import { readNameHead } from '../text/name-head.ts';
import { splitRowTime } from '../text/row-time.ts';
import { LabelledRows } from './labelled-rows.ts';
import { parseName } from './prometheus.ts';

/** A metric that metrics.txt names with its labels. `lines` are those that tell of it: its own, and below a head its readings. */
export type LabelledLine = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly lines: readonly number[];
};

type Taken = { readonly name: string; readonly labels: LabelledLine['labels']; readonly lines: number[] };

/** The lines of metrics.txt that say by labels whose metric they tell of, whatever stands behind them. */
export function labelledLines(text: string): readonly LabelledLine[] {
  const found: Taken[] = [];
  const rows = new LabelledRows();
  let head: Taken | undefined;
  for (const line of evidenceLines(text)) {
    const labels = rows.take(line);
    const taken = labels === undefined ? labelledLine(line) : { name: '', labels, lines: [line.n] };
    if (taken !== undefined) {
      found.push(taken);
      head = readNameHead(line.text) === undefined ? undefined : taken;
      continue;
    }
    // Its readings end at a gap, and where another metric begins.
    const isNext = head?.lines.at(-1) === line.n - 1 && /^\W{0,4}\d/.test(line.text.trim());
    if (isNext || (head !== undefined && splitRowTime(line.text) !== undefined)) head?.lines.push(line.n);
    else head = undefined;
  }
  return found;
}

/** A metric with its labels at the head of a line. */
export function labelledLine(line: TextLine): Taken | undefined {
  const named = parseName(splitRowTime(line.text)?.rest ?? line.text);
  if (named === undefined || Object.keys(named.labels).length === 0) return undefined;
  return { name: named.name, labels: named.labels, lines: [line.n] };
}
