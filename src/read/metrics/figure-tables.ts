import type { Cited } from '../../model/engine-reader.ts';
import { parseSize } from '../../model/quantity.ts';
import { citeLine, type TextLine } from '../text/lines.ts';
import { readNameHead, withoutRemark } from '../text/name-head.ts';
import { parseRowTime, type RowTime, rowTimeAfter, splitRowTime } from '../text/row-time.ts';
import { columnsOfOthers } from './container-columns.ts';
import { meaningOf, wordsMeaning } from './metric-meaning.ts';
import { METRICS_FILE } from './prometheus.ts';
import { seriesFrom, type TextSeries } from './text-series.ts';

/** `factor` makes bytes, shares and counts of bare numbers. */
type Column = { readonly name: string; readonly unit: string | undefined; readonly factor?: number };
type Row = { readonly at: number; readonly cells: readonly string[]; readonly line: TextLine };
/** `wide` where the names of the columns may hold blanks: they then stand two or more apart. */
type Table = { readonly columns: readonly Column[]; readonly wide?: readonly Column[]; readonly rows: Row[] };

const TIME_HEAD = /^(?:ts|t|time|timestamp|date|datetime|when|hour|day|week)$/i;

/**
 * Tables with a time column, one series a column; rows of times and values below the name of a metric; and what
 * `kubectl top pod` prints again and again.
 */
export class FigureTables {
  readonly #tables: Table[] = [];
  readonly #tops = new Map<string, Cited<number>[]>();

  take(line: TextLine): boolean {
    return this.#takeTop(line) || this.#takeHead(line) || this.#takeName(line) || this.#takeRow(line);
  }

  series(): readonly TextSeries[] {
    return [...this.#tables.flatMap(seriesOfTable), ...this.#topSeries()];
  }

  /** The last reading of `kubectl top`, largest pod first. */
  top(): Cited<number> | undefined {
    const last = [...this.#tops.values()].flatMap((readings) => readings.at(-1) ?? []);
    return last.toSorted((a, b) => b.value - a.value)[0];
  }

  #takeTop(line: TextLine): boolean {
    const match = /^(?:\S+\s+)?(\S+)\s+\d+m\s+(\d+[KMG]i)$/.exec(line.text.trim());
    if (match === null) return /^(?:POD\s+)?NAME\s+CPU\(cores\)\s+MEMORY\(bytes\)/.test(line.text.trim());
    const [, name = '', size = ''] = match;
    const reading = { value: parseSize(size) ?? 0, from: citeLine(METRICS_FILE, line) };
    this.#tops.set(name, [...(this.#tops.get(name) ?? []), reading]);
    return true;
  }

  #takeHead(line: TextLine): boolean {
    const cells = cellsOf(line.text);
    if (cells.length < 2 || !TIME_HEAD.test(cells[0] ?? '')) return false;
    const common = /^\((\w+)\)$/.exec(cells.at(-1) ?? '')?.[1];
    const named = common === undefined ? cells : cells.slice(0, -1);
    const columns = named.slice(1).map((cell) => columnOf(cell, common));
    const wide = line.text
      .trim()
      .split(/\s{2,}/)
      .slice(1);
    this.#tables.push({ columns, wide: wide.map((cell) => columnOf(cell, common)), rows: [] });
    return true;
  }

  #takeRow(line: TextLine): boolean {
    const table = this.#tables.at(-1);
    const row = timedCells(withoutRemark(line.text));
    if (table === undefined || row === undefined || row.cells.length === 0) return false;
    const { time, cells } = row;
    // A row that bears a name of its own tells of that.
    if (table.wide === undefined && !/^[\d.+-]/.test(cells[0] ?? '')) return false;
    table.rows.push({ at: rowTimeAfter(table.rows.at(-1)?.at ?? 0, time), cells, line });
    return true;
  }

  // What stands below a name that nobody knows is no row of the table before.
  #takeName(line: TextLine): boolean {
    const head = readNameHead(line.text);
    if (head === undefined) return false;
    const meaning = meaningOf(head.name, head.labels);
    const column = { name: meaning?.id ?? head.name, unit: head.unit, factor: meaning?.factor };
    this.#tables.push({ columns: [column], rows: [] });
    return true;
  }

  #topSeries(): readonly TextSeries[] {
    return [...this.#tops].flatMap(([pod, readings]) =>
      seriesFrom(
        { id: 'container.memory.working-set', unit: 'bytes', labels: { pod } },
        readings.map((sample) => ({ at: undefined, sample })),
      ),
    );
  }
}

const SIZE_IN_TWO = /(\d) ([KMGT]i?B?|bytes)(?=$|[\s|,])/g;

// A date and its time of day stand apart as columns do.
function timedCells(text: string): { readonly time: RowTime; readonly cells: readonly string[] } | undefined {
  const split = /[|,]/.test(text) ? undefined : splitRowTime(text);
  if (split !== undefined) return { time: split.time, cells: cellsOf(split.rest) };
  const [head = '', ...cells] = cellsOf(text);
  const time = parseRowTime(head);
  return time && { time, cells };
}

// A framed row, a csv row, or columns; a number and its unit are one cell.
function cellsOf(text: string): readonly string[] {
  const bare = text.trim().replace(/^\|/, '').replace(/\|$/, '');
  const joined = bare.replaceAll(SIZE_IN_TWO, '$1$2');
  const sign = /\|/.test(joined) ? /\|/ : /,/.test(joined) ? /,/ : /\s+/;
  return joined.split(sign).map((cell) => cell.trim());
}

function columnOf(cell: string, common: string | undefined): Column {
  const match = /^(.*?)\s*[[(]?(KiB|MiB|GiB|KB|MB|GB|Mi|Gi|bytes|%)[\])]?$/i.exec(cell);
  const hasName = match?.[1] !== undefined && match[1] !== '';
  return hasName ? { name: match[1]?.replace(/_$/, '') ?? '', unit: match[2] } : { name: cell, unit: common };
}

function seriesOfTable(table: Table): readonly TextSeries[] {
  const count = table.rows[0]?.cells.length;
  const columns = table.wide?.length === count ? (table.wide ?? []) : table.columns;
  const others = columnsOfOthers(columns.map(({ name }) => name));
  return columns.flatMap((column, i) => {
    if (others.has(i)) return [];
    const id = wordsMeaning(column.name);
    const samples = table.rows.map(({ at, cells, line }) => ({ at, sample: cellValue(cells[i], column, line) }));
    const unit = column.unit === undefined ? '' : column.unit === '%' ? 'share' : 'bytes';
    return seriesFrom({ id: id ?? column.name, unit, labels: {} }, samples);
  });
}

function cellValue(cell: string | undefined, column: Column, line: TextLine): Cited<number> | undefined {
  if (cell === undefined || cell === '') return undefined;
  const from = citeLine(METRICS_FILE, line);
  const own = parseSize(cell);
  if (own !== undefined) return { value: own, from };
  const number = Number(cell.replace(/%$/, ''));
  if (!Number.isFinite(number)) return undefined;
  if (column.unit === '%' || cell.endsWith('%')) return { value: number / 100, from };
  if (column.unit === undefined && column.factor !== undefined) return { value: number * column.factor, from };
  return { value: column.unit === undefined ? number : (parseSize(`${number} ${column.unit}`) ?? number), from };
}
