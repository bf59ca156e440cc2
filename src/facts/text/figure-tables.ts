import type { Cited } from '../../model/engine-reader.ts';
import { parseSize } from '../../model/quantity.ts';
import { citeLine, type TextLine } from './lines.ts';
import { wordsMeaning } from './metric-meaning.ts';
import { METRICS_FILE } from './prometheus.ts';
import { seriesFrom, type TextSeries } from './text-series.ts';
import { parseTime, parseTimeOfDay } from './when.ts';

type Column = { readonly name: string; readonly unit: string | undefined };
type Row = { readonly at: number; readonly cells: readonly string[]; readonly line: TextLine };
type Table = { readonly columns: readonly Column[]; readonly rows: Row[] };

const TIME_HEAD = /^(?:ts|t|time|timestamp|date|datetime|when|hour)$/i;

/** Tables with a time column, one series a column; and what `kubectl top pod` prints again and again. */
export class FigureTables {
  readonly #tables: Table[] = [];
  readonly #tops = new Map<string, Cited<number>[]>();

  take(line: TextLine): boolean {
    return this.#takeTop(line) || this.#takeHead(line) || this.#takeRow(line);
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
    this.#tables.push({ columns: named.slice(1).map((cell) => columnOf(cell, common)), rows: [] });
    return true;
  }

  #takeRow(line: TextLine): boolean {
    const table = this.#tables.at(-1);
    const [time = '', ...cells] = cellsOf(line.text);
    const at = parseTime(time) ?? parseTimeOfDay(time);
    if (table === undefined || at === undefined || cells.length === 0) return false;
    table.rows.push({ at, cells, line });
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

// A framed row, a csv row, or columns; a date and its time of day are one cell.
function cellsOf(text: string): readonly string[] {
  const bare = text.trim().replace(/^\|/, '').replace(/\|$/, '');
  const joined = bare.replace(/(\d{4}[-/]\d{2}[-/]\d{2}) (\d{2}:)/, '$1T$2');
  const sign = /\|/.test(joined) ? /\|/ : /,/.test(joined) ? /,/ : /\s+/;
  return joined.split(sign).map((cell) => cell.trim());
}

function columnOf(cell: string, common: string | undefined): Column {
  const match = /^(.*?)\s*[[(]?(KiB|MiB|GiB|KB|MB|GB|Mi|Gi|bytes|%)[\])]?$/i.exec(cell);
  const hasName = match?.[1] !== undefined && match[1] !== '';
  return hasName ? { name: match[1]?.replace(/_$/, '') ?? '', unit: match[2] } : { name: cell, unit: common };
}

function seriesOfTable(table: Table): readonly TextSeries[] {
  return table.columns.flatMap((column, i) => {
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
  return { value: column.unit === undefined ? number : (parseSize(`${number} ${column.unit}`) ?? number), from };
}
