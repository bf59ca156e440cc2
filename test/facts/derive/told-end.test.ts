import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function verdictOf(notes: string, file = 'previous.log') {
  return (await diagnoseSource(aSnapshot({ [file]: `${notes}\n` }), { phrases: COMPILED_PHRASES, judge })).diagnosis
    .verdict;
}

describe('how it ended and which memory was full, as people tell it', () => {
  it.each([
    ['# rc 137 while the checkpoint loads, compose has mem_limit 6g', 'host', 'startup', 'host.startup.limit'],
    [
      '# available went from 61G -> 200M while the shards load, then the ssh session is closed',
      'host',
      'startup',
      'host.node-pressure',
    ],
    [
      '# 4 ranks, each reads the whole checkpoint, RAM 248 of 251 GB, then rank 2 is gone while loading',
      'host',
      'startup',
      'host.startup.workers',
    ],
    ['# --swap-space 48 with tp 4: killed at start', 'host', 'startup', 'host.offload'],
    [
      '# a user uploads a 700 MB video, RSS goes to 62 of 64 GB and the pod restarts',
      'host',
      'burst',
      'host.burst.payload',
    ],
    ['# 上传大文件时进程被系统杀掉，显存没有变化', 'host', 'burst', 'host.burst.payload'],
    [
      '# short chats are fine, one long document of 80k tokens and the server is gone',
      'gpu',
      'burst',
      'gpu.burst.long-context',
    ],
    [
      '# prefills above roughly 40k tokens fill the card until the worker dies',
      'gpu',
      'burst',
      'gpu.burst.long-context',
    ],
    ['# OOM on the GPU during graph compilation, 300 buckets', 'gpu', 'startup', 'gpu.startup.graph-capture'],
    ['# TP=4 dies of OOM at start, TP=2 works', 'gpu', 'startup', 'gpu.startup.parallelism'],
    ['# all ranks load onto cuda:0 and OOM at start', 'gpu', 'startup', 'gpu.startup.parallelism'],
    ['# when a service is updated, pods of the previous revision terminate; wait', 'unknown', 'n/a', 'unknown'],
    [
      '# the previous revision pods terminate; new revision pods at first encounter CUDA out of memory errors',
      'gpu',
      'startup',
      'gpu.startup.shared-gpu',
    ],
    [
      '# GPU memory of the node stays in use for minutes although the pod no longer exists; OutOfMemoryError during model weight loading',
      'gpu',
      'startup',
      'gpu.startup.shared-gpu',
    ],
    ['# 圖片尺寸太大，導致顯存OOM', 'gpu', 'burst', 'gpu.burst.multimodal'],
    [
      '# the model uses only one GPU of two and fails with a GPU memory error',
      'gpu',
      'startup',
      'gpu.startup.parallelism',
    ],
    ['# decoding ends with “Decode out of memory happened” under 40 clients', 'gpu', 'burst', 'gpu.burst.concurrency'],
    [
      '# cgroup shows heavy memory swap while the weights load, the service never proceeds',
      'host',
      'startup',
      'host.startup.weight-staging',
    ],
    ['# the pod is pending, insufficient nvidia.com/gpu', 'none', 'n/a', 'none.scheduling'],
    ['# heavy swap traffic of KV blocks between the nodes, then a NIXL error', 'none', 'n/a', 'none.comm'],
    ['# only using one GPU although tp=2, NCCL error unhandled cuda error', 'none', 'n/a', 'none.comm'],
    ['# pin_memory() raises CUDA error: out of memory although 48 GiB of RAM are free', 'host', 'n/a', 'host.offload'],
    ['# when I try to run it at start, it fails with a CUDA malloc error', 'gpu', 'startup', 'gpu.startup.weights'],
    ['# text is fine, with eight photos the engine dies every time', 'gpu', 'burst', 'gpu.burst.multimodal'],
    ['# 一旦 60 并发服务就退出，显存占满', 'gpu', 'burst', 'gpu.burst.concurrency'],
    [
      '# a forgotten jupyter kernel held 50 GB, the server did not start beside it',
      'gpu',
      'startup',
      'gpu.startup.shared-gpu',
    ],
    [
      '# the server dies while loading an 8B in bf16 on the MIG slice 1g.10gb',
      'gpu',
      'startup',
      'gpu.startup.parallelism',
    ],
    ['# 6 workers, 6 x 12 GB on a VM of 48', 'host', 'startup', 'host.startup.workers'],
    [
      '# podman machine with a limit of 4Gi, the file is 9 GB; it is gone while loading',
      'host',
      'startup',
      'host.startup.limit',
    ],
    ['# experts on CPU, 64 GB of RAM: it is shot at start', 'host', 'startup', 'host.offload'],
    [
      '# the kernel took the server when a spark job on the same host filled its RAM',
      'host',
      'n/a',
      'host.node-pressure',
    ],
    [
      '# python stands at 88 GB RES while a csv of all prompts is posted, then it is gone',
      'host',
      'burst',
      'host.burst.payload',
    ],
    [
      '# first the card was too small for fp16; then with --cpu-offload-gb 20 the container ends with 137',
      'both',
      'startup',
      'gpu.startup.weights',
    ],
    ['# 先是显存不够起不来，加了 offload 之后进程被系统杀掉', 'both', 'startup', 'gpu.startup.weights'],
    [
      '# an old EngineCore was still there, kill -9 of it and it went through',
      'gpu',
      'startup',
      'gpu.startup.shared-gpu',
    ],
    ['# it stops while loading, VRAM 23.9 of 24 GB then', 'gpu', 'startup', 'gpu.startup.weights'],
  ])('%s', async (notes, plane, phase, cause) => {
    expect(await verdictOf(notes)).toMatchObject({ plane, phase, cause, certain: false });
  });

  it.each([
    ['# exit 137 during a scale-down, the grace period was over'],
    ['# it was not killed, it ended by itself'],
    ['# the container was stopped with docker stop, rc 137'],
    ['# RAM 12 of 64 GB, the process is still alive, no restarts'],
    ['# 2 x 12 GB on a VM of 256, all fine'],
    ['# answers 8 images a minute, is that slow?'],
    ['# we pass 80k tokens and it works'],
  ])('no memory is named by: %s', async (notes) => {
    expect(['unknown', 'none']).toContain((await verdictOf(notes)).plane);
  });

  it('reads the rows of nvidia-smi as the card', async () => {
    const rows =
      '# watched while it loads, last row before the process vanished\n| N/A   51C    P0    41W /  70W |  14873MiB / 15360MiB |     63%      Default |';

    expect(await verdictOf(rows, 'nvidia-smi.txt')).toMatchObject({ plane: 'gpu', cause: 'gpu.startup.weights' });
  });

  it.each([
    [
      'top, 2 s before the end (128 GB host):\n 71 root 20 0 50.1g 40.2g S 99 31.0 python\n 72 root 20 0 50.1g 39.9g S 99 31.0 python\n 73 root 20 0 50.0g 40.0g S 99 31.0 python',
      'host.startup.workers',
    ],
    [
      'container_memory_working_set_bytes max before restart: 8.5e9\ncontainer_spec_memory_limit_bytes: 8589934592\n/health never 200, restarts: 6',
      'host.startup.limit',
    ],
  ])('reads rows: %s', async (rows, cause) => {
    expect(await verdictOf(rows, 'metrics.txt')).toMatchObject({ plane: 'host', cause, certain: false });
  });

  it('gives way to what names something else', async () => {
    expect(await verdictOf('# eight photos, then illegal memory access and the engine dies')).toMatchObject({
      plane: 'none',
    });
  });
});

