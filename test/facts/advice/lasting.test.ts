import { describe, expect, it } from 'vitest';
import { valueIn as lastingOf, logged } from '../incident.ts';

const GIB = 1024 ** 3;

const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 80.00 GiB of which 0.50 GiB is free.';
const anEngine = (args: string, log = OOM) => ({ 'args.txt': `vllm serve ${args}\n`, ...logged(log) });

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

  it('offer no smaller format to a model that has one', async () => {
    expect(await lastingOf(anEngine('--model acme/Llama-3.1-70B-AWQ'), 'lasting.weights-8bit')).toBeUndefined();
  });

  it.each([
    ['a path that hides the format', '--model /workspace/weights', '40.0', false],
    ['one whose weights are far too small for 16 bit', '--model meta-llama/Llama-3.1-70B-Instruct', '37.1', false],
  ])('tell of a smaller format only where today’s is known: %s', async (_name, args, printed, isTold) => {
    const log = `INFO 09-14 10:00:00 [gpu_model_runner.py:2338] Model loading took ${printed} GiB and 12.3 seconds\n${OOM}`;

    expect((await lastingOf(anEngine(args, log), 'lasting.weights-8bit')) !== undefined).toBe(isTold);
  });

  it('are not known for a model that nobody knows', async () => {
    for (const id of ['lasting.weights', 'lasting.ranks', 'lasting.card', 'lasting.weights-8bit']) {
      expect(await lastingOf(anEngine('--model /models/ours'), id)).toBeUndefined();
    }
  });
});

const REFUSAL =
  "ValueError: To serve at least one request with the models's max seq len (65536), (8.00 GiB KV cache is needed, which is larger than the available KV cache memory (5.00 GiB).";

describe('lasting sums on the KV cache', () => {
  it('do not halve a cache that is of 8 bit already', async () => {
    const args = '--model acme/ours --kv-cache-dtype fp8_e5m2';

    expect(await lastingOf(anEngine(args, REFUSAL), 'lasting.kv-8bit-needed')).toBeUndefined();
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

describe('lasting sums on offloading', () => {
  const pod = (limit: string) =>
    JSON.stringify({
      spec: {
        containers: [
          {
            name: 'vllm',
            image: 'vllm/vllm-openai:v0.11.0',
            args: ['--model', 'acme/falcon-9b', '--tensor-parallel-size', '2', '--cpu-offload-gb', '20'],
            resources: { limits: { memory: limit, 'nvidia.com/gpu': '2' } },
          },
        ],
      },
    });

  it('tell of no room where the processes alone fill the limit', async () => {
    expect(await lastingOf({ 'pod.json': pod('12Gi') }, 'lasting.offload-most')).toBeUndefined();
  });
});
