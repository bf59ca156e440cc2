import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const GIB = 1024 ** 3;

async function valueIn(id: string, log: string, more: Readonly<Record<string, string>> = {}) {
  const files = { 'previous.log': `${log}\n`, ...more };
  const { facts } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  const found = facts.get(id);
  return found?.kind === 'known' ? found.value : undefined;
}

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

describe('cards and ranks that are not alike', () => {
  const unbalanced = (least: number) =>
    `ValueError: The memory capacity is unbalanced. Some GPUs may be occupied by other processes. min_per_gpu_memory=${least}, local_gpu_memory=31.2, local_gpu_memory * 0.9=28.08`;
  const smi = '0, NVIDIA A, 20480 MiB, 3 MiB\n1, NVIDIA B, 32768 MiB, 3 MiB\n';

  it('the least that was free is held against the smallest card', async () => {
    expect(await valueIn('gpu.smallest-free-share', unbalanced(19), { 'nvidia-smi.txt': smi })).toBe(0.95);
    expect(await valueIn('gpu.smallest-free-share', unbalanced(19))).toBeUndefined();
  });

  it.each([
    ['both are visible', 'CUDA_VISIBLE_DEVICES=0,1', smi, 0.95],
    ['a third that is smaller is not', 'CUDA_VISIBLE_DEVICES=0,1', `${smi}2, NVIDIA C, 16384 MiB, 3 MiB\n`, 0.95],
    [
      'those that are visible are alike',
      'CUDA_VISIBLE_DEVICES=1,2',
      `${smi}2, NVIDIA B, 32768 MiB, 3 MiB\n`,
      undefined,
    ],
    ['more cards than ranks', '', `${smi}2, NVIDIA C, 32768 MiB, 3 MiB\n`, undefined],
    [
      'more was free than the card has',
      '',
      '0, NVIDIA A, 16384 MiB, 3 MiB\n1, NVIDIA B, 32768 MiB, 3 MiB\n',
      undefined,
    ],
  ])('of the cards of the engine: %s', async (_name, visible, listed, share) => {
    const files = {
      'nvidia-smi.txt': listed,
      'args.txt': `${visible} python3 -m sglang.launch_server --model-path some/model --tp 2`,
    };

    expect(await valueIn('gpu.smallest-free-share', unbalanced(19), files)).toBe(share);
  });

  it('cards that the engine does not see may be unlike', async () => {
    const files = { 'nvidia-smi.txt': `${smi}2, NVIDIA B, 32768 MiB, 3 MiB\n` };
    const uneven = (devices: string) =>
      valueIn('gpu.uneven', 'CUDA out of memory.', { ...files, 'args.txt': `${devices} vllm serve some/model -tp 2` });

    expect(await uneven('CUDA_VISIBLE_DEVICES=0,1')).toBe(true);
    expect(await uneven('CUDA_VISIBLE_DEVICES=1,2')).toBe(false);
    expect(await uneven('')).toBe(true);
  });

  it('another program on one of them took of it', async () => {
    const table = `|   0  NVIDIA A   |  9000MiB / 20480MiB |\n|   1  NVIDIA B   |    12MiB / 32768MiB |\n`;
    const listed = (name: string) => `${table}|    0   N/A  N/A   4021      C   ${name}   8402MiB |\n`;
    const share = (name: string) =>
      valueIn('gpu.smallest-free-share', unbalanced(11), { 'nvidia-smi.txt': listed(name) });

    expect(await share('/usr/bin/ollama')).toBeUndefined();
    expect(await share('sglang::scheduler')).toBe(0.55);
  });

  const room = (rank: string, gib: number) =>
    `(${rank}) INFO 06-01 10:00:00 [gpu_worker.py:300] Available KV cache memory: ${gib} GiB`;

  it.each([
    ['stages', [room('Worker_PP0 pid=40', 7.5), room('Worker_PP1 pid=41', -0.8)], true],
    ['no rank has any', [room('Worker_TP0 pid=40', -0.2), room('Worker_TP1 pid=41', -0.8)], false],
    ['all have some', [room('Worker_TP0 pid=40', 1.2), room('Worker_TP1 pid=41', 1.1)], false],
    // One rank in two starts.
    ['one rank twice', [room('Worker_TP0 pid=40', 1.2), room('Worker_TP0 pid=90', -1.1)], false],
    ['engines, not ranks', [room('EngineCore pid=40', 1.2), room('EngineCore pid=90', -1.1)], undefined],
    ['one rank alone', [room('Worker_TP0 pid=40', -1.2)], undefined],
  ])('room for a cache: %s', async (_name, lines, uneven) => {
    expect(await valueIn('gpu.kv-uneven', lines.join('\n'))).toBe(uneven);
  });

  it.each([
    ['|   0  NVIDIA L40S   |  43500MiB / 46068MiB |\n|   1  NVIDIA L40S   |  33000MiB / 46068MiB |', 0.228],
    // Nobody works on the second.
    ['|   0  NVIDIA L40S   |  43500MiB / 46068MiB |\n|   1  NVIDIA L40S   |    12MiB / 46068MiB |', undefined],
  ])('how much fuller one card is than another: %s', async (table, lead) => {
    const found = await valueIn('gpu.lead-share', 'CUDA out of memory.', { 'nvidia-smi.txt': table });

    expect(found === undefined ? found : Number(found).toFixed(3)).toBe(lead === undefined ? lead : String(lead));
  });
});

describe('what the start was about', () => {
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
  ])('the draft model: %j -> %s', async (frames, draft) => {
    expect(await valueIn('engine.draft-model', [...frames, oom].join('\n'))).toBe(draft);
  });

  it('the weights alone against the room that they and the work space do not fit into', async () => {
    const log =
      'Insufficient GPU memory error: The available single GPU memory is 10000.000 MB, which is less than the sum of model weight size (5000.000 MB) and temporary buffer size (6000.000 MB).';

    expect(await valueIn('gpu.weights-per-room', log)).toBe(0.5);
  });
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
