import type { Evidence } from '../evidence.ts';
import { killReports } from '../log/killed-alone.ts';
import { lastLine, tailLines } from '../weigh/tail-lines.ts';
import { citeHit, type Weighed } from '../weigh/weigh.ts';

// Bars of progress and announcements of a load (huggingface/transformers modeling_utils.py; vllm-project/vllm
// model_loader/weight_utils.py; ggml-org/llama.cpp src/llama-model.cpp).
const LOADS =
  /\b[Ll]oading (?:pt |safetensors )?(?:checkpoint )?shards\b|\b[Ll]oading (?:the )?(?:model|weights)\b|\bload_tensors: /;

/**
 * A kill that ends a log in which the device had refused before, and a load stands between: who loads again was started
 * again, and that run complained of nothing when its shell saw it killed.
 */
export function killedInNextRun(evidence: Evidence): readonly Weighed[] {
  const { weighing, log } = evidence;
  const killed = killReports(evidence).at(-1);
  const refused = weighing.proofs.findLast(({ phrase }) => phrase.plane === 'gpu');
  if (killed === undefined || refused === undefined || log.main === undefined) return [];
  if (killed.hit.line !== lastLine(log.main)?.line || refused.file !== killed.file) return [];
  const again = tailLines(log.main).some(
    ({ line, text }) => line > refused.hit.line && line <= killed.hit.line && LOADS.test(text),
  );
  return again && citeHit(killed).line > refused.hit.line ? [killed] : [];
}
