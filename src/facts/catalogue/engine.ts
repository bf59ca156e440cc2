import { MILESTONES } from '../../model/engine-reader.ts';
import type { FactEntry } from '../../model/fact.ts';
import { SET_BY } from '../../model/knob-spelling.ts';
import { ARGS, LEDGER, LOG } from '../needs.ts';

const LOAD = 'the lines in which llama.cpp loads the model';

/** The engine: what it is, what it was told, how far it came. */
export const ENGINE_FACTS: readonly FactEntry[] = [
  { id: 'engine.name', unit: 'text', says: 'inference engine', needs: LOG },
  { id: 'engine.model', unit: 'text', says: 'model that it was told to serve', needs: ARGS },
  { id: 'engine.version', unit: 'text', says: 'version of the engine', needs: LOG },
  {
    id: 'engine.generation',
    unit: 'choice',
    values: ['V0', 'V1'],
    says: 'which of the two engines of vLLM runs',
    needs: LOG,
  },
  { id: 'engine.kv-token-bytes', unit: 'bytes', says: 'what one token takes of the KV cache', needs: LOG },
  { id: 'engine.gpu-layers', unit: 'count', says: 'layers on the GPU', needs: LOAD },
  { id: 'engine.model-layers', unit: 'count', says: 'layers of the model, with its output layer', needs: LOAD },
  { id: 'engine.kv-width', unit: 'count', says: 'values that one layer keeps of a token in the KV cache', needs: LOAD },
  {
    id: 'engine.devices',
    unit: 'count',
    says: 'devices of llama.cpp or Ollama: as the load names them, else as --tensor-split or the pod counts them',
    needs: LOAD,
  },
  {
    id: 'engine.failed-buffer',
    unit: 'choice',
    values: ['weights', 'cache', 'compute'],
    says: 'what the refused buffer was for',
    needs: LOG,
  },
  {
    id: 'engine.set-by',
    unit: 'choice',
    values: [...SET_BY],
    says: 'where TensorRT-LLM has its limits from: arguments of trtllm-serve, a file, the built engine, the model repository of Triton',
    needs: `${ARGS}, or the start of the log`,
  },
  {
    id: 'engine.last-milestone',
    unit: 'choice',
    values: ['none', ...MILESTONES],
    says: 'how far the start came, by the log',
    needs: LOG,
  },
  {
    id: 'engine.became-ready',
    unit: 'yes-no',
    says: 'the instance that died had become ready',
    saysNot: 'the instance that died had not become ready',
    needs: 'the start of the log, or the readiness times of the pod',
  },
  {
    id: 'engine.trial-run',
    unit: 'yes-no',
    says: 'the engine runs a batch of its own before it serves',
    needs: 'the name of the engine',
  },
  {
    id: 'engine.hands-over',
    unit: 'yes-no',
    says: 'it hands each request to the model as it comes: nothing is tried and no pool is taken before the first one',
    needs: 'the name of the engine',
  },
  { id: 'engine.weights', unit: 'bytes', says: 'weights per GPU, by the engine', needs: LEDGER },
  {
    id: 'engine.activations',
    unit: 'bytes',
    says: 'peak of activations per GPU, by the engine',
    needs: LOG,
  },
  {
    id: 'engine.non-torch',
    unit: 'bytes',
    says: 'memory of the engine outside the allocator of its tensors, by the engine',
    needs: LOG,
  },
  { id: 'engine.graphs', unit: 'bytes', says: 'CUDA graphs per GPU, by the engine', needs: LEDGER },
  {
    id: 'engine.kv-available',
    unit: 'bytes',
    says: 'room for the KV cache, by the engine',
    needs: LEDGER,
  },
  {
    id: 'engine.kv-needed',
    unit: 'bytes',
    says: 'KV cache for one sequence of the maximum length, by the engine',
    needs: LOG,
  },
  {
    id: 'engine.estimated-max-len',
    unit: 'tokens',
    says: 'longest sequence that would fit, by the engine',
    needs: LOG,
  },
  {
    id: 'engine.least-fraction',
    unit: 'share',
    says: 'the memory fraction below which it can not start, by the engine',
    needs: LOG,
  },
  { id: 'engine.kv-blocks', unit: 'count', says: 'blocks of the KV pool, by the engine', needs: LEDGER },
  { id: 'engine.kv-tokens', unit: 'tokens', says: 'size of the KV pool, by the engine', needs: LEDGER },
  {
    id: 'engine.kv-holds-one',
    unit: 'yes-no',
    says: 'the KV pool holds one request of the maximum length',
    needs: LOG,
  },
  {
    id: 'engine.free-after-start',
    unit: 'bytes',
    says: 'free on the GPU when the engine had started, by the engine',
    needs: LEDGER,
  },
  { id: 'engine.max-model-len', unit: 'tokens', says: 'maximum length of a sequence', needs: ARGS },
  { id: 'engine.max-num-seqs', unit: 'count', says: 'sequences in a batch at most', needs: ARGS },
  {
    id: 'engine.max-batched-tokens',
    unit: 'tokens',
    says: 'tokens of a pass at most',
    needs: ARGS,
  },
  { id: 'engine.utilization', unit: 'share', says: 'fraction of GPU memory that the engine may take', needs: ARGS },
  {
    id: 'engine.ranks',
    unit: 'count',
    says: 'ranks of the engine on all nodes (tensor, pipeline and sequence parallel)',
    needs: ARGS,
  },
  {
    id: 'engine.multimodal',
    unit: 'yes-no',
    says: 'the model or its arguments speak of images, video or audio',
    needs: ARGS,
  },
  {
    id: 'engine.embeds',
    unit: 'yes-no',
    says: 'it embeds, ranks or classifies, and keeps no KV cache between steps',
    needs: ARGS,
  },
];
