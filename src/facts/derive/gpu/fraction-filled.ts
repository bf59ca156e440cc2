import type { Cited } from '../../../model/engine-reader.ts';
import type { Fact } from '../../../model/fact.ts';
import { citedNumber, computed, type Group, ratio } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { gpuTotal } from './card.ts';
import { totalAtStart } from './start-checks.ts';

// These may take a fraction of the whole card; TGI, LMDeploy and TensorRT-LLM count what is free at some time.
const OF_THE_CARD: ReadonlySet<string> = new Set(['vllm', 'sglang']);

/**
 * What the process that was refused held, against what its fraction of the card comes to: at 1 the pool has been taken; and
 * what its weights take of that, and beyond it.
 */
export function deriveFractionFilled(evidence: Evidence, told: Readonly<Record<string, Fact | undefined>>): Group {
  if (!OF_THE_CARD.has(evidence.engine.engine)) return {};
  const fraction = citedNumber(told['engine.utilization']);
  const total = totalAtStart(evidence) ?? gpuTotal(evidence);
  return {
    'engine.weights-over': computed([citedNumber(told['engine.weights']), fraction, total], (weights, part, of) =>
      part > 0 && weights > part * of ? weights - part * of : undefined,
    ),
    'gpu.weights-of-fraction': computed([citedNumber(told['gpu.weights-share']), fraction], ratio),
    'gpu.fraction-filled': computed([ownOf(evidence), fraction, gpuTotal(evidence)], (own, part, total) =>
      part > 0 && total > 0 ? own / (part * total) : undefined,
    ),
  };
}

// Older sentences name no process: what PyTorch reserved is its lower bound.
function ownOf({ account }: Evidence): Cited<number> | undefined {
  const { ownProcess, allocated, reservedUnallocated } = account ?? {};
  if (ownProcess !== undefined || allocated === undefined) return ownProcess;
  return { ...allocated, value: allocated.value + (reservedUnallocated?.value ?? 0) };
}
