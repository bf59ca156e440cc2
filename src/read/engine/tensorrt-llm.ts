import type { EngineReading } from '../../model/engine-reader.ts';
import { GIB, MIB } from '../../model/quantity.ts';
import type { PlacedHit } from './figures.ts';
import { createReader } from './reader.ts';

const ofModel = (what: string) => ({
  id: 'trtllm.num.model',
  capture: 'n',
  where: (hit: { readonly captures: Readonly<Record<string, string>> }) => hit.captures.what === what,
});

const LOADED = ['trtllm.num.loaded', 'trtllm.num.weights'];
const BEGINS: ReadonlySet<string> = new Set(['started', 'load-begin']);

// A draft model, or another rank: its engine is read from the file when the first is on the device already.
function loadsAnother(reading: EngineReading, hits: readonly PlacedHit[]): EngineReading {
  const size = hits.findLastIndex(({ hit }) => hit.id === 'trtllm.num.engine-size');
  const loaded = hits.findLastIndex(({ hit }) => LOADED.includes(hit.id));
  const goesOn = reading.milestones.some(({ milestone }) => !BEGINS.has(milestone) && milestone !== 'load-end');
  if (goesOn || loaded === -1 || size < loaded || hits[size]?.file !== hits[loaded]?.file) return reading;
  return { ...reading, milestones: reading.milestones.filter(({ milestone }) => BEGINS.has(milestone)) };
}

/** TensorRT-LLM: the C++ runtime with built engines, behind Triton or not, and the PyTorch backend of trtllm-serve. */
export const tensorrtLlmReader = createReader({
  engine: 'tensorrt-llm',
  name: /tensorrt[-_]?llm|(?:^|[/._-])trt-?llm/i,
  image: /tensorrt-?llm|trt-?llm/i,
  phrases: /^trtllm\./,
  versions: ['trtllm.cfg.version', 'trtllm.cfg.engine-version'],
  // The PyTorch backend estimates its pool by requests of its own (_torch/pyexecutor/_util.py).
  trialRun: true,
  milestones: {
    started: ['trtllm.cfg.version', 'trtllm.cfg.engine-version'],
    'load-begin': ['trtllm.num.model', 'trtllm.num.engine-size', 'triton.num.loading'],
    'load-end': LOADED,
    profiled: ['trtllm.num.profiled', 'trtllm.when.pool'],
    'kv-allocated': ['trtllm.num.kv'],
    'graphs-begin': ['trtllm.num.graph-warmup'],
    ready: ['phase.uvicorn-ready', 'phase.triton-ready'],
    served: ['phase.http-served'],
  },
  figures: {
    totalBytes: [
      { id: 'trtllm.num.profiled', capture: 'total', factor: GIB },
      {
        id: 'trtllm.start.component-memory',
        capture: 'gib',
        factor: GIB,
        where: (hit) => hit.captures.what?.startsWith('Total') === true,
      },
    ],
    weightsBytes: [
      { id: 'trtllm.num.weights', capture: 'gib', factor: GIB },
      { id: 'trtllm.num.engine-size', capture: 'mib', factor: MIB },
    ],
    activationBytes: [
      { id: 'trtllm.num.activations', capture: 'gib', factor: GIB },
      {
        id: 'trtllm.num.memusage',
        capture: 'mib',
        factor: MIB,
        where: (hit) => hit.captures.unit === 'MiB' && hit.captures.what === 'execution context memory',
      },
    ],
    nonTorchBytes: [{ id: 'trtllm.num.outside', capture: 'gib', factor: GIB }],
    kvBytes: [
      { id: 'trtllm.num.kv', capture: 'gib', factor: GIB, isLast: true },
      { id: 'trtllm.num.profiled', capture: 'kv', factor: GIB },
    ],
    kvTokenBytes: [{ id: 'trtllm.num.profiled', capture: 'each', isLast: true }],
    kvTokens: [{ id: 'trtllm.num.kv', capture: 'tokens', isLast: true }],
    maxModelLen: [ofModel('maxSequenceLen')],
    maxSeqs: [ofModel('maxBatchSize')],
    batchedTokens: [ofModel('maxNumTokens')],
  },
  complete: loadsAnother,
});
