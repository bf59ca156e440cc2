import { GIB } from '../../model/quantity.ts';
import { createReader } from './reader.ts';

/** SGLang. Its "GB" are GiB; a rank prints its own lines, of which the first of each kind is read. */
export const sglangReader = createReader({
  engine: 'sglang',
  name: /(?:^|[/._-])sglang(?:$|[/._-])/i,
  image: /sglang/i,
  phrases: /^(?:sglang\.|phase\.sglang-)/,
  warmsUpByRequest: true,
  // The pool is sized by what the load left free (model_executor/model_runner.py, profile_max_num_token).
  trialRun: false,
  milestones: {
    started: ['sglang.cfg.server-args'],
    'load-begin': ['sglang.num.weights-begin', 'phase.sglang-shards', 'phase.vllm-shards'],
    'load-end': ['sglang.num.weights'],
    'kv-allocated': ['sglang.num.kv', 'sglang.num.pool-end', 'sglang.num.kv-post-capture'],
    'graphs-begin': ['phase.sglang-capture-begin', 'vllm.graph.progress'],
    'graphs-end': ['sglang.num.graph-end'],
    ready: ['phase.sglang-ready'],
    served: ['sglang.num.decode-batch', 'phase.http-served'],
  },
  figures: {
    weightsBytes: [{ id: 'sglang.num.weights', capture: 'used', factor: GIB }],
    loadFreeBytes: [{ id: 'sglang.num.weights-begin', capture: 'avail', factor: GIB }],
    // A draft model is loaded after the first, and its weights count as well.
    loadLeftBytes: [{ id: 'sglang.num.weights', capture: 'avail', factor: GIB, isLast: true }],
    kvBytes: [
      { id: 'sglang.num.kv-post-capture', capture: 'kv', factor: GIB },
      { id: 'sglang.num.kv', capture: 'kv', factor: GIB },
      { id: 'sglang.num.kv', capture: 'k', plus: 'v', factor: GIB },
    ],
    // Those of prefill and decode, and of a draft model, are captured apart from 0.5.18 on.
    graphBytes: [{ id: 'sglang.num.graph-end', capture: 'used', factor: GIB, each: 'what' }],
    kvTokens: [
      { id: 'sglang.num.max-total', capture: 'tokens' },
      { id: 'sglang.num.kv-post-capture', capture: 'tokens' },
      { id: 'sglang.num.kv', capture: 'tokens' },
    ],
    freeBytes: [
      { id: 'sglang.num.max-total', capture: 'avail', factor: GIB },
      { id: 'sglang.num.graph-end', capture: 'avail', factor: GIB, isLast: true },
      { id: 'sglang.num.pool-end', capture: 'avail', factor: GIB },
    ],
    fraction: [
      { id: 'sglang.start.not-enough', capture: 'fraction' },
      { id: 'sglang.start.weights-leave-none', capture: 'fraction' },
    ],
    leastFraction: [{ id: 'sglang.start.weights-leave-none', capture: 'minimum' }],
    maxModelLen: [{ id: 'sglang.num.max-total', capture: 'ctx' }],
    maxSeqs: [{ id: 'sglang.num.max-total', capture: 'seqs' }],
    batchedTokens: [
      { id: 'sglang.num.max-total', capture: 'chunk', where: ({ captures }) => Number(captures.chunk) > 0 },
      { id: 'sglang.num.max-total', capture: 'prefill' },
    ],
  },
});
