import type { FactEntry } from '../model/fact.ts';

const ARGS = 'the engine arguments (pod.json, args.txt or the start of the log)';
const OOM_LINE = 'the full OOM line of the log';
const REFUSAL = 'the line in which the engine refuses to start because the KV cache is too small';
const RAISING = `${REFUSAL}, gpu-memory-utilization and the memory of the GPU`;
const LOWERING = `${OOM_LINE} and ${ARGS}`;
const START = 'the size of the KV cache at the start of the log';
const LAYERS = 'the load lines of llama.cpp, up to the buffer that it could not allocate';

/** Values of arguments that the numbers of an incident lead to: each is computed by `adviseArguments`. */
export const ADVICE_FACTS: readonly FactEntry[] = [
  {
    id: 'advice.max-model-len',
    unit: 'tokens',
    says: '95% of the longest sequence that fits the KV cache',
    needs: REFUSAL,
  },
  {
    id: 'advice.utilization-raise',
    unit: 'share',
    says: 'gpu-memory-utilization that adds the missing KV cache, if this GPU allows it',
    needs: RAISING,
  },
  {
    id: 'advice.utilization-highest',
    unit: 'share',
    says: 'highest gpu-memory-utilization that leaves enough outside the pool on this GPU',
    needs: RAISING,
  },
  {
    id: 'advice.raising-fits',
    unit: 'yes-no',
    says: 'the gpu-memory-utilization that adds the missing KV cache leaves enough outside the pool',
    needs: RAISING,
  },
  {
    id: 'advice.utilization-wanted',
    unit: 'share',
    says: 'gpu-memory-utilization that leaves twice the missing memory outside the pool, at least a step less',
    needs: LOWERING,
  },
  {
    id: 'advice.utilization-lower',
    unit: 'share',
    says: 'the same, unless the figures show that the engine would not start',
    needs: LOWERING,
  },
  {
    id: 'advice.lowering-fits',
    unit: 'yes-no',
    says: 'with it the KV cache still holds one sequence of the maximum length',
    needs: `${LOWERING}, and ${START}`,
  },
  {
    id: 'advice.max-model-len-lowered',
    unit: 'tokens',
    says: '95% of the longest sequence that the KV cache would hold with it, if the current one does not fit',
    needs: `${LOWERING}, and ${START}`,
  },
  {
    id: 'advice.utilization-fit',
    unit: 'share',
    says: 'gpu-memory-utilization that fits the memory free at startup',
    needs: 'the free-memory check in the startup log',
  },
  {
    id: 'advice.gpu-layers',
    unit: 'count',
    says: 'layers that fit on the GPU, each with its part of the KV cache, with 1 GiB or more to spare',
    needs: LAYERS,
  },
  {
    id: 'advice.context-fit',
    unit: 'tokens',
    says: 'context of llama.cpp or Ollama whose KV cache fits next to the weights, with 1 GiB to spare',
    needs: `the line that names the buffer, the weights, the memory of the GPU, and ${ARGS}`,
  },
  {
    id: 'advice.max-num-seqs',
    unit: 'count',
    says: 'half of the configured sequences per batch, or of those running when it failed',
    needs: ARGS,
  },
  {
    id: 'advice.max-batched-tokens',
    unit: 'tokens',
    says: 'half of the configured tokens per step, or the minimum of the engine',
    needs: ARGS,
  },
  {
    id: 'advice.max-input-tokens',
    unit: 'tokens',
    says: 'longest input that fits such a step, if the current one may be longer',
    needs: ARGS,
  },
];
