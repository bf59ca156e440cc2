import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Fact, FactValue } from '../../model/fact.ts';
import { known } from '../../read/reading.ts';

/** A known fact, or undefined where there is no value. */
export function fact<T extends FactValue>(value: T | undefined, from: readonly Citation[]): Fact | undefined {
  const proof = from.slice(0, MAX_PROOF);
  return value === undefined || proof.length === 0 ? undefined : known(value, ...proof);
}

/** A cited value as a fact. */
export function factOf<T extends FactValue>(cited: Cited<T> | undefined): Fact | undefined {
  return cited === undefined ? undefined : known(cited.value, cited.from);
}

/** A number made of others: known when all of them are, with the proof of each. */
export function computed(
  parts: readonly (Cited<number> | undefined)[],
  compute: (...values: number[]) => number | undefined,
): Fact | undefined {
  const all = parts.filter((part) => part !== undefined);
  if (all.length < parts.length) return undefined;
  const value = compute(...all.map((part) => part.value));
  if (value === undefined || !Number.isFinite(value)) return undefined;
  return fact(value, uniqueProof(all.map((part) => part.from)));
}

/** `a / b`, undefined where b is zero. */
export function ratio(a: number, b: number): number | undefined {
  return b > 0 ? a / b : undefined;
}

export function uniqueProof(citations: readonly Citation[]): Citation[] {
  const seen = new Set<string>();
  return citations.filter((citation) => {
    const key = JSON.stringify(citation);
    return !seen.has(key) && seen.add(key);
  });
}

// A fact of many lines shows the first ones: a person reads no more.
const MAX_PROOF = 4;

/** A fact as a number with the proof of its first source; undefined where it is none. */
export function citedNumber(found: Fact | undefined): Cited<number> | undefined {
  if (found?.kind !== 'known' || typeof found.value !== 'number') return undefined;
  const from = found.from[0];
  return from === undefined ? undefined : { value: found.value, from };
}
