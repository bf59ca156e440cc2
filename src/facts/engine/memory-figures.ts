import type { Fact } from '../../model/fact.ts';
import { known } from '../../read/cluster/reading.ts';
import { effectiveArgument, parseCount } from '../../read/engine/arguments.ts';
import { defineFacts } from '../define.ts';
import { fact, factOf } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { LEDGER, LOG } from '../needs.ts';
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
    'engine.kv-holds-one': {
      unit: 'yes-no',
      says: 'the KV pool holds one request of the maximum length',
      needs: LOG,
    },
    'engine.gpu-layers': { unit: 'count', says: 'layers on the GPU', needs: LOAD },
    'engine.model-layers': { unit: 'count', says: 'layers of the model, with its output layer', needs: LOAD },
  },
  (evidence) => {
    const { figures } = evidence.engine;
    const shown = readGauges(evidence);
    const layers = isSizedByBuffers(evidence.engine.engine) ? readLayers(evidence) : undefined;
    return {
      'engine.weights': factOf(figures.weightsBytes ?? shown.weights),
      'engine.non-torch': factOf(figures.nonTorchBytes),
      'engine.graphs': factOf(figures.graphBytes ?? shown.graphs),
      'engine.kv-available': factOf(figures.kvBytes ?? shown.kvBytes),
      'engine.kv-needed': factOf(figures.kvNeededBytes),
      'engine.estimated-max-len': factOf(figures.estimatedMaxLen),
      'engine.kv-tokens': factOf(figures.kvTokens ?? shown.kvTokens),
      'engine.kv-holds-one': holdsOne(evidence),
      'engine.gpu-layers': factOf(layers?.onGpu),
      'engine.model-layers': factOf(layers?.all),
    };
  },
);

// The pool against one request of the maximum length: by the engine's own ratio, else by tokens, else by bytes.
function holdsOne({ engine, args }: Evidence): Fact | undefined {
  const { maxConcurrency, kvTokens, kvBytes } = engine.figures;
  if (kvBytes !== undefined && kvBytes.value <= 0) return known(false, kvBytes.from);
  if (kvTokens?.value === 0) return known(false, kvTokens.from);
  if (maxConcurrency !== undefined) return known(maxConcurrency.value >= 1, maxConcurrency.from);
  const length = effectiveArgument(args, '--max-model-len');
  const tokens = length && parseCount(length.value);
  if (kvTokens === undefined || length === undefined || tokens === undefined) return undefined;
  return fact(kvTokens.value >= tokens, [kvTokens.from, length.from]);
}
