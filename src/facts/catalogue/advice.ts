import type { FactEntry } from '../../model/fact.ts';
import { ARGS, OOM_LINE } from './needs.ts';

const REFUSAL = 'the line in which the engine refuses for want of KV room';

/** Values of arguments that the numbers of this incident lead to. */
export const ADVICE_FACTS: readonly FactEntry[] = [
  {
    id: 'advice.max-model-len',
    unit: 'tokens',
    says: '95 % of the longest sequence that the KV room holds',
    needs: REFUSAL,
  },
  {
    id: 'advice.utilization-raise',
    unit: 'share',
    says: 'fraction that would give the missing KV room and still leave 1 GiB outside',
    needs: `${REFUSAL}, the fraction and the memory of the GPU`,
  },
  {
    id: 'advice.utilization-lower',
    unit: 'share',
    says: 'fraction that leaves twice the missing memory outside, at least 0.03 less',
    needs: `${OOM_LINE} and ${ARGS}`,
  },
  {
    id: 'advice.utilization-fit',
    unit: 'share',
    says: 'fraction that fits into what was free at the start',
    needs: 'the line of the free-memory check at the start of the engine',
  },
  { id: 'advice.max-num-seqs', unit: 'count', says: 'half of the configured sequences in a batch', needs: ARGS },
  { id: 'advice.max-batched-tokens', unit: 'tokens', says: 'half of the configured tokens of one pass', needs: ARGS },
];
