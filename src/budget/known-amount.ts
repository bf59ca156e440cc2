import type { Lacking, Reckoned } from '../model/budget.ts';

export type { Lacking, Reckoned };

export function lacking(...missing: readonly string[]): Lacking {
  return { kind: 'unknown', missing };
}

/** A sum over named parts; a part that is not there or no finite number is missing, never zero. */
export function reckon<K extends string>(
  parts: Readonly<Record<K, number | undefined>>,
  compute: (known: Readonly<Record<K, number>>) => number,
): Reckoned {
  const missing = Object.entries<number | undefined>(parts).flatMap(([name, value]) =>
    value === undefined || !Number.isFinite(value) ? [name] : [],
  );
  if (missing.length > 0) return lacking(...missing);
  const value = compute(parts as Readonly<Record<K, number>>);
  return Number.isFinite(value) ? { kind: 'known', value } : lacking('a figure above zero to divide by');
}

/** The value, or undefined where it is not known. */
export function amountOf(reckoned: Reckoned): number | undefined {
  return reckoned.kind === 'known' ? reckoned.value : undefined;
}

/** A share of a GPU, rounded to hundredths: `down` never asks for more than what it was made from. */
export function hundredths(share: number, way: 'down' | 'up'): number {
  // 0.29 * 100 is 28.999999999999996.
  const scaled = share * 100;
  return (way === 'down' ? Math.floor(scaled + 1e-6) : Math.ceil(scaled - 1e-6)) / 100;
}

/** An amount by its name; NaN where there is none. */
export function pick(of: Readonly<Record<string, number>>, name: string): number {
  return of[name] ?? Number.NaN;
}
