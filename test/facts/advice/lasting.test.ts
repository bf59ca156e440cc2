import { describe, expect, it } from 'vitest';
import { valueIn as lastingOf, logged } from '../incident.ts';
import { ended, podFile, running } from '../pod.ts';

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

const died = (reason: string) =>
  podFile({
    container: { image: undefined, resources: { limits: { memory: '40Gi', 'nvidia.com/gpu': '1' } } },
    status: { lastState: ended(reason, 137, '2026-09-14T10:00:00Z', '2026-09-14T18:00:00Z'), state: running() },
  });

it.each([
  ['take the limit for the use at a kill by it', 'OOMKilled', 'lasting.ram-limit', 52 * GIB],
  ['know nothing of the use where nobody was killed', 'Error', 'lasting.ram-limit', undefined],
  ['plan a restart before the age at which it died', 'OOMKilled', 'lasting.restart-every', 6 * 3600],
])('lasting sums on RAM: %s', async (_name, reason, id, value) => {
  expect(await lastingOf(died(reason), id)).toBe(value);
});
