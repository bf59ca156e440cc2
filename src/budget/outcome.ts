import type { BudgetOutcome, Interval, StartAnswer } from '../model/budget.ts';
import { judgeBlocks } from './block-size.ts';
import { blockTokensOf, settingOf } from './figures.ts';
import { type EngineState, lengthOf, nowOf, stepTokensOf } from './fit-context.ts';
import { amountOf, type Reckoned, reckon } from './known-amount.ts';
import { leastShareOf, perTokenIn, sequencesAfter, sequencesOf } from './kv-bytes.ts';
import { gib, poolAt } from './kv-pool.ts';
import { inputTokensOf, judgeStart, needsWholePrompts, requestOf, type StartInput } from './start-condition.ts';
import { judgeHeads } from './tensor-parallel.ts';

export { type EngineState, lengthOf } from './fit-context.ts';

/** The number in force for a flag: given, else the highest that the engine's default may be. */
export function inForce(state: EngineState, flag: string | undefined): number | undefined {
  return nowOf(state, flag)?.high;
}

export function fractionOf(state: EngineState): number | undefined {
  return (
    settingOf(state.engine, state.settings, state.knobs.fraction)?.number ??
    state.utilization ??
    inForce(state, state.knobs.fraction)
  );
}

/** What a change adds to the pool, and by what it multiplies the bytes of a token. */
export type Shift = {
  readonly poolBytes: Reckoned;
  readonly perToken: Reckoned;
  /** Share of the layers that stay on the GPU. */
  readonly layers: number;
  /** By how much what it adds may be off either way. */
  readonly unsureBytes: number;
  /** What it adds for sure, where how much is not known. */
  readonly leastBytes: Reckoned;
};

const NOTHING: Reckoned = { kind: 'known', value: 0 };

export const NO_SHIFT: Shift = {
  poolBytes: NOTHING,
  perToken: { kind: 'known', value: 1 },
  layers: 1,
  unsureBytes: 0,
  leastBytes: NOTHING,
};

/** The cache of one GPU with these arguments. `before` is the state that the engine printed its figures in. */
export function outcomeOf(state: EngineState, before: EngineState = state, shift: Shift = NO_SHIFT): BudgetOutcome {
  const { knobs } = state;
  const fraction = fractionOf(state);
  const lengthTokens = lengthOf(state);
  const sequences = inForce(state, knobs.sequences) ?? state.figures.maxSeqs;
  const base = poolAt({ ...before, fraction: fractionOf(before), batchedTokens: stepTokensOf(before) });
  const pool = sum(base.at(fraction), shift.poolBytes);
  const interval = moved({ pool: base.at(fraction), between: base.between(fraction), by: shift.poolBytes, shift });
  // What nobody has measured is no proof of anything.
  const isGuess = base.basis === 'estimated' && interval === undefined;
  const memory = state === before ? sequencesOf(state) : sequencesAfter(before, state, shift);
  const isSamePool =
    fraction === fractionOf(before) && amountOf(shift.poolBytes) === 0 && amountOf(shift.perToken) === 1;
  // More space holds what fitted before.
  const keepsPool =
    fraction === fractionOf(before) && (amountOf(shift.poolBytes) ?? -1) >= 0 && amountOf(shift.perToken) === 1;
  const isSame =
    isSamePool &&
    blockTokensOf(state) === blockTokensOf(before) &&
    countsAlike(memory, amountOf(pool), [lengthTokens, lengthOf(before)]);
  const tokens = tokensIn(isSame ? before : undefined, { pool, memory, length: lengthTokens });
  const concurrency = reckon(
    { tokens: amountOf(tokens), length: lengthTokens, bytes: bytesOf(pool, memory, tokens) },
    (of) => ('missing' in memory ? Number.NaN : memory.concurrency(of, of.length)),
  );
  return {
    fraction,
    lengthTokens,
    sequences,
    pool,
    interval,
    bytesPerToken: perTokenIn(state, memory),
    tokens,
    concurrency,
    atOnce: reckon({ fits: amountOf(concurrency) }, ({ fits }) => Math.min(wholeSequences(fits), sequences ?? fits)),
    start:
      refusedBuffer(state, before) ??
      judgePool(isGuess ? [] : [pool, sum(base.at(fraction), shift.leastBytes)], base.basis === 'estimated', {
        ...requestOf(state, fraction),
        interval,
        needBytes: needOf(memory, lengthTokens),
        leastShare: leastShareOf(state),
        ownTokens: keepsPool ? ownTokensOf(before) : undefined,
        mostTokens: isSamePool ? before.figures.mostTokens : undefined,
        lengthTokens,
        ...(knobs.rowsInPass
          ? { sequences: given(state, knobs.sequences), batchedTokens: given(state, knobs.batched) }
          : { sequences: undefined, batchedTokens: undefined }),
        holdsLength: knobs.holdsLength,
        inputTokens: inputTokensOf(state.engine, state.settings),
        blocks: judgeBlocks(state, before.settings),
        heads: judgeHeads(state),
        wholePrompts: needsWholePrompts(knobs, { ...state, printedWith: before.settings }) === true,
      }),
  };
}

