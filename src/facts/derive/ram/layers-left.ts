import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import type { Evidence } from '../evidence.ts';
import { citeHit } from '../weigh/weigh.ts';

// `memory.required.full="136.3 GiB"` (ollama/ollama llm/memory.go): the whole model with its cache and work space.
const WHOLE = /\bmemory\.required\.full="([\d.]{1,24} [KMGT]?i?B)"/;

/** The layers that Ollama plans to keep in RAM, and how much the whole model takes; known only where there are any. */
export function readLayersLeft({ weighing }: Pick<Evidence, 'weighing'>): Fact | undefined {
  const plan = weighing.all.findLast(({ phrase }) => phrase.id === 'ollama.num.offload');
  const [layers, onGpu] = [Number(plan?.hit.captures.layers), Number(plan?.hit.captures.offload)];
  if (plan === undefined || !(layers > onGpu)) return undefined;
  const whole = WHOLE.exec(plan.hit.text)?.[1];
  const model = whole === undefined ? 'the model' : `a model that takes ${whole}`;
  return known(`${layers - onGpu} of the ${layers} layers of ${model}`, citeHit(plan));
}
