import type { Cause } from '../../../../model/taxonomy.ts';
import { FAILS, HINTS } from '../family.ts';
import { says } from './speech.ts';

type NoMemory = Extract<Cause, `none.${string}`>;

/** What is told of a thing that is no memory: what it is in each time of life, and how its words are known. */
export type Tale = {
  readonly starting: NoMemory;
  readonly serving: NoMemory;
  readonly score: number;
  readonly tells: (text: string) => boolean;
};

/** People name what went wrong. */
export function named(cause: NoMemory, ...patterns: readonly RegExp[]): Tale {
  return taleOf(cause, FAILS, patterns);
}

/** People describe something that mostly is this. */
export function likely(cause: NoMemory, ...patterns: readonly RegExp[]): Tale {
  return taleOf(cause, HINTS, patterns);
}

/** The same, unless the text also says this. */
export function unless(pattern: RegExp, tale: Tale): Tale {
  return { ...tale, tells: (text) => tale.tells(text) && !says(text, pattern) };
}

function taleOf(cause: NoMemory, score: number, patterns: readonly RegExp[]): Tale {
  const tells = (text: string) => patterns.some((pattern) => says(text, pattern));
  return { starting: cause, serving: cause, score, tells };
}
