import type { Cited } from '../../../model/engine-reader.ts';
import type { Fact } from '../../../model/fact.ts';
import { citedNumber, computed, type Group, ratio } from '../draft.ts';

type Told = Readonly<Record<string, Fact | undefined>>;

/**
 * What was asked for against the tokens of the step: of the step that was printed, else of the largest there can be where
 * prompts are cut into chunks. Then it is the least that it can have been. And the step that was printed against the largest.
 */
export function derivePerToken(told: Told): Group {
  const scheduled = citedNumber(told['step.scheduled-tokens']);
  const most = citedNumber(told['engine.max-batched-tokens']);
  return {
    'step.bytes-per-token': computed([citedNumber(told['gpu.want']), scheduled ?? largestChunk(told)], ratio),
    'step.share-of-pass': computed([scheduled, most], ratio),
  };
}

function largestChunk(told: Told): Cited<number> | undefined {
  const [step, length] = [citedNumber(told['engine.max-batched-tokens']), citedNumber(told['engine.max-model-len'])];
  return step !== undefined && length !== undefined && step.value < length.value ? step : undefined;
}
