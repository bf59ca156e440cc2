import { hasRole } from '../../model/signature-roles.ts';
import { checkpointShare } from '../evidence/checkpoint.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { factOf } from '../log/draft.ts';
import { LEDGER, LOG } from '../log/needs.ts';
import { readGauges } from './gauges.ts';
import { isSizedByBuffers, readLayers } from './startup-figures.ts';

const LOAD = 'the lines in which llama.cpp loads the model';

/** The engine's own account of the GPU: as it printed it, else as its metrics show it. */
export const ENGINE_MEMORY = defineFacts(
  {
    'engine.weights': { unit: 'bytes', says: 'weights per GPU, by the engine', needs: LEDGER },
    'engine.non-torch': { unit: 'bytes', says: 'memory outside the tensor allocator, by the engine', needs: LOG },
    'engine.graphs': { unit: 'bytes', says: 'CUDA graphs per GPU, by the engine', needs: LEDGER },
    'engine.kv-available': { unit: 'bytes', says: 'space for the KV cache, by the engine', needs: LEDGER },
    'engine.kv-needed': {
      unit: 'bytes',
      says: 'KV cache for one sequence of the maximum length, by the engine',
      needs: LOG,
    },
    'engine.estimated-max-len': { unit: 'tokens', says: 'longest sequence that would fit, by the engine', needs: LOG },
    'engine.kv-tokens': { unit: 'tokens', says: 'size of the KV pool, by the engine', needs: LEDGER },
    'engine.gpu-layers': { unit: 'count', says: 'layers on the GPU', needs: LOAD },
    'engine.model-layers': { unit: 'count', says: 'layers of the model, with its output layer', needs: LOAD },
  },
  (evidence) => {
    const { figures } = evidence.engine;
    const shown = readGauges(evidence);
    const layers = isSizedByBuffers(evidence.engine.engine) ? readLayers(evidence) : undefined;
    return {
      'engine.weights': factOf(figures.weightsBytes ?? shown.weights ?? checkpointShare(evidence)),
      'engine.non-torch': factOf(figures.nonTorchBytes),
      'engine.graphs': factOf(figures.graphBytes ?? shown.graphs),
      'engine.kv-available': isPartly(evidence) ? undefined : factOf(figures.kvBytes ?? shown.kvBytes),
      'engine.kv-needed': factOf(figures.kvNeededBytes),
      'engine.estimated-max-len': factOf(figures.estimatedMaxLen),
      'engine.kv-tokens': factOf(figures.kvTokens ?? shown.kvTokens),
      'engine.gpu-layers': factOf(layers?.onGpu),
      'engine.model-layers': factOf(layers?.all),
    };
  },
);

// llama.cpp prints the part on each GPU as it allocates it: once one is refused, the figures are of the GPUs before it.
function isPartly({ weighing }: Evidence): boolean {
  return weighing.all.some(({ signature }) => hasRole(signature, 'refuses-cache'));
}
