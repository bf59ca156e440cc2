import { describe, expect, it } from 'vitest';
import { valueIn as lastingOf, logged } from '../incident.ts';

const GIB = 1024 ** 3;

const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 80.00 GiB of which 0.50 GiB is free.';
const anEngine = (args: string) => ({ 'args.txt': `vllm serve ${args}\n`, ...logged(OOM) });

describe('lasting sums on weights', () => {
  it.each([
    // 70.6 billion parameters of 2 bytes: 131.5 GiB; four times 56 GiB hold them, two times 56 GiB do not.
    ['a model of 16 bit on one card', '--model meta-llama/Llama-3.1-70B-Instruct', 4],
    [
      'the same where two cards were not enough',
      '--model meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 2',
      4,
    ],
    ['one that has them already goes on to the next', '--model meta-llama/Llama-3.1-70B-Instruct -tp 4', 8],
    ['a model of 4 bit fits on one, so the next is two', '--model acme/Llama-3.1-70B-AWQ', 2],
  ])('%s', async (_name, args, ranks) => {
    expect(await lastingOf(anEngine(args), 'lasting.ranks')).toBe(ranks);
  });

  it('are not known for a model that nobody knows', async () => {
    expect(await lastingOf(anEngine('--model /models/ours'), 'lasting.ranks')).toBeUndefined();
  });
});

function aPod(reason: string) {
  const terminated = { reason, exitCode: 137, startedAt: '2026-09-14T10:00:00Z', finishedAt: '2026-09-14T18:00:00Z' };
  return JSON.stringify({
    kind: 'Pod',
    metadata: { name: 'engine-0' },
    spec: { containers: [{ name: 'engine', resources: { limits: { memory: '40Gi', 'nvidia.com/gpu': '1' } } }] },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'engine', restartCount: 2, lastState: { terminated }, state: { running: {} } }],
    },
  });
}

describe('lasting sums on RAM', () => {
  it('take the limit for the use at a kill by it', async () => {
    expect(await lastingOf({ 'pod.json': aPod('OOMKilled') }, 'lasting.ram-limit')).toBe(52 * GIB);
  });

  it('know nothing of the use where nobody was killed and nothing was measured', async () => {
    expect(await lastingOf({ 'pod.json': aPod('Error') }, 'lasting.ram-limit')).toBeUndefined();
  });

  it('plan a restart before the age at which it died', async () => {
    expect(await lastingOf({ 'pod.json': aPod('OOMKilled') }, 'lasting.restart-every')).toBe(6 * 3600);
  });
});
