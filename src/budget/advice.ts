import { hasFlag } from '../model/knob-table.ts';
import { ABOVE_LEAST_FRACTION } from '../model/safe-values.ts';
import {
  type Advice,
  type AdviceInput,
  type Advised,
  LOWEST_FRACTION,
  lengthToSet,
  outcomeAt,
  sequencesAtWork,
} from './advice-input.ts';
import { bookFraction, freeFraction, growthOf, highestFraction, leastAfterLoad } from './fraction-room.ts';
import { adviseContext, adviseLayers } from './gpu-layers.ts';
import { amountOf, hundredths } from './known-amount.ts';
import { perTokenOf } from './kv-bytes.ts';
import { adviseLower } from './lower-fraction-advice.ts';
import { type EngineState, lengthOf } from './outcome.ts';
import { inputTokensOf } from './start-condition.ts';

// vLLM, SGLang and TGI take no pass shorter than this by themselves.
const LEAST_PASS = 2048;

/** Arguments computed from the numbers of an incident; none is named with which the sums prove that the engine would not start. */
export function adviseArguments(input: AdviceInput): Advice {
  const { state, utilization } = input;
  const pass = passToSet(input);
  return {
    'advice.max-model-len': below(longest(input), state.figures.maxModelLen),
    'advice.utilization-fit': below(fitting(input), utilization),
    'advice.max-num-seqs': sequencesToSet(input),
    'advice.max-batched-tokens': pass,
    'advice.max-input-tokens': inputToSet(input, pass),
    ...adviseRaise(input),
    ...adviseLower(input),
    ...adviseLayers(state),
    'advice.context-fit': adviseContext(input),
  };
}

// What is meant to lower a value says nothing where the value in force, as it is known, is no higher.
function below(advised: Advised | undefined, now: number | undefined): Advised | undefined {
  return advised !== undefined && now !== undefined && Number(advised.value) >= now ? undefined : advised;
}

// The engine's own estimate where it prints one, else length times available over needed, else the tokens of its pool.
function longest({ state: { figures } }: AdviceInput): Advised | undefined {
  const {
    estimatedMaxLen,
    maxModelLen: length,
    kvAvailableBytes: available,
    kvNeededBytes: needed,
    kvTokens,
  } = figures;
  if (estimatedMaxLen !== undefined) return named(lengthToSet(estimatedMaxLen), ['engine.estimated-max-len']);
  if (length === undefined) return undefined;
  if (available !== undefined && needed !== undefined && needed > available && available > 0) {
    const from = ['engine.max-model-len', 'engine.kv-available', 'engine.kv-needed'];
    return named(lengthToSet((length * available) / needed), from);
  }
  if (kvTokens === undefined || kvTokens >= length) return undefined;
  return named(lengthToSet(kvTokens), ['engine.kv-tokens', 'engine.max-model-len']);
}

function named(value: number | undefined, from: readonly string[]): Advised | undefined {
  return value === undefined ? undefined : { value, from };
}

// What was free when the engine started.
function fitting({ state }: AdviceInput): Advised | undefined {
  const { freeAtStartBytes: free, totalBytes: total } = state.figures;
  // A share of what is free fits whatever is free.
  if (state.knobs.fractionOf === 'free') return undefined;
  if (free === undefined || total === undefined || total <= 0) return undefined;
  const next = hundredths(free / total - 0.01, 'down');
  if (next < LOWEST_FRACTION || outcomeAt(state, { fraction: next }).start.kind === 'refuses') return undefined;
  return { value: next, from: ['freeAtStartBytes', 'totalAtStartBytes'] };
}

function sequencesToSet(input: AdviceInput): Advised | undefined {
  const { state } = input;
  const atWork = sequencesAtWork(input);
  if (atWork === undefined || atWork < 2) return undefined;
  const next = Math.floor(atWork / 2);
  return refusesAnew(state, () => outcomeAt(state, { sequences: next }))
    ? undefined
    : { value: next, from: [atWork === input.sequences ? 'engine.max-num-seqs' : 'requests.running'] };
}

// Half of it; or as little as holds a token of every sequence, or a whole prompt where none is taken in pieces, or the longest
// input of an engine that bounds it, where that cannot be lowered with it.
function passToSet({ state, sequences, batchedTokens }: AdviceInput): Advised | undefined {
  if (batchedTokens === undefined || batchedTokens < 2 * LEAST_PASS) return undefined;
  const half = Math.floor(batchedTokens / 2);
  const { longestPrompt } = state.knobs;
  const isTurned = longestPrompt !== undefined && hasFlag(state, longestPrompt);
  const stays = isTurned ? undefined : inputTokensOf(state.engine, state.settings);
  const atLeast = Math.max(half, stays ?? 0);
  const least = [half, sequences, state.figures.maxModelLen, stays].filter(
    (value) => value !== undefined && value >= atLeast,
  );
  const next = least
    .toSorted((a, b) => Number(a) - Number(b))
    .find((value) => !refusesAnew(state, () => outcomeAt(state, { 'batched-tokens': Number(value) })));
  return next === undefined || next >= batchedTokens ? undefined : { value: next, from: ['engine.max-batched-tokens'] };
}

