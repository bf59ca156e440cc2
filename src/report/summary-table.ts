import type { Facts } from '../model/fact.ts';
import type { Diagnosis } from '../model/verdict.ts';
import { nameOf } from './card/cause.ts';
import { failureKind } from './card/headline.ts';
import { visible, widthOf } from './terminal/text-width.ts';
import { shortConfidence } from './words/confidence.ts';
import { clip } from './words/sentence.ts';

/** One row of the summary table: a finding, or why there is none. */
export type SummaryRow =
  | { readonly kind: 'finding'; readonly diagnosis: Diagnosis; readonly facts: Facts }
  | { readonly kind: 'fault'; readonly id: string; readonly says: string };

const HEADINGS = ['NAME', 'RESULT', 'CONFIDENCE', 'CAUSE'] as const;
// In what fits on a terminal.
const LONGEST_NAME = 40;
const LEAST_CAUSE = 20;

/** Several findings in columns, as kubectl prints them; uncut where the width is infinite. */
export function summaryTable(rows: readonly SummaryRow[], width: number): string {
  const longest = Number.isFinite(width) ? LONGEST_NAME : width;
  const lines = [HEADINGS, ...rows.map((row) => cellsOf(row, longest))];
  const [name = 0, result = 0, confidence = 0] = [0, 1, 2].map((column) =>
    Math.max(...lines.map((cells) => widthOf(cells[column] ?? ''))),
  );
  const rest = Math.max(LEAST_CAUSE, width - name - result - confidence - 6);
  return lines
    .map(([a, b, c, d]) => `${pad(a, name)}  ${pad(b, result)}  ${pad(c, confidence)}  ${clip(d, rest)}`.trimEnd())
    .join('\n');
}

type Cells = readonly [string, string, string, string];

function cellsOf(row: SummaryRow, longest: number): Cells {
  if (row.kind === 'fault') return [clip(visible(row.id), longest), 'not read', '-', visible(row.says)];
  const { diagnosis, facts } = row;
  const id = clip(visible(diagnosis.verdict.id), longest);
  return [id, failureKind(diagnosis, facts), shortConfidence(diagnosis, facts), visible(nameOf(diagnosis))];
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
