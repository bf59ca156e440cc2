import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../src/model/verdict.ts';
import { diagnoseFiles, logged } from '../facts/incident.ts';

const diagnosed = async (lines: readonly string[], args = 'vllm serve m'): Promise<Diagnosis> =>
  (await diagnoseFiles({ ...logged(...lines), 'args.txt': `${args}\n` })).diagnosis;

function bleeding({ verdict }: Diagnosis): readonly string[] {
  return verdict.remedies.filter(({ kind }) => kind === 'stop-bleed').map(({ says }) => says);
}

const BANNER = "INFO 11-20 10:00:21 [core.py:93] Initializing a V1 LLM engine (v0.11.0) with config: model='m/vl'";
const frame = (file: string, name: string) => `  File "/opt/vllm/${file}", line 88, in ${name}`;
const oom = (own: number, others = '') =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.08 GiB. GPU 0 has a total capacity of 79.15 GiB of which 24.75 MiB is free. ${others}Including non-PyTorch memory, this process has ${own} GiB memory in use. Of the allocated memory ${own - 0.6} GiB is allocated by PyTorch, and 14.12 MiB is reserved by PyTorch but unallocated.`;

describe('a trial run that failed', () => {
  const trial = (...inner: readonly string[]) => [
    BANNER,
    frame('v1/worker/gpu_worker.py', 'determine_available_memory'),
    frame('v1/worker/gpu_model_runner.py', 'profile_run'),
    ...inner,
    oom(79.1),
  ];
  const args = 'vllm serve m/vl --max-num-seqs 256';

  it.each([
    ['in the sampler', [frame('v1/sample/sampler.py', 'forward'), frame('v1/sample/sampler.py', '_sampler_run')]],
    ['in the layers', [frame('model_executor/models/qwen2.py', 'forward')]],
  ])('%s is answered with fewer sequences', async (_where, inner) => {
    const found = await diagnosed(trial(...inner), args);

    expect(found.verdict.finding).toBe('gpu-startup-profiling');
    expect(bleeding(found)[0]).toMatch(/^Halve the number of sequences/);
  });
});

describe('a load that failed', () => {
  const load = (...inner: readonly string[]) => [
    BANNER,
    frame('v1/worker/gpu_worker.py', 'load_model'),
    frame('v1/worker/gpu_model_runner.py', 'load_model'),
    ...inner,
    oom(79.1),
  ];

  it('for the draft model is answered with a start without it', async () => {
    const found = await diagnosed(
      load('    self.drafter.load_model(self.model)', frame('v1/spec_decode/eagle.py', 'load_model')),
    );

    expect(found.verdict.cause).toBe('gpu.startup.weights');
    expect(bleeding(found)[0]).toMatch(/^Start without the draft model/);
    expect(bleeding(found).join('\n')).not.toContain('No argument makes this model fit');
  });

  it('for the model itself is not', async () => {
    const found = await diagnosed(load(frame('model_executor/layers/linear.py', 'create_weights')));

    expect(bleeding(found)[0]).toContain('No argument makes this model fit');
  });
});

it('too little memory for the KV cache is never answered with a model that fits no way', async () => {
  const found = await diagnosed([
    BANNER,
    'INFO 11-20 10:00:30 [gpu_model_runner.py:2392] Model loading took 3.1100 GiB and 5.812406 seconds',
    'INFO 11-20 10:00:52 [gpu_worker.py:298] Available KV cache memory: -0.21 GiB',
    'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.',
  ]);

  expect(found.verdict.finding).toBe('gpu-startup-kv-room');
  expect(bleeding(found)[0]).toMatch(/^Lower tokens per step and sequences/);
  expect(bleeding(found).join('\n')).not.toContain('No argument makes this model fit');
});

describe('ranks that share one GPU', () => {
  const pids = [3223, 3225, 3226];
  const ranks = (name: string) => [
    ...[3224, ...pids].map(
      (pid) =>
        `(RayWorkerWrapper pid=${pid}) INFO 11-20 10:00:44 [gpu_model_runner.py:1316] Starting to load model m...`,
    ),
    `(RayWorkerWrapper pid=3224) ${frame('v1/worker/gpu_worker.py', name)}`,
    `(RayWorkerWrapper pid=3224) ${oom(19.8, pids.map((pid) => `Process ${pid} has 19.70 GiB memory in use. `).join(''))}`,
  ];

  it('while they load are given a card each: no fraction moves a load', async () => {
    const found = await diagnosed(ranks('load_model'), 'vllm serve m --tensor-parallel-size 4');

    expect(found.verdict.finding).toBe('gpu-startup-ranks');
    expect(bleeding(found)[0]).toMatch(/^Give the engine one visible GPU per rank/);
    expect(bleeding(found).join('\n')).not.toMatch(/^Lower the memory fraction/m);
  });

  it('when the pool is taken leave it less', async () => {
    const found = await diagnosed(ranks('initialize_from_config'), 'vllm serve m --tensor-parallel-size 4');

    expect(found.verdict.finding).toBe('gpu-startup-ranks');
    expect(bleeding(found)[0]).toMatch(/^Lower the memory fraction/);
  });
});
