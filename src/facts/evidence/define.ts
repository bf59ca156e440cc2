import type { Fact, FactEntry } from '../../model/fact.ts';
import type { Evidence } from './evidence.ts';

/** What facts of earlier groups are known when a group is derived. */
export type Told = Readonly<Record<string, Fact | undefined>>;

/** Unit, meaning and needs of a fact; the id is the key. */
export type FactMeaning = Omit<FactEntry, 'id'>;

/** Facts that are derived together, each defined once: its meaning next to the function that finds its value. */
export type FactGroup = {
  readonly entries: readonly FactEntry[];
  readonly derive: (evidence: Evidence, told: Told) => Told;
};

/** `derive` returns only ids of `meanings`; an id left out, or undefined, is unknown, and the reason is looked up later. */
export function defineFacts<const Meanings extends Readonly<Record<string, FactMeaning>>>(
  meanings: Meanings,
  derive: (evidence: Evidence, told: Told) => { readonly [Id in keyof Meanings]?: Fact | undefined },
): FactGroup {
  return { entries: Object.entries(meanings).map(([id, meaning]) => ({ id, ...meaning })), derive };
}
