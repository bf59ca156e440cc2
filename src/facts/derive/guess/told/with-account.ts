import type { Evidence } from '../../evidence.ts';
import type { Life } from '../../life/time-of-life.ts';
import type { Read } from '../family.ts';
import { FAILS, HINTS } from '../family.ts';
import { readAccountOf } from './account.ts';
import { type Both, readBoth } from './both.ts';
import { readTold } from './told.ts';

// Words that name a memory and no more: their causes are what is usual.
function isBare({ family: { starting, serving } }: Read): boolean {
  return /\.weight/.test(starting) && (serving === 'host.burst.payload' || serving === 'gpu.burst.headroom');
}

export type WithAccount = {
  readonly read: readonly Read[];
  readonly account: Read | undefined;
  /** Both memories are told to have been short, one after the other. */
  readonly both: boolean;
};

/**
 * What was read, outweighed by what the notes tell as a whole. Words for a lack say no more than that there was one; what names
 * something else, or a growth, is more particular than the whole.
 */
export function withAccount(evidence: Evidence, life: Life | undefined, noted: readonly Read[]): WithAccount {
  const pointing = noted.filter(({ score }) => score >= HINTS);
  const none = { read: noted, account: undefined, both: false };
  // Where a line decides nobody needs the whole, and what is more particular stands before it.
  if (evidence.weighing.decisive !== undefined || !pointing.every(isBare)) return none;
  const whole = readAccountOf(evidence);
  const both = readBoth(whole);
  const told = both === undefined ? readTold(whole, life) : ofBoth(both);
  if (told === undefined || (pointing.length > 0 && told.score !== FAILS)) return none;
  const account = { ...told, score: told.score + 1 };
  return { read: [...noted, account], account, both: both !== undefined };
}

function ofBoth({ cause, from }: Both): Read {
  const plane = cause.startsWith('gpu.') ? 'gpu' : 'host';
  return { family: { plane, starting: cause, serving: cause }, score: FAILS, from: from.from };
}
