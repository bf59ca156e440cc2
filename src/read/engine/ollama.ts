import { LLAMA_LEDGER, LLAMA_MILESTONES } from './llama-cpp.ts';
import { createReader } from './reader.ts';

const ofDevice = (what: string) => [
  {
    id: 'ollama.num.device',
    capture: 'size',
    isSize: true,
    each: 'device',
    where: ({ captures }: { readonly captures: Readonly<Record<string, string>> }) =>
      captures.what === what && captures.device !== 'CPU',
  },
];
// Without a card it prints the memory of the node in the same words.
const DEVICE = {
  id: 'ollama.num.compute',
  isSize: true,
  where: ({ captures }: { readonly captures: Readonly<Record<string, string>> }) => captures.library !== 'cpu',
};
const planned = (capture: string) => [{ id: 'ollama.num.plan', capture, isSize: true }];

/** Ollama: what its runner prints, be it its own or llama.cpp, before what its scheduler planned. */
export const ollamaReader = createReader({
  engine: 'ollama',
  name: /(?:^|[/._-])ollama(?:$|[/._-])/i,
  image: /ollama/i,
  phrases: /^(?:ollama\.|phase\.ollama-)/,
  versions: ['ollama.cfg.version'],
  // Its runner reserves by arithmetic, as llama.cpp does.
  trialRun: false,
  milestones: {
    started: ['ollama.cfg.version'],
    'load-begin': ['phase.ollama-load', ...LLAMA_MILESTONES['load-begin']],
    'load-end': LLAMA_MILESTONES['load-end'],
    'kv-allocated': LLAMA_MILESTONES['kv-allocated'],
    ready: ['phase.ollama-started'],
    served: ['phase.ollama-served'],
  },
  figures: {
    totalBytes: [{ ...DEVICE, capture: 'total' }],
    freeBytes: [{ ...DEVICE, capture: 'free' }],
    weightsBytes: [...ofDevice('model weights'), ...(LLAMA_LEDGER.weightsBytes ?? []), ...planned('weights')],
    kvBytes: [...ofDevice('kv cache'), ...(LLAMA_LEDGER.kvBytes ?? []), ...planned('kv')],
    activationBytes: [...ofDevice('compute graph'), ...(LLAMA_LEDGER.activationBytes ?? []), ...planned('graph')],
    kvTokens: LLAMA_LEDGER.kvTokens ?? [],
    maxModelLen: LLAMA_LEDGER.maxModelLen ?? [],
    gpuLayers: LLAMA_LEDGER.gpuLayers ?? [],
    modelLayers: LLAMA_LEDGER.modelLayers ?? [],
    kvWidth: LLAMA_LEDGER.kvWidth ?? [],
    loadFreeBytes: LLAMA_LEDGER.loadFreeBytes ?? [],
  },
});
