import { describe, expect, it } from 'vitest';
import { type Files, verdictOfFiles } from '../incident.ts';

async function verdictOf(files: Files, uptime = 'startup', engine = 'vllm') {
  const noted = JSON.stringify({ engine, uptime });
  return verdictOfFiles({ ...files, 'incident.json': noted });
}

const refused = (held: number) =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.20 GiB. GPU 0 has a total capacity of 79.25 GiB of which ${(79.25 - held).toFixed(2)} GiB is free. Including non-PyTorch memory, this process has ${held.toFixed(2)} GiB memory in use. Of the allocated memory ${(held - 1.5).toFixed(2)} GiB is allocated by PyTorch, and 201.00 MiB is reserved by PyTorch but unallocated.\n`;

describe('what is asked for beside a pool that stands', () => {
  const args = (model: string, fraction = '0.9') => `vllm serve ${model} --gpu-memory-utilization ${fraction}\n`;

  it.each([
    ['the fraction is not filled', 74.1, args('Qwen/Qwen3-8B', '0.97'), 'profiling'],
    ['the weights fill the card by themselves', 74.1, args('meta-llama/Llama-3.1-70B'), 'weights'],
    ['the name tells what is active, and not the whole', 74.1, args('meta-llama/Llama-4-Scout-17B-16E'), 'profiling'],
    ['a small fraction is for two on one card', 74.1, args('Qwen/Qwen3-8B', '0.45'), 'profiling'],
  ])('%s', async (_, held, text, cause) => {
    expect(await verdictOf({ 'args.txt': text, 'previous.log': refused(held) })).toMatchObject({
      plane: 'gpu',
      phase: 'startup',
      cause: `gpu.startup.${cause}`,
    });
  });

  it('the hint that V0 prints as it begins to capture is a milestone', async () => {
    const hint =
      'INFO 07-18 12:11:04 model_runner.py:858] CUDA graphs can take additional 1~3 GiB memory per GPU. If you are running out of memory, consider decreasing `gpu_memory_utilization`.\n';
    const cut = 'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 54.00 MiB. GPU\n';

    expect(await verdictOf({ 'previous.log': hint + cut })).toMatchObject({ cause: 'gpu.startup.graph-capture' });
  });
});

const line = 'RuntimeError: CUDA Error: out of memory at /workspace/csrc/cumem_allocator.cpp:62\n';

it.each([
  ['startup', 'startup'],
  ['hours', 'burst'],
])('memory that sleeps is taken at the start and at a waking: %s', async (uptime, phase) => {
  expect(await verdictOf({ 'previous.log': line }, uptime)).toMatchObject({
    plane: 'gpu',
    phase,
    cause: 'gpu.startup.shared-gpu',
  });
});

describe('an error behind which another may stand', () => {
  it('a capture that failed before is no certain fault', async () => {
    const log = 'RuntimeError: CUDA error: operation failed due to a previous error during capture\n';

    expect(await verdictOf({ 'previous.log': log })).toMatchObject({
      plane: 'gpu',
      cause: 'gpu.startup.graph-capture',
      certain: false,
    });
  });

  it('cells of the cache that a smaller batch may still find are no refused request for certain', async () => {
    const log = 'W decode: failed to find a memory slot for batch of size 64\n';

    expect(await verdictOf({ 'previous.log': log }, 'hours', 'llama.cpp')).toMatchObject({ certain: false });
  });
});

const describeOf = (why: string) =>
  `    Last State:     Terminated\n      Reason:       StartError\n      Message:      failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: ${why}: unknown\n      Exit Code:    128\n    Restart Count:  5\n`;

it.each([
  ['exec: "vllm": executable file not found in $PATH', 'none.config'],
  ['exec: "/srv/run.sh": stat /srv/run.sh: no such file or directory', 'none.config'],
])('a container that could not be started: %s', async (why, cause) => {
  const files = { 'previous.log': '# empty\n', 'describe.txt': describeOf(why) };

  expect(await verdictOf(files)).toMatchObject({ plane: 'none', cause, certain: true });
});

describe('cards that spin', () => {
  const row = (index: number, used: number, busy: number) =>
    `|   ${index}  NVIDIA L40S                    On  |   00000000:0${index}:00.0 Off |                    0 |\n| N/A   43C    P0             97W /  350W |   ${used}MiB /  46068MiB |    ${busy}%      Default |\n`;
  const log = 'INFO shard-manager: text_generation_launcher: Waiting for shard to be ready... rank=2\n';

  it.each([
    ['with weights, they work', [28_618, 28_622], [100, 100], 'unknown'],
    ['one alone may compile', [618], [100], 'unknown'],
    ['idle ones wait for something else', [618, 622], [0, 100], 'unknown'],
  ])('%s', async (_, used, busy, plane) => {
    const smi = used.map((mib, index) => row(index, mib, busy[index] ?? 0)).join('');
    expect(await verdictOf({ 'previous.log': log, 'nvidia-smi.txt': smi }, 'startup', 'tgi')).toMatchObject({
      plane,
      certain: false,
    });
  });
});

it.each([
  ['-7', 'host', 'host.shm'],
  ['-11', 'none', 'none.other'],
])('a worker that a signal ended exit code: %s', async (code, plane, cause) => {
  const log = `ERROR 08-29 20:11:20 [multiproc_executor.py:380] Worker proc VllmWorker-5 died unexpectedly (exit code: ${code}), shutting down executor.\n`;

  expect(await verdictOf({ 'previous.log': log })).toMatchObject({ plane, cause, certain: false });
});

it('one request that SGLang gave up is refused, and the engine runs on', async () => {
  const log =
    '[2026-03-11 14:22:09 TP0] retract_decode: aborted last request 5e0d due to OOM\n[2026-03-11 14:22:31 TP0] Prefill batch, #new-seq: 1, #new-token: 512, #cached-token: 0, token usage: 0.00, #running-req: 0, #queue-req: 0\n';

  expect(await verdictOf({ 'previous.log': log }, 'minutes', 'sglang')).toMatchObject({
    plane: 'none',
    cause: 'none.request-rejected',
  });
});

it('a pool of SGLang that is laid ahead is taken of what the static fraction left', async () => {
  const log = `  File "/x/sglang/srt/model_executor/model_runner.py", line 3018, in prealloc_symmetric_memory_pool\n    torch.empty(\n${refused(74.1)}`;

  expect(await verdictOf({ 'previous.log': log }, 'startup', 'sglang')).toMatchObject({
    cause: 'gpu.startup.utilization',
  });
});
