import type { Citation } from './citation.ts';
import { formatBytes, KIB, parseSize } from './quantity.ts';

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
