import type { Citation } from '../model/citation.ts';
import type { Cited } from '../model/engine-reader.ts';
import type { Fact, FactValue, UnknownReason } from '../model/fact.ts';

type UnknownFact = Extract<Fact, { kind: 'unknown' }>;
type Known<T extends FactValue> = { kind: 'known'; value: T; from: Citation[]; at?: number };
/** A fact whose type is known: a value with its proof, or unknown with the reason. Assignable to `Fact`. */
export type Reading<T extends FactValue> = Known<T> | UnknownFact;

export function known<T extends FactValue>(value: T, ...from: readonly Citation[]): Known<T> {
  return { kind: 'known', value, from: [...from] };
}

export function unknown(reason: UnknownReason, detail: string): UnknownFact {
  return { kind: 'unknown', reason, detail };
}

/** The reading of a cited value, or `not-in-snapshot` where there is none. */
export function readingOf<T extends FactValue>(cited: Cited<T> | undefined, missing: string): Reading<T> {
  return cited === undefined ? unknown('not-in-snapshot', missing) : known(cited.value, cited.from);
}
