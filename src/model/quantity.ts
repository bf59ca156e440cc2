export const KIB = 1024;
export const MIB = KIB ** 2;
export const GIB = KIB ** 3;

// Kubernetes resource quantities: decimal and binary suffixes, `m` for thousandths (`500m` cores).
const QUANTITY_FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: KIB,
  Mi: KIB ** 2,
  Gi: KIB ** 3,
  Ti: KIB ** 4,
  Pi: KIB ** 5,
  Ei: KIB ** 6,
};

const QUANTITY = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE])?$/;

/** A Kubernetes quantity (`1.5Gi`, `500m`, `6G`, `1e3`) as a plain number: bytes, cores or a count; undefined for anything else. */
export function parseQuantity(text: string | number | undefined): number | undefined {
  if (typeof text === 'number') return Number.isFinite(text) ? text : undefined;
  const match = QUANTITY.exec(text?.trim() ?? '');
  if (match === null) return undefined;
  const factor = QUANTITY_FACTORS[match[2] ?? ''] ?? 1;
  const value = Number(match[1]) * factor;
  // 0.1 * 1000 and the like leave dust behind the comma; nobody states bytes finer than a millionth.
  return Number.isFinite(value) ? Math.round(value * 1e9) / 1e9 : undefined;
}

const BINARY_UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const DECIMAL_UNITS = ['', 'k', 'M', 'G', 'T', 'P', 'E'] as const;

/** A quantity of bytes as the API server writes it back: `2048Mi` as `2Gi`, `1.5Gi` as `1536Mi`, `3000M` as `3G`. What is no whole number of bytes, or has an exponent, is left as it is. */
export function canonicalBytes(text: string): string {
  const bytes = parseQuantity(text);
  if (bytes === undefined || !Number.isSafeInteger(bytes) || bytes <= 0 || /[eE][+-]?\d/.test(text)) return text;
  const isBinary = /i$/.test(text.trim());
  const [base, units] = isBinary ? [KIB, BINARY_UNITS] : [1000, DECIMAL_UNITS];
  const at = units.findLastIndex((_, i) => bytes % base ** i === 0);
  return `${bytes / base ** at}${units[at] ?? ''}`;
}

const DECIMAL: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9, t: 1e12, p: 1e15 };
const BINARY: Readonly<Record<string, number>> = { k: KIB, m: KIB ** 2, g: KIB ** 3, t: KIB ** 4, p: KIB ** 5 };

const SIZE = /^([+-]?(?:\d[\d,_]*(?:\.\d+)?|\.\d+))\s*(?:([kmgtp])(i)?)?(b|bytes?|ytes?)?$/i;

export type SizeOptions = {
  /** What `GB`, `MB`, `kB` mean. Engines and drivers mostly print GiB and call it GB. Default: `binary`. */
  readonly gb?: 'binary' | 'decimal';
};

/** A size as logs and people write it (`79.33 GiB`, `512 MiB`, `24 GB`, `0 bytes`, `4544Mi`, `131072kB`) in bytes; undefined without a unit. */
export function parseSize(text: string, options: SizeOptions = {}): number | undefined {
  const match = SIZE.exec(text.trim());
  if (match === null) return undefined;
  const [, digits, prefix, binary, bytes] = match;
  if (prefix === undefined && bytes === undefined) return undefined;
  const value = Number((digits ?? '').replaceAll(/[,_]/g, ''));
  const factors = binary === undefined && options.gb === 'decimal' ? DECIMAL : BINARY;
  const factor = prefix === undefined ? 1 : (factors[prefix.toLowerCase()] ?? 1);
  return Number.isFinite(value) ? value * factor : undefined;
}

const STEPS = [
  ['TiB', KIB ** 4],
  ['GiB', GIB],
  ['MiB', MIB],
  ['KiB', KIB],
] as const;

/** Bytes for people: `18.4 GiB`, `512 MiB`, `0 B`. One digit behind the point below 100, or as many as are asked for whatever the size; none where they would be zero. */
export function formatBytes(bytes: number, decimals?: number): string {
  if (!Number.isFinite(bytes)) return 'unknown';
  const size = Math.abs(bytes);
  // Half a tenth below the step rounds up to it: 1023.96 MiB would print as `1024 MiB`.
  const step = STEPS.find(([, factor]) => size >= factor * 0.99995) ?? (['B', 1] as const);
  const value = bytes / step[1];
  const digits = decimals ?? (Math.abs(value) < 100 ? 1 : 0);
  return `${Number(value.toFixed(digits))} ${step[0]}`;
}
