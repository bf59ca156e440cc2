import type { FactEntry } from '../../model/fact.ts';
import { ARGS, OOM_LINE } from '../needs.ts';

const REFUSAL = 'the line in which the engine refuses for want of KV room';

const RAISING = `${REFUSAL}, the fraction and the memory of the GPU`;
const LOWERING = `${OOM_LINE} and ${ARGS}`;
const LAYERS = 'the lines in which llama.cpp loads the model, up to the buffer that it did not get';
const START = 'the size of the KV cache at the start of the log';

/** Values of arguments that the numbers of this incident lead to. */
export const ADVICE_FACTS: readonly FactEntry[] = [
  {
    id: 'advice.max-model-len',
    unit: 'tokens',
    says: '95 % of the longest sequence that the KV room holds',
    needs: REFUSAL,
  },
  {
    id: 'advice.utilization-highest',
    unit: 'share',
    says: 'highest fraction that leaves enough outside on this card',
    needs: RAISING,
  },
  {
    id: 'advice.raising-fits',
    unit: 'yes-no',
    says: 'the fraction that would give the missing KV room leaves enough outside',
    needs: RAISING,
  },
  {
    id: 'advice.utilization-wanted',
    unit: 'share',
    says: 'fraction that leaves twice the missing memory outside, at least a step less',
    needs: LOWERING,
  },
  {
    id: 'advice.utilization-lower',
    unit: 'share',
    says: 'the same, unless the figures show that the engine would not start with it',
    needs: LOWERING,
  },
  {
    id: 'advice.lowering-fits',
    unit: 'yes-no',
    says: 'with that fraction the KV cache still holds one sequence of the maximum length',
    needs: `${LOWERING}, and ${START}`,
  },
  {
    id: 'advice.max-model-len-lowered',
    unit: 'tokens',
    says: '95 % of the longest sequence that the KV cache would hold with that fraction, where the one in force does not fit',
    needs: `${LOWERING}, and ${START}`,
  },
  {
    id: 'advice.utilization-fit',
    unit: 'share',
    says: 'fraction that fits into what was free at the start',
    needs: 'the line of the free-memory check at the start of the engine',
  },
  {
    id: 'advice.gpu-layers',
    unit: 'count',
    says: 'layers that fit on the GPU, each with its part of the KV cache, and 1 GiB or more beside them',
    needs: LAYERS,
  },
  {
    id: 'advice.max-num-seqs',
    unit: 'count',
    says: 'half of the sequences in a batch that are configured, or that ran where it failed while serving',
    needs: ARGS,
  },
  {
    id: 'advice.max-batched-tokens',
    unit: 'tokens',
    says: 'half of the configured tokens of one pass, or as few as the engine takes',
    needs: ARGS,
  },
  {
    id: 'advice.max-input-tokens',
    unit: 'tokens',
    says: 'the longest input that such a pass holds, where the one in force may be longer',
    needs: ARGS,
  },
];
