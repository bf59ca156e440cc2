import { padTo, widthOf, wrap } from './text-width.ts';

export type TableOptions = {
  readonly width: number;
  readonly head: readonly string[];
  readonly dim: (text: string) => string;
};

/** A blank at which no line is broken. */
export const UNBROKEN = '\u00a0';

// With less than this for the last column, words of it would be cut in two.
const LEAST_LAST = 18;

/** Rows in columns; the last column wraps, the others keep their width up to a third of the line. Where there is no room, each row is a line of its own. */
export function drawTable(rows: readonly (readonly string[])[], { width, head, dim }: TableOptions): string {
  const cap = Math.floor(width / 3);
  const columns = head.length;
  const widths = Array.from({ length: columns - 1 }, (_, i) =>
    Math.min(cap, Math.max(...[head, ...rows].map((row) => widthOf(row[i] ?? '')))),
  );
  const used = widths.reduce((sum, w) => sum + w + 2, 0);
  if (width - used < LEAST_LAST) return blanks(rows.map((row) => inOneLine(row, width)).join('\n'));
  const all = [...widths, width - used];
  const draw = (row: readonly string[]): string[] => {
    const cells = all.map((w, i) => wrap(row[i] ?? '', w));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((cell, i) => padTo(cell[line] ?? '', all[i] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  };
  return blanks([...draw(head).map(dim), ...rows.flatMap(draw)].join('\n'));
}

// Who copies a line is to get blanks as they are typed.
function blanks(text: string): string {
  return text.replaceAll(UNBROKEN, ' ');
}

// `one allocation: 896 MiB, free 412 MiB, ✖ did not fit`
function inOneLine([name = '', ...cells]: readonly string[], width: number): string {
  const told = cells.filter((cell) => cell !== '' && cell !== '-').join(', ');
  const [first = '', ...rest] = wrap(`${name}: ${told}`, width - 2);
  return [first, ...rest.map((line) => `  ${line}`)].join('\n');
}
