import type { Fact } from '../../../model/fact.ts';
import { citedNumber, type Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';

// The pool fills the fraction to within a hundredth or two; context, graphs and work space come on top.

/**
 * Whether what others hold on the card is the engine's own: one has the fraction that it was told to take, or as many as it
 * has ranks were forked one after the other. Then the one that failed is a helper beside them, such as the front end that
 * prepares images (sgl-project/sglang srt/managers/tokenizer_manager.py; vllm-project/vllm vllm/multimodal/processing.py).
 */
export function deriveBesideOwn(
  { account }: Pick<Evidence, 'account'>,
  told: Readonly<Record<string, Fact | undefined>>,
): Group {
  const { total, others = [] } = account ?? {};
  const [fraction, ranks] = [citedNumber(told['engine.utilization']), citedNumber(told['engine.ranks'])];
  const largest = others.toSorted((a, b) => b.value - a.value)[0];
  if (largest === undefined || total === undefined) return {};
  return {};
}
