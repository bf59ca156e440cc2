import type { SwapBudget } from '../model/budget.ts';
import { stateOfFeature } from '../model/feature-table.ts';
import { GIB } from '../model/quantity.ts';
import { blockTokensOf, settingOf } from './figures.ts';
import type { EngineState } from './outcome.ts';
import type { Reckoned } from './reckoned.ts';

// vllm/config.py and vllm/worker/cache_engine.py of the first engine (V0).
const DEFAULT_GIB = 4;

/** KV blocks that vLLM pins in host memory for each GPU at its start, as it printed them, else by its swap space; undefined for an engine that has none. */
export function swapOf(state: EngineState, bytesPerToken: Reckoned): SwapBudget | undefined {
  const { engine, version, settings, figures } = state;
  if (engine !== 'vllm') return undefined;
  const bytes = (settingOf(engine, settings, '--swap-space')?.number ?? DEFAULT_GIB) * GIB;
  const { swapBlocks } = figures;
  // Only the first engine prints them, and some of its runs take none, whatever the default says.
  if (swapBlocks !== undefined) {
    return { bytes: swapBlocks > 0 ? bytes : 0, blocks: { kind: 'known', value: swapBlocks } };
  }
  if (version === undefined || !isFirstEngine(version)) return undefined;
  if (bytesPerToken.kind === 'unknown') return { bytes, blocks: bytesPerToken };
  const value = Math.floor(bytes / (bytesPerToken.value * blockTokensOf(state)));
  return { bytes, blocks: { ...bytesPerToken, value } };
}

function isFirstEngine(version: string): boolean {
  const state = stateOfFeature('vllm.v1', version);
  return state === 'no' || state === 'asked';
}