// An engine with a longest input refuses a pass below it, and an input that is not below its length: one that a pass holds stays.
function inputToSet({ state }: AdviceInput, pass: Advised | undefined): Advised | undefined {
  if (pass === undefined || state.knobs.longestPrompt === undefined) return undefined;
  const longest = inputTokensOf(state.engine, state.settings) ?? state.figures.maxModelLen;
  return longest !== undefined && longest <= Number(pass.value) ? undefined : pass;
}

// A start that fails as it is fails for something else.
function refusesAnew(state: AdviceInput['state'], then: () => ReturnType<typeof outcomeAt>): boolean {
  return then().start.kind === 'refuses' && outcomeAt(state, {}).start.kind !== 'refuses';
}

/** The least that the engine names where it does, or its own sum, else what is missing for one sequence of the longest length. */
function adviseRaise(input: AdviceInput): Advice {
  const { state, utilization } = input;
  if (utilization === undefined) return {};
  const own = namedFraction(state) ?? fractionAfterLoad(state);
  const needed = own ?? neededFraction(input, utilization);
  if (needed !== undefined && Number(needed.value) <= utilization) return {};
  // The engine knows what it needs outside; where it names a fraction, or its own sum does, the book alone bounds it.
  const highest = own !== undefined ? Math.min(bookFraction(state), freeFraction(state) ?? 1) : highestFraction(state);
  if (highest === undefined) return {};
  const from = ['engine.utilization', 'gpu.total', 'totalAtStartBytes', 'loadFreeBytes', 'engine.graphs'];
  const bound: Advised = { value: highest, from };
  if (needed === undefined)
    return { ...adviseNothingLeft(input, utilization, highest), 'advice.utilization-highest': bound };
  const fits = Number(needed.value) <= highest;
  return {
    'advice.utilization-highest': bound,
    'advice.raising-fits': { value: fits, from: [...needed.from, ...from] },
    'advice.utilization-raise': fits ? needed : undefined,
  };
}

// What it takes to have a pool at all, where the engine did not print what one sequence needs: as much as it lacked, and more
// than the weights.
function adviseNothingLeft({ state }: AdviceInput, utilization: number, highest: number): Advice {
  const { kvAvailableBytes: left = 1, weightsBytes = 0 } = state.figures;
  const growth = growthOf(state);
  const from = ['engine.utilization', 'engine.kv-available', 'engine.weights', 'gpu.total', 'loadFreeBytes'];
  const isSummed = growth !== undefined && state.knobs.fractionOf === 'total';
  const least = isSummed ? Math.max(left > 0 ? 0 : utilization - left / growth, weightsBytes / growth) : 0;
  const isTooLittle = utilization >= highest || hundredths(least, 'up') > highest;
  return isTooLittle ? { 'advice.raising-fits': { value: false, from } } : {};
}

function namedFraction({ figures: { leastFraction } }: AdviceInput['state']): Advised | undefined {
  if (leastFraction === undefined) return undefined;
  const value = hundredths(leastFraction + ABOVE_LEAST_FRACTION, 'up');
  return { value, from: ['engine.utilization', 'leastFraction'] };
}

function neededFraction({ state }: AdviceInput, utilization: number): Advised | undefined {
  const { kvNeededBytes: needed, kvAvailableBytes: available } = state.figures;
  const growth = growthOf(state);
  if (needed === undefined || available === undefined) return undefined;
  if (state.knobs.fractionOf === 'free') return neededOfFree(utilization, needed / available);
  if (growth === undefined) return undefined;
  const value = hundredths(utilization + (needed - available) / growth, 'up');
  const from = ['engine.utilization', 'engine.kv-needed', 'engine.kv-available', 'gpu.total', 'loadFreeBytes'];
  return { value, from };
}

// The pool of a share of what is free grows with the share alone.
function neededOfFree(utilization: number, ratio: number): Advised | undefined {
  if (!Number.isFinite(ratio) || ratio <= 0) return undefined;
  const from = ['engine.utilization', 'engine.kv-needed', 'engine.kv-available'];
  return { value: hundredths(utilization * ratio, 'up'), from };
}

/**
 * The fraction that SGLang's own sum asks for (mem_cache/kv_cache_configurator.py): with room for one sequence, where its
 * size is known and the GPU allows it, since a shorter pool starts as well.
 */
export function fractionAfterLoad(state: EngineState): Advised | undefined {
  const { loadFreeBytes: before } = state.figures;
  const least = leastAfterLoad(state.figures);
  if (before === undefined || least === undefined) return undefined;
  const start = hundredths(least + ABOVE_LEAST_FRACTION, 'up');
  const whole = hundredths(least + (oneSequence(state) ?? 0) / before, 'up');
  return { value: Math.max(start, Math.min(whole, highestFraction(state) ?? start)), from: FROM };
}

const FROM = ['engine.utilization', 'loadFreeBytes', 'loadLeftBytes', 'engine.max-model-len'];

function oneSequence(state: EngineState): number | undefined {
  const [perToken, length] = [amountOf(perTokenOf(state)), lengthOf(state)];
  return perToken === undefined || length === undefined ? undefined : perToken * length;
}
