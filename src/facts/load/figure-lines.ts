import type { Cited } from '../../model/engine-reader.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit, lineOfFailure } from '../evidence/weigh.ts';

/** A figure in the lines that engines print of their load; `plus`: what stands elsewhere in the line and belongs to it. */
export type FigureLine = { readonly pattern: RegExp; readonly factor: number; readonly plus?: RegExp };

// vLLM V0 and V1 (loggers.py, metrics.py), SGLang (scheduler metrics), vllm.rs. Who is being prefilled is not among the running
// ones of SGLang's line (scheduler_metrics_mixin.py, log_prefill_stats).
export const RUNNING: readonly FigureLine[] = [
  {
    pattern: /Running: (\d+) reqs|#running-req: (\d+)|\(num_running_reqs=(\d+)/,
    factor: 1,
    plus: /#new-seq: (\d+)/,
  },
];
export const WAITING: readonly FigureLine[] = [
  { pattern: /(?:Waiting|Pending): (\d+) reqs|#queue-req: (\d+)| num_waiting_reqs=(\d+)/, factor: 1 },
];
export const KV_SHARE: readonly FigureLine[] = [
  { pattern: /GPU KV cache usage: ([\d.]+)%|Kvcache: [^,]{0,60}, used ([\d.]+)%/, factor: 0.01 },
  { pattern: /token usage: ([\d.]+)| (?:gpu|kv)_cache_usage=([\d.]+(?:e-\d+)?)/, factor: 1 },
];

/** The last such line before the failure: later ones report an engine that is already dying. */
export function lastFigure(evidence: Evidence, figures: readonly FigureLine[]): Cited<number> | undefined {
  const failed = lineOfFailure(evidence.weighing, evidence.log.main) ?? Number.POSITIVE_INFINITY;
  const before = evidence.weighing.all.filter(({ hit }) => hit.line <= failed);
  for (const weighed of before.toReversed()) {
    for (const { pattern, factor, plus } of figures) {
      const digits = pattern
        .exec(weighed.hit.clean)
        ?.slice(1)
        .find((group) => group !== undefined);
      const more = Number(plus?.exec(weighed.hit.clean)?.[1] ?? 0);
      if (digits !== undefined) return { value: round(Number(digits) * factor) + more, from: citeHit(weighed) };
    }
  }
  return undefined;
}

// 97.5% times 0.01 has dust behind the comma.
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
