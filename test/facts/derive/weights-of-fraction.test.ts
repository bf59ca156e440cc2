import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const REFUSED = 'ValueError: No available memory for the cache blocks\n';

async function judged(args: string, gib: number | null = 80) {
  const files = {
    'args.txt': args,
    'previous.log': REFUSED,
    'incident.json': JSON.stringify({ engine: 'vllm', uptime: 'startup', gpu: { memory_gib: gib } }),
  };
  const { diagnosis, facts } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  const share = facts.get('gpu.weights-of-fraction');
  return { verdict: diagnosis.verdict, share: share?.kind === 'known' ? Number(share.value).toFixed(2) : undefined };
}

describe('what weights take of the fraction', () => {
  it.each([
    ['vllm serve qwen/Qwen3-8B --gpu-memory-utilization 0.4', 80, '0.47'],
    ['vllm serve qwen/Qwen3-32B --gpu-memory-utilization 0.4', 80, '1.86'],
    ['vllm serve qwen/Qwen3-32B --tensor-parallel-size 4 --gpu-memory-utilization 0.4', 80, '0.47'],
    ['vllm serve qwen/Qwen3-8B --gpu-memory-utilization 0.4', null, undefined],
    ['vllm serve /models/own --gpu-memory-utilization 0.4', 80, undefined],
  ])('%s on %s GiB', async (args, gib, share) => {
    expect((await judged(args, gib)).share).toBe(share);
  });

  it('is told beside a small fraction that had no room for the cache', async () => {
    const { verdict } = await judged('vllm serve qwen/Qwen3-8B --gpu-memory-utilization 0.4');

    expect(verdict).toMatchObject({ finding: 'gpu-startup-kv-low', cause: 'gpu.startup.kv-room', certain: true });
    expect(verdict.causeCertain).toBe(false);
    expect(verdict.remedies.filter(({ direction }) => direction === 'raise')).toHaveLength(1);
  });
});
