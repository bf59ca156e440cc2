import type { Evidence } from '../../evidence.ts';
import type { Life } from '../../life/time-of-life.ts';
import type { Read } from '../family.ts';
import { FAILS, HINTS } from '../family.ts';
import { LACK } from '../vocabulary.ts';
import { readAccountOf } from './account.ts';
import { readTold } from './told.ts';

const BARE: ReadonlySet<unknown> = new Set(LACK);

export type WithAccount = { readonly read: readonly Read[]; readonly account: Read | undefined };

/**
 * What was read, led by what the notes tell as a whole. Words for a lack say no more than that there was one; what names
 * something else, or a growth, is more particular than the whole.
 */
export function withAccount(evidence: Evidence, life: Life | undefined, noted: readonly Read[]): WithAccount {
  const account = readTold(readAccountOf(evidence), life);
  const pointing = noted.filter(({ score }) => score >= HINTS);
  const isBare = account?.score === FAILS && pointing.every(({ family }) => BARE.has(family));
  return account !== undefined && (pointing.length === 0 || isBare)
    ? { read: [account, ...noted], account }
    : { read: noted, account: undefined };
}
