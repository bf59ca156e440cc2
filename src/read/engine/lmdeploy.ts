import { MIB } from '../../model/quantity.ts';
import { createReader } from './reader.ts';

const ofBlocks = (what: string) => ({
  id: 'lmdeploy.tm.block-manager',
  capture: 'n',
  where: (hit: { readonly captures: Readonly<Record<string, string>> }) => hit.captures.what === what,
});

/** LMDeploy with its engines TurboMind and PyTorch. Below its default log level it says little. */
export const lmdeployReader = createReader({
  engine: 'lmdeploy',
  name: /lmdeploy|turbomind/i,
  image: /lmdeploy/i,
  phrases: /^(?:lmdeploy\.|phase\.lmdeploy-)/,
  // The pool is a share of what the load left free (pytorch/engine/executor/base.py); warm-ups come after it.
  trialRun: false,
  milestones: {
    started: ['lmdeploy.cfg.backend'],
    'load-begin': ['phase.lmdeploy-load'],
    'graphs-begin': ['phase.lmdeploy-graphs'],
    'kv-allocated': ['lmdeploy.tm.block-manager', 'lmdeploy.tm.budget', 'lmdeploy.num.cache-config'],
    'graphs-end': ['phase.lmdeploy-warmup'],
    ready: ['phase.lmdeploy-ready', 'phase.uvicorn-ready'],
    served: ['phase.http-served'],
  },
  figures: {
    kvBytes: [{ id: 'lmdeploy.tm.budget', capture: 'budget', factor: MIB }],
    freeBytes: [{ id: 'lmdeploy.tm.budget', capture: 'free', factor: MIB }],
    kvBlocks: [{ id: 'lmdeploy.num.cache-config', capture: 'blocks' }, ofBlocks('max_block_count')],
    maxSeqs: [{ id: 'lmdeploy.num.cache-config', capture: 'seqs' }],
    maxModelLen: [{ id: 'lmdeploy.tm.session-truncated', capture: 'to' }],
  },
});
