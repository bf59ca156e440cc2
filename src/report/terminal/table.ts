import { padTo, widthOf, wrap } from './text-width.ts';

export type TableOptions = {
  readonly width: number;
  readonly head: readonly string[];
  readonly dim: (text: string) => string;
};

/** Rows in columns; the last column wraps, the others keep their width up to a third of the line. */
export function drawTable(rows: readonly (readonly string[])[], { width, head, dim }: TableOptions): string {
  const cap = Math.floor(width / 3);
  const columns = head.length;
  const widths = Array.from({ length: columns - 1 }, (_, i) =>
    Math.min(cap, Math.max(...[head, ...rows].map((row) => widthOf(row[i] ?? '')))),
  );
  const used = widths.reduce((sum, w) => sum + w + 2, 0);
  const all = [...widths, Math.max(12, width - used)];
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
  return [...draw(head).map(dim), ...rows.flatMap(draw)].join('\n');
}
