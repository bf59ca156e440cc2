/** One character of a word as the program gets it, and where it stands in the text. */
export type Unit = { readonly from: number; readonly to: number; readonly quote: Quote };
export type Quote = 'none' | 'single' | 'double';

/**
 * A word of a command line. `value` is what the program gets; parts that are computed when the script runs stand in it as
 * they are written, the first of them at `computedAt`. `start` and `end` are offsets in the text at `holder`.
 */
export type Word = {
  readonly value: string;
  readonly computedAt: number | null;
  /** JSON pointer, from the container, of the string that the word stands in. */
  readonly holder: string;
  readonly start: number;
  readonly end: number;
  /** One for each character of `value`; null where the word is the whole string, as it is. */
  readonly units: readonly Unit[] | null;
};

/** A word of a list: the whole string. `$(NAME)` is expanded by the kubelet, `$$` stands for one dollar. */
export function toListWord(value: string, holder: string): Word {
  const computed = value.search(/\$\(|\$\$/);
  return { value, computedAt: computed === -1 ? null : computed, holder, start: 0, end: value.length, units: null };
}

/** The part of a word that is certain: up to what is computed. */
export function literalPart({ value, computedAt }: Word): string {
  return computedAt === null ? value : value.slice(0, computedAt);
}
