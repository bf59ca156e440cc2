import type { TextLine } from '../text/lines.ts';

type Labels = Readonly<Record<string, string>>;

const LABEL = /^(?:exported_)?(?:namespace|pod|container)$/;

/**
 * Tables in which a row says in a column whose it is: what dashboards export, and `kubectl top pod`, which heads its pods with
 * NAME and, asked for containers, those.
 */
export class LabelledRows {
  #columns: readonly string[] = [];

  /** The labels of a row; undefined for any other line. */
  take(line: TextLine): Labels | undefined {
    const cells = cellsOf(line.text);
    const columns = columnsOf(cells);
    if (columns.some((column) => LABEL.test(column))) {
      this.#columns = columns;
      return undefined;
    }
    if (cells.length < 2 || cells.length !== this.#columns.length) {
      if (!RULE.test(line.text)) this.#columns = [];
      return undefined;
    }
    return Object.fromEntries(
      this.#columns.flatMap((column, at) => (LABEL.test(column) ? [[column, cells[at] ?? '']] : [])),
    );
  }
}

/** A line between rows. */
export const RULE = /^[\s|:+=-]+$/;

function columnsOf(cells: readonly string[]): readonly string[] {
  const names = cells.map((cell) => cell.toLowerCase());
  if (!names.includes('cpu(cores)')) return names;
  const ofName = names.includes('pod') ? 'container' : 'pod';
  return names.map((name) => (name === 'name' ? ofName : name));
}

/** The cells of a framed row, a csv row, or of columns that stand apart. */
export function cellsOf(text: string): readonly string[] {
  const bare = text.trim().replace(/^\|/, '').replace(/\|$/, '');
  const sign = /\|/.test(bare) ? /\|/ : /,/.test(bare) ? /,/ : /\t|\s{2,}/;
  return bare.split(sign).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
}
