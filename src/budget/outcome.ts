import type { BudgetOutcome, StartAnswer } from '../model/budget.ts';
import { wholeBlocks } from '../model/safe-values.ts';
import { judgeBlocks } from './block-size.ts';
import { blockTokensOf, settingOf } from './figures.ts';
import { type EngineState, lengthOf, nowOf } from './fit-context.ts';
import { amountOf, type Reckoned, reckon } from './known-amount.ts';
import { perTokenOf } from './kv-bytes.ts';
import { gib, poolAt } from './kv-pool.ts';
import { inputTokensOf, judgeStart, needsWholePrompts, requestOf, type StartInput } from './start-condition.ts';

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
  /** What it adds for sure, where how much is not known. */
  readonly leastBytes: Reckoned;
};

const NOTHING: Reckoned = { kind: 'known', value: 0 };

export const NO_SHIFT: Shift = { poolBytes: NOTHING, perToken: { kind: 'known', value: 1 }, leastBytes: NOTHING };

/** The cache of one GPU with these arguments. `before` is the state that the engine printed its figures in. */
export function outcomeOf(state: EngineState, before: EngineState = state, shift: Shift = NO_SHIFT): BudgetOutcome {
  const { knobs } = state;
  const fraction = fractionOf(state);
  const lengthTokens = lengthOf(state);
  const sequences = inForce(state, knobs.sequences) ?? state.figures.maxSeqs;
  const base = poolAt({ ...before, fraction: fractionOf(before), batchedTokens: inForce(before, knobs.batched) });
  const pool = sum(base.at(fraction), shift.poolBytes);
  const bytesPerToken = product(perTokenOf(before), shift.perToken);
  const blockTokens = blockTokensOf(state);
  const isSamePool =
    fraction === fractionOf(before) && amountOf(shift.poolBytes) === 0 && amountOf(shift.perToken) === 1;
  const isSame = isSamePool && blockTokens === blockTokensOf(before);
  const tokens = tokensIn(isSame ? before : undefined, { pool, bytesPerToken, blockTokens });
  const fits = reckon({ tokens: amountOf(tokens), length: lengthTokens }, (of) =>
    Math.floor(of.tokens / (Math.ceil(of.length / blockTokens) * blockTokens)),
  );
  return {
    fraction,
    lengthTokens,
    sequences,
    pool,
    bytesPerToken,
    tokens,
    atOnce:
      fits.kind === 'known' && sequences !== undefined
        ? { kind: 'known', value: Math.min(fits.value, sequences) }
        : fits,
    start:
      refusedBuffer(state, before) ??
      judgePool(base.basis === 'estimated' ? [] : [pool, sum(base.at(fraction), shift.leastBytes)], {
        ...requestOf(state, fraction),
        bytesPerToken: amountOf(bytesPerToken),
        ownTokens: isSamePool ? ownTokensOf(before) : undefined,
        mostTokens: isSamePool ? before.figures.mostTokens : undefined,
        lengthTokens,
        ...(knobs.rowsInPass
          ? { sequences: given(state, knobs.sequences), batchedTokens: given(state, knobs.batched) }
          : { sequences: undefined, batchedTokens: undefined }),
        holdsLength: knobs.holdsLength,
        inputTokens: inputTokensOf(state.engine, state.settings),
        blocks: judgeBlocks(state, before.settings),
        wholePrompts: needsWholePrompts(knobs, { ...state, printedWith: before.settings }) === true,
      }),
  };
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

// A pool that is at least so large lets an engine start, and never proves that it does not.
function judgePool([pool, least]: readonly Reckoned[], start: Omit<StartInput, 'poolBytes'>): StartAnswer {
  const bytes = pool && amountOf(pool);
  const answer = judgeStart({ ...start, poolBytes: bytes });
  if (bytes !== undefined || least === undefined || answer.kind === 'refuses') return answer;
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
  of: { pool: Reckoned; bytesPerToken: Reckoned; blockTokens: number },
): Reckoned {
  const own = printed && ownTokensOf(printed);
  if (own !== undefined) return { kind: 'known', value: own };
  const { pool, bytesPerToken, blockTokens } = of;
  const lacks = [pool, bytesPerToken].flatMap((part) => (part.kind === 'unknown' ? part.missing : []));
  if (lacks.length > 0) return { kind: 'unknown', missing: [...new Set(lacks)] };
  return reckon({ 'size of the KV pool': amountOf(pool), 'KV bytes per token': amountOf(bytesPerToken) }, (known) =>
    wholeBlocks(Math.max(0, known['size of the KV pool']) / known['KV bytes per token'], blockTokens),
  );
}

function sum(a: Reckoned, b: Reckoned): Reckoned {
  if (a.kind === 'unknown') return a;
  return b.kind === 'unknown' ? b : { kind: 'known', value: a.value + b.value };
}

function product(a: Reckoned, b: Reckoned): Reckoned {
  if (a.kind === 'unknown') return a;
  if (b.kind === 'unknown') return b;
  return { kind: 'known', value: a.value * b.value, ...(a.about === true ? { about: true } : {}) };
}