describe('which memory was full, where nothing but "OOM" is told of the end', () => {
  const NOTES = [
    '# loading stops at blk.40 of blk.60',
    '# by then more than 400 GB of RAM are in use',
    '# reported as OOM',
  ];
  const verdict = async (...notes: readonly string[]) => {
    const files = { 'previous.log': `${notes.join('\n')}\n`, 'incident.json': '{"uptime":"startup"}' };
    return (await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
  };

  it('is the RAM that was in use', async () => {
    expect(await verdict(...NOTES)).toMatchObject({ plane: 'host', phase: 'startup', certain: false });
  });

  it('is the card without such a figure', async () => {
    expect(await verdict(NOTES[0] ?? '', NOTES[2] ?? '')).toMatchObject({ plane: 'gpu', certain: false });
  });
});

describe('an engine that neither works on nor ends', () => {
  const FULL =
    'INFO 02-01 06:36:05 llm_engine.py:921] Avg prompt throughput: 382.6 tokens/s, Avg generation throughput: 118.5 tokens/s, Running: 35 reqs, Swapped: 0 reqs, Pending: 115 reqs, GPU KV cache usage: 99.0%, CPU KV cache usage: 0.0%';
  const readingOf = async (note: string) => (await verdictOf(`${FULL}\n# ${note}`)).finding;

  it('is not stopped by a pool that is full', async () => {
    expect(await readingOf('later the status line goes on, no token is generated, no request completes')).toBe(
      'none-saturated-still',
    );
    expect(await readingOf('clients wait longer and longer')).toBe('gpu-saturated');
  });
});

describe('a want of memory that nobody names', () => {
  const verdict = async (args: string, ...notes: readonly string[]) => {
    const files = {
      'previous.log': `${notes.join('\n')}\n`,
      'args.txt': `${args}\n`,
      'incident.json': '{"uptime":"startup"}',
    };
    return (await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
  };

  it.each([
    ['python ./ktransformers/local_chat.py --cpu_infer 30', 'host'],
    ['python -m vllm.entrypoints.openai.api_server --model some/model', 'gpu'],
  ])('is of what the engine fills: %s', async (args, plane) => {
    expect(await verdict(args, '# does not run, not enough memory')).toMatchObject({ plane, certain: false });
  });

  it('is the device’s where the note names it, whatever the engine', async () => {
    const args = 'python ./ktransformers/local_chat.py --cpu_infer 30';

    expect(await verdict(args, '# CUDA out of memory at the start')).toMatchObject({ plane: 'gpu', certain: false });
  });

  it.each([
    ['# the launch ends with a CUDA memory error; only one GPU is used', 'gpu.startup.parallelism'],
    ['# the launch ends with a CUDA memory error', 'gpu.startup.weights'],
  ])('has the cause that the cards show: %s', async (note, cause) => {
    expect(await verdict('text-generation-launcher --model-id some/model', note)).toMatchObject({
      plane: 'gpu',
      cause,
      certain: false,
    });
  });

  it('is the RAM of a machine that stalls at its end', async () => {
    const note = '# 70B model: the system stalls while loading, system RAM at ~30/32 GB, the load never ends';

    expect(await verdict('python server.py', note)).toMatchObject({ plane: 'host', phase: 'startup', certain: false });
  });
});

describe('a memory that thrashes', () => {
  it.each([
    ['then both nodes: RAM thrashing, sshd times out at accept', true],
    ['the KV cache is thrashing, few hits', false],
    ['GPU memory thrashes between two models', false],
  ])('is a machine that no longer answers, where it is its own: %s', async (note, froze) => {
    const { facts } = await diagnoseSource(aSnapshot({ 'previous.log': `# ${note}\n` }), {
      phrases: COMPILED_PHRASES,
      judge,
    });

    const told = facts.get('log.machine-froze');

    expect(told?.kind === 'known' && told.value).toBe(froze);
  });
});
