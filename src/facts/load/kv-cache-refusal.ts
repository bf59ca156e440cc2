import { defineFacts } from '../define.ts';
import { fact } from '../draft.ts';
import { citeHit } from '../evidence/weigh.ts';
import { LOG } from '../needs.ts';

// The pool is fixed: what does not fit into it is no allocation that the device refused.
const POOL =
  /^(?:vllm\.run\.(?:no-free-blocks(?:-v0)?|few-blocks)|sglang\.run\.(?:pool-exhausted|alloc|no-space-one)|lmdeploy\.run\.(?:blocks|sequence-blocks)|trtllm\.run\.no-free-blocks)$/;

/** Whether the KV pool had no space for a request. */
export const KV_CACHE_REFUSAL_FACTS = defineFacts(
  {
    'kv-cache.refused': {
      unit: 'yes-no',
      says: 'the KV pool had no space for what a request needed; no allocation failed',
      needs: LOG,
    },
  },
  ({ weighing: { decisive } }) => ({
    'kv-cache.refused': decisive && fact(POOL.test(decisive.phrase.id), [citeHit(decisive)]),
  }),
);
