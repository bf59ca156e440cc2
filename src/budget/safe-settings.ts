import type { BudgetOutcome, Demand, SafeSettings } from '../model/budget.ts';
import { stateOfFeature } from '../model/feature-table.ts';
import { readVersion } from '../model/flag-table.ts';
import { hasFlag } from '../model/knob-table.ts';
import { stepTokensOf } from './fit-context.ts';
import { highestFraction } from './fraction-room.ts';
import { amountOf } from './known-amount.ts';
import { sequencesOf } from './kv-bytes.ts';
import { poolAt } from './kv-pool.ts';
import { type EngineState, fractionOf, needOf, wholeSequences } from './outcome.ts';
import { longestIn, type SequenceMemory } from './sequence-memory.ts';

/** What fits the pool at the low end of its interval: the longest length, the sequences of the length in force, and the fraction that it takes. */
export function safeSettings(state: EngineState, now: BudgetOutcome): SafeSettings {
  const memory = sequencesOf(state);
  const low = now.interval?.low ?? amountOf(now.pool);
  const automatic = automaticFlags(state);
  if ('missing' in memory || low === undefined || !state.knobs.holdsLength) return { automatic };
  const { lengthTokens: length } = now;
  const longest = longestIn(memory, Math.max(0, low));
  return {
    automatic,
    length: longest < (length ?? Number.POSITIVE_INFINITY) ? longest : undefined,
    sequences: length === undefined || longest < length ? undefined : atOnce(memory, low, length),
    fraction: length === undefined || longest >= length ? undefined : fractionFor(state, needOf(memory, length)),
  };
}

function atOnce(memory: SequenceMemory, bytes: number, length: number): number {
  return wholeSequences(memory.concurrency({ bytes, tokens: memory.tokensIn(bytes, length) }, length));
}

// In hundredths, as far as the GPU allows.
function fractionFor(state: EngineState, need: number | undefined): number | undefined {
  const [now, most] = [fractionOf(state), highestFraction(state)];
  if (now === undefined || most === undefined || need === undefined) return undefined;
  const pool = poolAt({ ...state, fraction: now, batchedTokens: stepTokensOf(state) });
  for (let step = Math.floor(now * 100) + 1; step <= Math.floor(most * 100 + 1e-6); step++) {
    const at = step / 100;
    const low = pool.between(at)?.low ?? amountOf(pool.at(at));
    if (low !== undefined && low >= need) return at;
  }
  return undefined;
}

// Options with which the engine sizes length or pool itself, by its version.
function automaticFlags(state: EngineState): readonly string[] {
  const { engine, version } = state;
  const release = readVersion(engine, version);
  if (engine !== 'vllm' || release === undefined) return [];
  return [
    ...(stateOfFeature('vllm.length-by-memory', release) === 'asked' ? ['--max-model-len auto'] : []),
    ...(hasFlag(state, '--kv-cache-memory-bytes') ? ['--kv-cache-memory-bytes'] : []),
  ];
}

/** What all sequences of the batch limit would take at the full length; undefined where a part of it is unknown. */
export function demandOf(state: EngineState, { sequences, lengthTokens, pool }: BudgetOutcome): Demand | undefined {
  const memory = sequencesOf(state);
  if ('missing' in memory || sequences === undefined || lengthTokens === undefined) return undefined;
  const bytes = sequences * memory.needFor(lengthTokens);
  const pools = pool.kind === 'known' && pool.value > 0 ? bytes / pool.value : undefined;
  return { sequences, lengthTokens, bytes, pools };
}
