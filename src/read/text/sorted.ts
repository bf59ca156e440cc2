/** Lines of a text, by number: those that tell of others than what is looked at, and those of which it can not be told. */
export type Sorted = { readonly others: ReadonlySet<number>; readonly unsure: ReadonlySet<number> };

export const NOTHING_SORTED: Sorted = { others: new Set(), unsure: new Set() };

/** What both sorted out of the same text. */
export function mergeSorted(one: Sorted = NOTHING_SORTED, other: Sorted = NOTHING_SORTED): Sorted {
  return { others: new Set([...one.others, ...other.others]), unsure: new Set([...one.unsure, ...other.unsure]) };
}
