import { parseSize } from '../../model/quantity.ts';

/** A figure of a row: bytes, a share (0 to 1), or bare where its column or heading has the unit. */
export type RowValue = {
  /** The words before it in its row, in lower case and without digits. */
  readonly label: string;
  readonly cell: number;
  readonly digits: string;
  readonly unit: string | undefined;
};

/** A figure as it is written. */
export const NUMBER = String.raw`\d[\d,]{0,15}(?:\.\d{1,6})?(?:[eE][+-]?\d{1,2}(?!\w))?`;
const FIGURE = new RegExp(String.raw`(?<![\w.,-])[~≈]?(${NUMBER})\s?(%|(?:kB|[KMGT]i?B?)(?![\w/])|bytes?\b)?`, 'g');

const NAME_ALONE = /^(?:anon|file|rss|res|vmrss|uss|pss|used|free|alloc\w*|reserved|mem\w*|v?ram)$/i;

/** The figures of a cell; a name may stand in a cell of its own before its figure. */
export function valuesOf(text: string, cell: number, before: string): readonly RowValue[] {
  let from = 0;
  const own = withoutTotal(text);
  return [...own.matchAll(FIGURE)].map((match) => {
    const label = own.slice(from, match.index);
    from = match.index + match[0].length;
    return {
      label: wordsOf(label) || (NAME_ALONE.test(before) ? wordsOf(before) : ''),
      cell,
      digits: match[1] ?? '',
      unit: match[2],
    };
  });
}

const OUT_OF = new RegExp(
  String.raw`(${NUMBER})(\s?(?:%|[KMGT]i?B?))?\s*(?:\/|\bof\b)\s*(${NUMBER})\s?(?:[KMGT]i?B?)?(?![\w.])`,
  'g',
);

// `31.6 of 32 GB`, `48760 / 49140`: what there is beside what is used. Of two cards the second may hold less.
function withoutTotal(text: string): string {
  return text.replaceAll(OUT_OF, (whole, used: string, unit: string | undefined, total: string) =>
    numberOf(total) > numberOf(used) ? `${used}${unit ?? unitAtEnd(whole)}` : whole,
  );
}

/** `12,500` as a number. */
export function numberOf(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}

function unitAtEnd(text: string): string {
  return /\s?[KMGT]i?B?$/.exec(text)?.[0] ?? '';
}

function wordsOf(label: string): string {
  return label
    .toLowerCase()
    .replaceAll(/[^a-z_.]+/g, ' ')
    .trim();
}

/** The value in bytes or as a share; `unit` is what its column or heading says where it bears none. */
export function amountOf(
  { digits, unit }: Pick<RowValue, 'digits' | 'unit'>,
  common: string | undefined,
): number | undefined {
  const word = unit ?? common;
  if (word === undefined) return undefined;
  const number = numberOf(digits);
  if (word === '%') return number / 100;
  return parseSize(`${number} ${word}`);
}

/** ps and /proc print a resident size in KiB, a control group and Prometheus bytes. */
export function bareUnit([label = '', column = '']: readonly string[]): string | undefined {
  const words = `${label} ${column}`.replaceAll('_', ' ');
  if (/\bbytes\b|^anon\b/.test(words)) return 'bytes';
  return /\b(?:rss|vmrss)\b/.test(words) ? 'KiB' : undefined;
}
