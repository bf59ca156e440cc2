import type { Cited } from '../../model/engine-reader.ts';
import { MIB, parseSize } from '../../model/quantity.ts';
import { cited, type TextLine } from '../text/lines.ts';
import { parseTime } from '../text/when.ts';
import { SMI_FILE, type SmiFinding, type SmiForm, type SmiObservation } from './smi-observation.ts';

// Names of --query-gpu and --query-compute-apps, with the older ones.
const COLUMNS: Readonly<Record<string, string>> = {
  index: 'index',
  gpu: 'index',
  name: 'name',
  gpu_name: 'name',
  'memory.used': 'used',
  'memory.total': 'total',
  'memory.free': 'free',
  'utilization.gpu': 'busy',
  timestamp: 'time',
  pid: 'pid',
  process_name: 'process',
  used_memory: 'processUsed',
  used_gpu_memory: 'processUsed',
};

// Percent, degrees, and the watts of most GPUs.
const HIGHEST_OTHER = 1000;
// Of the memory the driver keeps a little for itself.
const RESERVED_SHARE = 0.02;

type Cells = ReadonlyMap<string, string>;

/** `nvidia-smi --query-gpu ... --format=csv` and `--query-compute-apps`, with or without header and units. */
export class SmiCsv implements SmiForm {
  #columns: readonly string[] | undefined;

  take(line: TextLine): SmiFinding | undefined {
    const cells = line.text.split(',').map((cell) => cell.trim());
    const header = headerOf(cells);
    if (header !== undefined) {
      this.#columns = header;
      return {};
    }
    // A single cell may be anything.
    if (cells.length === 1 && sizeOf(line.text.trim()) === undefined) return undefined;
    const columns = this.#columns?.length === cells.length ? this.#columns : (guess(cells) ?? guessProcess(cells));
    if (columns === undefined) return undefined;
    return finding(new Map(columns.map((column, i) => [column, cells[i] ?? ''])), line);
  }
}

function headerOf(cells: readonly string[]): readonly string[] | undefined {
  const names = cells.map((cell) => cell.replace(/\s*\[[^\]]*\]$/, '').toLowerCase());
  const known = names.filter((name) => Object.hasOwn(COLUMNS, name)).length;
  // `index` and `name` alone would also be found in prose.
  return known >= 2 || names.some((name) => name.startsWith('memory.'))
    ? names.map((name, i) => COLUMNS[name] ?? `other ${i}`)
    : undefined;
}

// Of `--query-compute-apps`: the number of a process and its memory with its unit stand next to a name and identifiers.
function guessProcess(cells: readonly string[]): readonly string[] | undefined {
  const roles = cells.map((cell, i) => {
    if (/^\d{1,9}$/.test(cell)) return 'pid';
    if (/^\d{1,9}\s?MiB$/.test(cell) || /^\[(?:N\/A|Not Supported)\]$/.test(cell)) return 'processUsed';
    return kindOf(cell, i) === 'text' ? 'process' : `other ${i}`;
  });
  const isOnce = (role: string) => roles.filter((other) => other === role).length === 1;
  return ['pid', 'process', 'processUsed'].every(isOnce) ? roles : undefined;
}

const SIZE_CELL = /^\d{1,9}(?:\.\d+)?(?:\s?Mi?B)?$/i;

// Without a header the cells must tell by themselves: an index, a name, sizes, shares.
function guess(cells: readonly string[]): readonly string[] | undefined {
  const times = cells[0] !== undefined && parseTime(cells[0]) !== undefined ? 1 : 0;
  const kinds = cells.map((cell, i) => kindOf(cell, i - times));
  const sizes = sizesAmong(
    cells,
    kinds.flatMap((kind, i) => (kind === 'size' ? [i] : [])),
  );
  if (sizes.length < 2 || sizes.length > 3 || kinds.includes('text')) return undefined;
  const bytes = new Map(sizes.map((i) => [i, sizeOf(cells[i] ?? '') ?? 0]));
  const total = sizes.toSorted((a, b) => (bytes.get(b) ?? 0) - (bytes.get(a) ?? 0))[0];
  // Less than 2 GiB in all is no GPU of this century: these are other numbers.
  if (total === undefined || (bytes.get(total) ?? 0) < 2048 * MIB) return undefined;
  const rest = sizes.filter((i) => i !== total);
  const roles = new Map<number, string>([
    [total, 'total'],
    [rest[0] ?? -1, 'used'],
    [rest[1] ?? -1, 'free'],
  ]);
  return kinds.map((kind, i) => roles.get(i) ?? (kind === 'size' ? `other ${i}` : kind));
}

// Without units a small number may be a percentage, a temperature or watts: of three sizes two make the third.
function sizesAmong(cells: readonly string[], places: readonly number[]): readonly number[] {
  const value = (i: number) => Number(cells[i]);
  const large = places.filter((i) => !(value(i) <= HIGHEST_OTHER));
  const [total = 0, ...rest] = large.length < 2 ? [] : places.map(value).toSorted((a, b) => b - a);
  const isSum = rest.length === 2 && Math.abs(total - (rest[0] ?? 0) - (rest[1] ?? 0)) <= RESERVED_SHARE * total;
  return large.length < 2 || isSum ? places : large;
}

function kindOf(cell: string, place: number): string {
  if (place === 0 && /^\d{1,2}$/.test(cell)) return 'index';
  if (parseTime(cell) !== undefined) return 'time';
  if (/^\d{1,3}\s?%$/.test(cell)) return 'busy';
  if (SIZE_CELL.test(cell)) return 'size';
  if (/^(?:NVIDIA|Tesla|Quadro|GeForce|AMD|A\d{2,4}|H\d{2,3}|L\d|RTX|GRID)\b/i.test(cell)) return 'name';
  return /^(?:GPU-[0-9a-f-]+|[0-9A-Fa-f]{8}:.*|P\d|\[?N\/A\]?|\d+(?:\.\d+)?\s?(?:W|C|MHz))$/i.test(cell)
    ? `other ${place}`
    : 'text';
}

function sizeOf(cell: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(cell) ? Number(cell) * MIB : parseSize(cell);
}

function finding(cells: Cells, line: TextLine): SmiFinding {
  const size = (column: string): Cited<number> | undefined => {
    const bytes = sizeOf(cells.get(column) ?? '');
    return bytes === undefined ? undefined : cited(bytes, SMI_FILE, line);
  };
  const pid = cells.get('pid');
  if (pid !== undefined && /^\d{1,9}$/.test(pid)) {
    const gpu = /^\d{1,3}$/.test(cells.get('index') ?? '') ? Number(cells.get('index')) : undefined;
    return { processes: [{ gpu, pid: Number(pid), name: cells.get('process'), used: size('processUsed') }] };
  }
  const index = cells.get('index') ?? '';
  const name = cells.get('name');
  const at = parseTime(cells.get('time'));
  const gpu: SmiObservation = {
    index: /^\d{1,3}$/.test(index) ? Number(index) : undefined,
    ...(name === undefined || name === '' ? {} : { name: cited(name, SMI_FILE, line) }),
    used: size('used'),
    total: size('total'),
    free: size('free'),
    ...(at === undefined ? {} : { at }),
  };
  return gpu.used === undefined && gpu.total === undefined && gpu.free === undefined ? {} : { gpus: [gpu] };
}
