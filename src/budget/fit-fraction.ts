import { ABOVE_LEAST_FRACTION } from '../model/safe-values.ts';
import { askedOf, editOf, type FitContext, type LeftOut, type Now, nowOf } from './fit-context.ts';
import type { Choice } from './fit-tokens.ts';
import { edgeOf, freeFraction, highestFraction } from './fraction-room.ts';
import { amountOf, hundredths } from './known-amount.ts';
import { gib, type PoolAt } from './kv-pool.ts';
import type { Setting } from './profiles.ts';

/** The memory fraction in force, taken as high as it may be: what the sums then give leans to the safe side. */
export function fractionInForce(context: FitContext): number | undefined {
  return nowOf(context, context.knobs.fraction)?.high;
}

/** Moves the fraction the way the signature points, as far as the pool still holds `needBytes`; undefined where that is not known. */
export function chooseFraction(context: FitContext, pool: PoolAt, needBytes: number | undefined): Choice {
  const flag = context.knobs.fraction;
  const now = nowOf(context, flag);
  const stay = (...left: readonly LeftOut[]): Choice => stayAt(now?.high, ...left);
  if (flag === undefined) return stay();
  if (context.direction === 'none') {
    return stay({ flag, why: 'the failure does not show whether to raise or lower it' });
  }
  if (now === undefined) return stay({ flag, why: 'the current value is unknown' });
  const asked = askedOf(context, flag, now.high);
  if (asked.kind !== 'asked') return stay(...(asked.kind === 'left' ? [asked.left] : []));
  const goal = { now, asked: asked.value, setting: asked.setting, pool, needBytes };
  return context.direction === 'raise' ? raise(context, goal) : lower(context, goal);
}

function stayAt(fraction: number | undefined, ...left: readonly LeftOut[]): Choice {
  return { value: fraction, edits: [], left };
}

type Goal = {
  readonly now: Now;
  readonly asked: number;
  readonly setting: Setting;
  readonly pool: PoolAt;
  readonly needBytes: number | undefined;
};

function raise(context: FitContext, goal: Goal): Choice {
  const { now, asked, setting, pool, needBytes } = goal;
  const stay = (why: string): Choice => stayAt(now.high, { flag: setting.flag, why });
  const cap = highestFraction(context);
  if (cap === undefined)
    return stay('the GPU memory is unknown, so a higher value may leave too little outside the pool');
  const edge = edgeOf(context);
  if (edge > cap) {
    return stay(
      `the engine needs more than ${hundredths(edge - ABOVE_LEAST_FRACTION, 'up')} to start, and this GPU allows at most ${cap}`,
    );
  }
  const least = Math.max(now.high, edge, Math.min(setting['lower-by'] === undefined ? asked : now.high, cap));
  const fits = needBytes === undefined ? least : smallestThatFits(pool, { from: least, to: cap, needBytes });
  // What even the most does not hold, a shorter length will; without a sum nothing speaks for more than is asked.
  const next = fits ?? (pool.at(cap).kind === 'known' ? Math.max(now.high, cap) : least);
  if (next <= now.high) {
    if (cap <= now.high)
      return stay(`${now.high} is the maximum for this GPU; more would leave nothing outside the pool`);
    return stay(fits === undefined ? 'KV cache size unknown' : `${now.high} is enough for that length`);
  }
  return change(context, goal, next, 'raised, because the engine asks for a larger KV cache');
}

function lower(context: FitContext, goal: Goal): Choice {
  const { now, asked, setting, pool, needBytes } = goal;
  const stay = (why: string): Choice => stayAt(now.high, { flag: setting.flag, why });
  const free = freeFraction(context);
  const limit = Math.min(now.high, free ?? now.high);
  // What the failed allocation lacked may ask for more than the profile does.
  const target = Math.max(LEAST_FRACTION, Math.min(asked, limit, context.figures.loweredFraction ?? 1));
  if (target >= now.low) return stay(`the current ${now.low} is already safer`);
  const mustCome = free !== undefined && free < now.low && free >= LEAST_FRACTION ? free : undefined;
  if (needBytes === undefined || pool.basis === 'unknown') {
    if (mustCome !== undefined) return change(context, goal, mustCome, NO_MORE_FREE);
    if (startsAnyway(context, pool, target)) return change(context, goal, target, setting.why);
    return stay('a lower value shrinks the KV cache, which may no longer hold one sequence');
  }
  const fits = smallestThatFits(pool, { from: target, to: limit, needBytes });
  if (fits !== undefined && fits < now.low) return change(context, goal, fits, setting.why);
  if (mustCome !== undefined) return change(context, goal, mustCome, NO_MORE_FREE);
  return stay(
    `a lower value leaves too little KV cache for one sequence: ${pool.says(target)}, one sequence takes ${gib(needBytes)}`,
  );
}

// An engine that starts with any pool, where nothing shows that there would be none.
function startsAnyway({ knobs }: FitContext, pool: PoolAt, fraction: number): boolean {
  const size = amountOf(pool.at(fraction));
  return !knobs.holdsLength && (size === undefined || size > 0);
}

function change(context: FitContext, { setting, pool }: Goal, to: number, why: string): Choice {
  const from = [
    'totalBytes',
    'kvAvailableBytes',
    'kvTokens',
    'kvNeededBytes',
    'weightsBytes',
    'freeAtStartBytes',
    'loadFreeBytes',
    'loadLeftBytes',
    'leastFraction',
    'loweredFraction',
  ] as const;
  const edit = editOf(context, { flag: setting.flag, to, why: `${why}; ${pool.says(to)}`, from });
  return { value: to, edits: [edit], left: [] };
}

const NO_MORE_FREE = 'that is what was free when the engine started';

// Below this a GPU belongs to another process.
const LEAST_FRACTION = 0.1;

type Search = { readonly from: number; readonly to: number; readonly needBytes: number };

function smallestThatFits(pool: PoolAt, { from, to, needBytes }: Search): number | undefined {
  const last = Math.floor(to * 100 + 1e-6);
  for (let step = Math.ceil(from * 100 - 1e-6); step <= last; step++) {
    const size = pool.between(step / 100)?.low ?? amountOf(pool.at(step / 100));
    if (size !== undefined && size >= needBytes) return step / 100;
  }
  return undefined;
}
