import { describe, expect, it } from 'vitest';
import { type Files, valueIn as factOf, logged } from '../incident.ts';

const GIB = 1024 ** 3;

const valueIn = (id: string, log: string, more: Files = {}) => factOf({ ...logged(log), ...more }, id);

describe('what was in use before the engine started', () => {
  it('is at least what is missing to an earlier start on the same card', async () => {
    const log =
      'INFO 11-03 08:00:12 [startup_plan.py:123] Startup plan not applied: current free memory (30.50 GiB) is below the recorded baseline (78.50 GiB); falling back to full memory profiling.';

    expect(await valueIn('gpu.taken-before-start', log)).toBe(48 * GIB);
  });

  it.each([
    // 90 GiB of 100 are the engine's by its fraction; 30 of them lie in the other process as weights.
    ['(20.00/100.00 GiB)', '(0.9, 60.00 GiB)', 50],
    ['(70.00/100.00 GiB)', '(0.9, 60.00 GiB)', 0],
  ])('is beside weights that another process keeps for it: free %s, budget %s', async (free, budget, gib) => {
    const log = `ValueError: Free memory on device cuda:1 ${free} on startup is less than the engine's budget after excluding external process's weights ${budget}. Decrease GPU memory utilization or reduce GPU memory used by other processes.`;

    expect(await valueIn('gpu.taken-before-start', log)).toBeCloseTo(gib * GIB, -3);
  });

  it.each([
    ['--model acme/heron-14b', 68, 68 - (14e9 * 2 * 1.25) / GIB],
    ['--model acme/heron-14b --tensor-parallel-size 2', 68, 68 - (14e9 * 1.25) / GIB],
    ['--model acme/heron-14b', 30, 0],
    ['--model acme/heron', 68, undefined],
  ])('is beside the weights that the name of the model tells: %s, %d GiB in use', async (args, used, gib) => {
    const log = `INFO 11-22 03:00:00 worker.py:232] Memory profiling results: total_gpu_memory=79.15GiB initial_memory_usage=${used}.00GiB peak_torch_memory=10.72GiB`;
    const more = { 'args.txt': `python3 -m vllm.entrypoints.openai.api_server ${args} --gpu-memory-utilization 0.2\n` };

    const found = await valueIn('gpu.taken-before-start', log, more);

    if (gib === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(gib * GIB, -3);
  });

  it('what is free of the card is known where the line breaks off behind it', async () => {
    const log =
      'ValueError: Free memory on device cuda:0 (38.00/40.00 GiB) on startup is less than desired GPU memory uti';

    expect(await valueIn('gpu.free-at-start-share', log)).toBe(0.95);
    expect(await valueIn('gpu.short-of-fraction', log)).toBeUndefined();
  });
});

const smi = '0, NVIDIA A, 20480 MiB, 3 MiB\n1, NVIDIA B, 32768 MiB, 3 MiB\n';

it('cards and ranks that are not alike cards that the engine does not see may be unlike', async () => {
  const files = { 'nvidia-smi.txt': `${smi}2, NVIDIA B, 32768 MiB, 3 MiB\n` };
  const uneven = (devices: string) =>
    valueIn('gpu.uneven', 'CUDA out of memory.', { ...files, 'args.txt': `${devices} vllm serve some/model -tp 2` });

  expect(await uneven('CUDA_VISIBLE_DEVICES=0,1')).toBe(true);
  expect(await uneven('CUDA_VISIBLE_DEVICES=1,2')).toBe(false);
  expect(await uneven('')).toBe(true);
});

const frame = (file: string, name: string) => `  File "/opt/sglang/srt/${file}", line 88, in ${name}`;
const oom = 'torch.OutOfMemoryError: CUDA out of memory.';

it.each([
  [[frame('managers/scheduler.py', '__init__'), '    self.draft_worker = EAGLEWorker('], true],
  [[frame('speculative/eagle_worker.py', '__init__')], true],
  [[frame('gpu_model_runner.py', 'load_model'), '    self.drafter.load_model(self.model)'], true],
  [[frame('vllm/v1/spec_decode/eagle.py', 'load_model')], true],
  [[frame('vllm/v1/spec_decode/eagle.py', 'propose')], false],
  // A step of serving.
  [[frame('speculative/eagle_worker.py', 'forward_batch_speculative_generation')], false],
  [[frame('managers/tp_worker.py', '__init__')], false],
])('what the start was about the draft model: %j -> %s', async (frames, draft) => {
  expect(await valueIn('engine.draft-model', [...frames, oom].join('\n'))).toBe(draft);
});

describe('a rank on the card of another', () => {
  const line =
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 112.00 MiB. GPU 0 has a total capacity of 40.00 GiB of which 0.50 GiB is free. Process 9041 has 19.50 GiB memory in use. Including non-PyTorch memory, this process has 20.00 GiB memory in use. Of the allocated memory 19.00 GiB is allocated by PyTorch, and 0.50 GiB is reserved by PyTorch but unallocated.';
  const worker = (pid: number) =>
    `(RayWorkerWrapper pid=${pid}) INFO 01-15 09:02:07 model_runner.py:1094] Starting to load model /m/some...`;

  it('a process that writes into the log of the engine is one of its own', async () => {
    expect(await valueIn('gpu.taken-by-ranks', `${worker(9041)}\n${line}`)).toBe(19.5 * GIB);
    expect(await valueIn('gpu.foreign', `${worker(9041)}\n${line}`)).toBe(0);
  });

  it('another one is not', async () => {
    expect(await valueIn('gpu.taken-by-ranks', `${worker(7000)}\n${line}`)).toBe(0);
    expect(await valueIn('gpu.foreign', `${worker(7000)}\n${line}`)).toBe(19.5 * GIB);
  });
});
