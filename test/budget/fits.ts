import { type Fit, type FitInput, fitProfile } from '../../src/budget/fit-profile.ts';
import { GIB } from '../../src/model/quantity.ts';
import { BOOK } from '../playbooks/book.ts';

export { BOOK };

export type Told = Readonly<Record<string, string | number | null>>;

export type Part = Partial<Omit<FitInput, 'settings' | 'book'>> & { readonly told?: Told };

/** Llama-3.1-8B under vLLM 0.11 on a card of 24 GB, conservative, after a failure outside the pool. */
export function aFit({ told = {}, figures, ...part }: Part = {}): FitInput {
  return {
    book: BOOK,
    engine: 'vllm',
    version: '0.11.0',
    profile: 'conservative',
    direction: 'lower',
    figures: {
      totalBytes: 22.06 * GIB,
      weightsBytes: 14.99 * GIB,
      maxModelLen: 16_384,
      model: 'meta-llama/Llama-3.1-8B-Instruct',
      ...figures,
    },
    settings: (flag) => {
      const value = told[flag];
      if (value === undefined) return undefined;
      const number = typeof value === 'number' ? value : undefined;
      return { text: value === null ? null : String(value), number };
    },
    ...part,
  };
}

/** The new values by flag; an error where the profile was not fitted. */
export function editsOf(fit: Fit): Readonly<Record<string, string | null>> {
  if (fit.kind !== 'fitted') throw new Error(JSON.stringify(fit));
  return Object.fromEntries(fit.edits.map(({ flag, to }) => [flag, to]));
}

export function fitted(part: Part = {}): Readonly<Record<string, string | null>> {
  return editsOf(fitProfile(aFit(part)));
}
