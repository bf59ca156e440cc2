import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const REFUSED =
  "ValueError: To serve at least one request with the models's max seq len (262144), (24.0 GiB KV cache is needed, which is larger than the available KV cache memory (3.18 GiB). Based on the available memory, the estimated maximum model length is 34736. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.\n";
const UNLIKE = '0: NVIDIA GeForce RTX 5070 Ti 16303MiB\n1: NVIDIA GeForce RTX 5090 D 32607MiB\n';
const ALIKE = '0: NVIDIA H100 80GB HBM3 81559MiB\n1: NVIDIA H100 80GB HBM3 81559MiB\n';

async function judged(cards: string, args: string) {
  const files = {
    'args.txt': `${args}\n`,
    'nvidia-smi.txt': cards,
    'previous.log': REFUSED,
    'incident.json': JSON.stringify({ engine: 'vllm', uptime: 'startup' }),
  };
  const { diagnosis, facts } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  const unlike = facts.get('gpu.cards-unlike');
  return { finding: diagnosis.verdict.finding, unlike: unlike?.kind === 'known' ? unlike.value : undefined };
}

describe('cards that differ', () => {
  it.each([
    [
      'two ranks',
      UNLIKE,
      'vllm serve a/b --pipeline-parallel-size 2',
      'RTX 5070 Ti with 15.9 GiB, RTX 5090 D with 31.8 GiB',
    ],
    ['one rank', UNLIKE, 'CUDA_VISIBLE_DEVICES=0 vllm serve a/b', undefined],
    ['cards that are alike', ALIKE, 'vllm serve a/b --tensor-parallel-size 2', undefined],
  ])('are named with the refusal of the smallest: %s', async (_, cards, args, named) => {
    const { finding, unlike } = await judged(cards, args);

    expect(unlike).toBe(named);
    expect(finding).toBe(named === undefined ? 'gpu-startup-kv-refused' : 'gpu-startup-kv-unlike');
  });
});
