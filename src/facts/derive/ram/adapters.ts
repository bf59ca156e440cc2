import type { Fact } from '../../../model/fact.ts';
import { effectiveArgument, parseCount } from '../../arguments.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { lastLine } from '../weigh/tail-lines.ts';
import { citeHit } from '../weigh/weigh.ts';

// One that is loaded may be the first; the second shows that they come as they are asked for.
const SEVERAL = 2;

/**
 * Whether adapters are loaded one after the other into an engine that keeps those of old in RAM, beside the few that lie on
 * the card: SGLang without a number unless it is told one, vLLM as many as it is told (srt/lora/lora_manager.py;
 * vllm/lora/model_manager.py, capacity).
 */
export function readAdaptersPileUp(evidence: Evidence): Fact | undefined {
  const { weighing, engine, args, log } = evidence;
  const last = lastLine(log.main);
  const loaded = weighing.all.filter(({ phrase }) => phrase.id === 'lora.loaded');
  const latest = loaded.at(-1);
  const names = new Set(loaded.map(({ hit }) => hit.captures.adapter));
  if (names.size < SEVERAL || latest === undefined) return last && fact(false, [last]);
  if (engine.engine === 'sglang') return fact(true, [citeHit(latest)]);
  const kept = effectiveArgument(args, '--max-cpu-loras');
  const onCard = effectiveArgument(args, '--max-loras');
  const more = (parseCount(kept?.value ?? null) ?? 0) > (parseCount(onCard?.value ?? null) ?? 1);
  return kept !== undefined && more ? fact(true, [kept.from, citeHit(latest)]) : last && fact(false, [last]);
}
