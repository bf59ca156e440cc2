import { MIB } from '../../model/quantity.ts';
import type { FigureTable } from './figures.ts';
import { createReader } from './reader.ts';

// Buffers of the processor and page-locked ones are host memory.
const onDevice = (hit: { readonly captures: Readonly<Record<string, string>> }) =>
  !/^CPU|_Host$|^BLAS/.test(hit.captures.buf ?? 'CPU');

const buffer = (id: string) => [{ id, capture: 'mib', factor: MIB, each: 'buf', where: onDevice }];

/** The ledger of llama.cpp: one line for each buffer of each device, summed over the devices. */
export const LLAMA_LEDGER: FigureTable = {
  weightsBytes: buffer('llamacpp.num.weights'),
  kvBytes: buffer('llamacpp.num.kv-buffer'),
  activationBytes: buffer('llamacpp.num.compute'),
  kvTokens: [{ id: 'llamacpp.num.kv', capture: 'cells' }],
  maxModelLen: [{ id: 'llamacpp.num.context', capture: 'tokens' }],
  gpuLayers: [{ id: 'llamacpp.num.offload', capture: 'offload' }],
  modelLayers: [{ id: 'llamacpp.num.offload', capture: 'layers' }],
  kvWidth: [{ id: 'llamacpp.num.kv-width', capture: 'n', each: 'what' }],
  loadFreeBytes: [{ id: 'llamacpp.num.free', capture: 'mib', factor: MIB, each: 'buf' }],
};

/** The start of llama.cpp; the buffers of the weights are told before they are filled (llama_model::load_tensors). */
export const LLAMA_MILESTONES = {
  'load-begin': ['phase.llamacpp-model', 'phase.llamacpp-load', 'llamacpp.num.weights'],
  'load-end': ['llamacpp.num.context'],
  'kv-allocated': ['llamacpp.num.kv', 'llamacpp.num.kv-buffer'],
};

/** The server of llama.cpp. */
export const llamaCppReader = createReader({
  engine: 'llama.cpp',
  name: /llama[._-]?(?:cpp|server|cli)/i,
  image: /llama[._-]?cpp/i,
  phrases: /^(?:llamacpp\.|phase\.llamacpp-)/,
  versions: ['llamacpp.cfg.build'],
  // Cache and compute buffers are sized by arithmetic (llama_context, graph_reserve).
  trialRun: false,
  milestones: {
    started: ['llamacpp.cfg.build'],
    ...LLAMA_MILESTONES,
    profiled: ['llamacpp.num.compute'],
    ready: ['phase.llamacpp-ready'],
    served: ['phase.llamacpp-served'],
  },
  figures: LLAMA_LEDGER,
});
