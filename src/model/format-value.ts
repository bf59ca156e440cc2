import type { Citation } from './citation.ts';
import type { Fact, FactValue, Unit } from './fact.ts';
import { formatBytes, KIB, parseSize } from './quantity.ts';

/** A value in the reader's words: bytes as `18.4 GiB`, shares as `95%`, durations (in seconds) as `2 min`. */
export function formatValue(unit: Unit, value: FactValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value;
  switch (unit) {
    case 'bytes':
      return formatBytes(value);
    case 'share':
      return share(value);
    case 'duration':
      return duration(value);
    case 'time':
      return time(value);
    case 'tokens':
      return `${plain(value)} tokens`;
    case 'ratio':
      return ratio(value);
    default:
      return plain(value);
  }
}

/** A fact in the reader's words, a size as exact as its proof; one that is not known reads `not known`. */
export function formatFact(unit: Unit, fact: Fact | undefined): string {
  if (fact?.kind !== 'known') return 'not known';
  const { value, from } = fact;
  return unit === 'bytes' && typeof value === 'number' ? formatCitedBytes(value, from) : formatValue(unit, value);
}

// Near either end a whole percent would hide the difference between full and nearly full.
function share(value: number): string {
  const percent = value * 100;
  const fine = (percent > 99 && percent < 100) || (percent > 0 && percent < 1);
  return `${trim(percent, fine ? 1 : 0)}%`;
}

// `41 times as many`: from ten on, decimals tell nobody anything.
function ratio(value: number): string {
  return Math.abs(value) < 10 ? plain(value) : plain(Math.round(value));
}

function duration(seconds: number): string {
  if (Math.abs(seconds) < 1) return `${trim(seconds, 2)} s`;
  if (seconds < 90) return `${trim(seconds, 0)} s`;
  if (seconds < 600) return two(seconds, 60, { big: 'min', small: 's', of: 1 });
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return two(seconds, 3600, { big: 'h', small: 'min', of: 60 });
  return two(seconds, 86_400, { big: 'd', small: 'h', of: 3600 });
}

function two(seconds: number, size: number, names: { big: string; small: string; of: number }): string {
  const rounded = Math.round(seconds / names.of) * names.of;
  const rest = Math.round((rounded % size) / names.of);
  const whole = `${Math.floor(rounded / size)} ${names.big}`;
  return rest === 0 ? whole : `${whole} ${rest} ${names.small}`;
}

// Past this, JavaScript has no date; a wrong clock must not become a fault.
const LAST_TIME = 8.64e15;

function time(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) > LAST_TIME) return plain(value);
  return `${new Date(value).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

function plain(value: number): string {
  return Number.isInteger(value) ? String(value).replace(/\B(?=(\d{3})+$)/g, ',') : trim(value, 2);
}

function trim(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return digits === 0 ? text : text.replace(/\.?0+$/, '');
}

/** A size as a log prints it, with decimals: `109.81 MiB`, `19.9073 GB`. */
type Printed = { readonly bytes: readonly number[]; readonly unit: string; readonly decimals: number };

const PRINTED = /(?<![\w.])-?\d[\d,]{0,15}\.(\d{1,6}) ?((?:[KMGT]i?|k)B)\b/g;

const STEPS: Readonly<Record<string, number>> = { K: KIB, M: KIB ** 2, G: KIB ** 3, T: KIB ** 4 };

/**
 * Bytes as `formatBytes` writes them, and as exact as the lines that they come from: two decimals where a line prints the
 * figure, so that it can be searched for, and no digit of a sum or a difference that its parts do not have.
 */
export function formatCitedBytes(bytes: number, from: readonly Citation[]): string {
  const printed = from.flatMap(printedIn);
  if (printed.some((one) => one.bytes.some((own) => Math.abs(own - bytes) <= 1e-6 * Math.abs(own)))) {
    return formatBytes(bytes, 2);
  }
  const plain = formatBytes(bytes);
  const coarsest = printed.filter(({ decimals }) => decimals > 1).toSorted((a, b) => finest(b) - finest(a))[0];
  return bytes === 0 || coarsest === undefined || finest(coarsest) <= stepOf(plain) ? plain : inUnitOf(bytes, coarsest);
}

function printedIn(citation: Citation): Printed[] {
  if (citation.kind !== 'line') return [];
  return [citation.text, ...(citation.more ?? [])].flatMap((text) =>
    [...text.matchAll(PRINTED)].map(([size, decimals = '', unit = '']) => ({
      bytes: [parseSize(size), parseSize(size, { gb: 'decimal' })].filter((own) => own !== undefined),
      unit: `${unit.charAt(0).toUpperCase()}iB`,
      decimals: decimals.length,
    })),
  );
}

function finest({ unit, decimals }: Printed): number {
  return (STEPS[unit.charAt(0)] ?? 1) / 10 ** decimals;
}

// The last digit of `71.7 MiB` stands for a tenth of one.
function stepOf(text: string): number {
  const [, decimals = '', unit = ''] = /^-?\d+(?:\.(\d+))? (\w+)$/.exec(text) ?? [];
  return (STEPS[unit.charAt(0)] ?? 1) / 10 ** decimals.length;
}

function inUnitOf(bytes: number, { unit, decimals }: Printed): string {
  const text = (bytes / (STEPS[unit.charAt(0)] ?? 1)).toFixed(decimals);
  return Number(text) === 0 ? `less than ${(10 ** -decimals).toFixed(decimals)} ${unit}` : `${Number(text)} ${unit}`;
}

/** A sentence of its own, of words that began in the middle of one. */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
