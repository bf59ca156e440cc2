import type { FactEntry } from '../../model/fact.ts';
import { ARGS, LOG } from '../needs.ts';

const NAME = `${LOG}, or the image: it names the engine and its version`;
const knob = (id: string, says: string): FactEntry => ({
  id: `knob.${id}`,
  unit: 'text',
  says: `what this engine calls ${says}`,
  needs: NAME,
});

/** How the engine at hand calls what a text speaks of, and what engines that size by buffers ask for. */
export const KNOB_FACTS: readonly FactEntry[] = [
  knob('fraction', 'the fraction of GPU memory'),
  knob('length', 'the maximum length'),
  knob('sequences', 'the sequences in a batch'),
  knob('batched-tokens', 'the tokens of one pass'),
  knob('ranks', 'the number of GPUs that share the model; not known on a MIG slice'),
  { id: 'log.named-flags', unit: 'text', says: 'flags that the error itself names', needs: LOG },
  {
    id: 'advice.context-fit',
    unit: 'tokens',
    says: 'context of llama.cpp or Ollama whose KV cache fits beside the weights and 1 GiB',
    needs: `the line that names the buffer, the weights, the memory of the GPU, and ${ARGS}`,
  },
];
