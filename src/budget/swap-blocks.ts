import type { SwapBudget } from '../model/budget.ts';
import { stateOfFeature } from '../model/feature-table.ts';
import { GIB } from '../model/quantity.ts';
import { settingOf } from './figures.ts';
import { blockTokensOf, type EngineState } from './outcome.ts';
import { type Reckoned, reckon } from './reckoned.ts';

// vllm/config.py and vllm/worker/cache_engine.py of the first engine (V0).
const DEFAULT_GIB = 4;

/** KV blocks that vLLM pins in host memory for each GPU at its start; undefined for an engine that has none. */
export function swapOf(state: EngineState, bytesPerToken: Reckoned): SwapBudget | undefined {
  const { engine, version, settings } = state;
  if (engine !== 'vllm' || version === undefined || !isFirstEngine(version)) return undefined;
  const bytes = (settingOf(engine, settings, '--swap-space')?.number ?? DEFAULT_GIB) * GIB;
  const each = bytesPerToken.kind === 'known' ? bytesPerToken.value : undefined;
  const blocks = reckon({ 'KV bytes per token': each }, (of) =>
    Math.floor(bytes / (of['KV bytes per token'] * blockTokensOf(state))),
  );
  return { bytes, blocks };
}

function isFirstEngine(version: string): boolean {
  const state = stateOfFeature('vllm.v1', version);
  return state === 'no' || state === 'asked';
}
