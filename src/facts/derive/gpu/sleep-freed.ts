import type { Fact } from '../../../model/fact.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { citeHit, lineOfFailure } from '../weigh/weigh.ts';

/**
 * Which part of the memory in use on the card the last sleep before the failure gave back
 * (vllm-project/vllm v1/worker/gpu_worker.py, sleep: what was freed, and what is in use after it by all).
 */
export function readSleepFreed({ weighing, log }: Pick<Evidence, 'weighing' | 'log'>): Fact | undefined {
  const failed = lineOfFailure(weighing, log.main) ?? Number.POSITIVE_INFINITY;
  const last = weighing.all.findLast(({ phrase, hit }) => phrase.id === 'vllm.num.sleep' && hit.line <= failed);
  if (last === undefined) return undefined;
  const freed = Number(last.hit.captures.freed);
  const before = freed + Number(last.hit.captures.used);
  return before > 0 ? fact(freed / before, [citeHit(last)]) : undefined;
}