/** Whole sequences; what is printed of them is rounded. */
export function wholeSequences(concurrency: number): number {
  return Math.floor(concurrency + 1e-6);
}

type Memory = ReturnType<typeof sequencesOf>;

/** Whether the engine counts a pool as the same tokens for both lengths: what it printed for one holds for the other. */
export function countsAlike(
  memory: Memory,
  bytes: number | undefined,
  [one, other]: readonly [number | undefined, number | undefined],
): boolean {
  if (one === other) return true;
  if ('missing' in memory || bytes === undefined) return false;
  return Math.abs(memory.tokensIn(bytes, one) - memory.tokensIn(bytes, other)) < memory.blockTokens;
}

/** What the pool has to have for one sequence; undefined where it is not known. */
export function needOf(memory: Memory, length: number | undefined): number | undefined {
  return 'missing' in memory || length === undefined ? undefined : memory.needFor(length) + memory.heldBytes;
}

function bytesOf(pool: Reckoned, memory: Memory, tokens: Reckoned): number | undefined {
  const each = 'missing' in memory ? undefined : memory.bytesPerToken;
  return amountOf(pool) ?? (tokens.kind === 'known' && each !== undefined ? tokens.value * each : undefined);
}

type Moving = {
  readonly pool: Reckoned;
  readonly between: Interval | undefined;
  readonly by: Reckoned;
  readonly shift: Shift;
};

function moved({ pool, between, by, shift: { unsureBytes } }: Moving): Interval | undefined {
  if (by.kind === 'unknown' || pool.kind === 'unknown') return undefined;
  if (between === undefined && unsureBytes === 0) return undefined;
  const { low, high, ...of } = between ?? { low: pool.value, high: pool.value, records: 0 };
  return { ...of, low: low + by.value - unsureBytes, high: high + by.value + unsureBytes };
}

// As it is, the device has answered already.
function refusedBuffer(state: EngineState, before: EngineState): StartAnswer | undefined {
  const { failedBuffer, weightsBytes, kvAvailableBytes, activationBytes } = state.figures;
  if (state !== before || failedBuffer === undefined) return undefined;
  const bytes = { weights: weightsBytes, cache: kvAvailableBytes, compute: activationBytes }[failedBuffer];
  const size = bytes === undefined ? '' : ` (${gib(bytes)})`;
  return { kind: 'refuses', why: `the GPU could not allocate the ${BUFFER_NAMES[failedBuffer]}${size}` };
}

const BUFFER_NAMES = { weights: 'weights', cache: 'KV cache', compute: 'compute buffer' } as const;

// A pool that is at least so large lets an engine start, and never proves that it does not. An estimate is judged by its interval.
function judgePool(
  [pool, least]: readonly Reckoned[],
  isEstimated: boolean,
  start: Omit<StartInput, 'poolBytes'>,
): StartAnswer {
  const bytes = pool && amountOf(pool);
  const answer = judgeStart({ ...start, poolBytes: bytes });
  if (bytes !== undefined || isEstimated || least === undefined || answer.kind === 'refuses') return answer;
  const atLeast = judgeStart({ ...start, poolBytes: amountOf(least) });
  return atLeast.kind === 'starts' ? atLeast : answer;
}

function given({ engine, settings }: EngineState, flag: string | undefined): number | undefined {
  return settingOf(engine, settings, flag)?.number;
}

function ownTokensOf({ figures }: EngineState): number | undefined {
  return figures.kvTokens ?? figures.estimatedMaxLen;
}

// Where the engine printed its tokens, or the longest length that fits, they are taken as they are: the sum of rounded
// figures is a little off.
function tokensIn(
  printed: EngineState | undefined,
  of: { pool: Reckoned; memory: Memory; length: number | undefined },
): Reckoned {
  const own = printed && ownTokensOf(printed);
  if (own !== undefined) return { kind: 'known', value: own };
  const { pool, memory, length } = of;
  const lacks = [...(pool.kind === 'unknown' ? pool.missing : []), ...('missing' in memory ? memory.missing : [])];
  if (lacks.length > 0 || 'missing' in memory) return { kind: 'unknown', missing: [...new Set(lacks)] };
  return reckon({ 'size of the KV pool': amountOf(pool) }, (known) =>
    memory.tokensIn(Math.max(0, known['size of the KV pool']), length),
  );
}

function sum(a: Reckoned, b: Reckoned): Reckoned {
  if (a.kind === 'unknown') return a;
  return b.kind === 'unknown' ? b : { kind: 'known', value: a.value + b.value };
}
