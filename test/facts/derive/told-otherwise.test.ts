import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function diagnosed(files: Readonly<Record<string, string>>, engine = 'vllm', uptime?: string) {
  const all = { ...files, 'incident.json': JSON.stringify({ engine, uptime }) };
  return diagnoseSource(aSnapshot(all), { phrases: COMPILED_PHRASES, judge });
}

describe('the memory of a Slurm job', () => {
  it.each([
    ['#SBATCH --mem=240G --gres=gpu:8', 240 * 1024 ** 3],
    ['#SBATCH --gres=gpu:8 --mem=2048', 2048 * 1024 ** 2],
    ['srun -N1 --mem 64G python serve.py', 64 * 1024 ** 3],
    ['#SBATCH --mem=0', undefined],
    ['#SBATCH --mem-per-cpu=4G', undefined],
    ['# SBATCH --mem=240G', undefined],
    ['python serve.py --mem=240G', undefined],
  ])('is its limit: %s', async (line, bytes) => {
    const { facts } = await diagnosed({
      'args.txt': `${line}\npython -m vllm.entrypoints.openai.api_server --model m\n`,
    });
    const limit = facts.get('ram.limit');

    expect(limit?.kind === 'known' ? limit.value : undefined).toBe(bytes);
  });

  it('is what swap space is held against', async () => {
    const log =
      'slurmstepd: error: Detected 1 oom_kill event in StepId=771203.0. Some of the step tasks have been OOM Killed.\n';
    const of = (mem: string) => ({
      'args.txt': `#SBATCH --mem=${mem}\npython -m vllm.entrypoints.openai.api_server --model m -tp 8 --swap-space 32 --preemption-mode swap\n`,
      'previous.log': `INFO 06-12 00:17:35 metrics.py:341] Avg prompt throughput: 2210.0 tokens/s, Avg generation throughput: 890.1 tokens/s, Running: 201 reqs, Swapped: 44 reqs, Pending: 16 reqs, GPU KV cache usage: 99.6%, CPU KV cache usage: 38.1%.\n${log}`,
    });

    const small = await diagnosed(of('240G'));
    const large = await diagnosed(of('900G'));

    expect(small.diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.offload', causeCertain: false });
    expect(large.diagnosis.verdict.cause).not.toBe('host.offload');
  });
});

describe('ranks', () => {
  it.each([
    ['share a sequence', '--num-gpus 4 --sp-degree 4', 4],
    ['share a sequence and layers', '--tp-size 2 --ulysses-degree 4 --sp-degree 4', 8],
  ])('that %s are all counted', async (_, args, ranks) => {
    const { facts } = await diagnosed({ 'args.txt': `sglang serve --model-path m ${args}\n` }, 'sglang');

    expect(facts.get('engine.ranks')).toMatchObject({ value: ranks });
  });
});

describe('a node without memory that ended another process', () => {
  const kernel = (task: string, constraint = 'NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom') =>
    `[88121.5] oom-kill:constraint=CONSTRAINT_${constraint},task_memcg=/system.slice/db.service,task=${task},pid=1733,uid=112\n[88121.6] Out of memory: Killed process 1733 (${task}) total-vm:231004kB, anon-rss:18220kB, file-rss:980kB, shmem-rss:130112kB, UID:112\n`;
  const log = {
    'previous.log': '[GIN] 2025/10/19 - 23:11:31 | 200 |  48.118s |  192.168.7.20 | POST     "/api/chat"\n',
  };

  it.each([
    ['a data base', kernel('postgres'), true],
    ['the engine itself', kernel('ollama'), false],
    ['a data base at its own limit', kernel('postgres', 'MEMCG,oom_memcg=/system.slice/db.service'), false],
  ])('%s', async (_, text, dry) => {
    const { facts, diagnosis } = await diagnosed({ ...log, 'kernel.txt': text }, 'ollama');

    const found = facts.get('kernel.dry-for-others');

    expect(found?.kind === 'known' && found.value).toBe(dry);
    expect(diagnosis.verdict.finding === 'host-node-others').toBe(dry);
  });
});

describe('words of people where no line is known', () => {
  it.each([
    [
      "0.87 never passes vLLM's startup memory check: it wants 105.87 GiB and fails",
      'startup',
      'gpu.startup.utilization',
    ],
    ['ValueError in request_memory() before any weight is loaded', 'startup', 'gpu.startup.utilization'],
    [
      'Indexing.cu line 1289, indexSelectLargeIndex: assertion srcIndex below srcSelectDimSize failed',
      'hours',
      'none.gpu-fault',
    ],
    ['health requests have a 2 s deadline; a busy engine misses it and is restarted', 'hours', 'none.probe-kill'],
    ['KV cache filled by the benchmark; generation speed drops sharply', 'hours', 'none.preemption-warning'],
    ['deadlock detected, KV cache is reset and requests are recomputed', 'hours', 'none.preemption-warning'],
    ['rank 0: watchdog timeout of a BROADCAST, SeqNum 5730, limit 600000 ms', 'hours', 'none.comm'],
    ['a short InfiniBand fault ended the server', 'hours', 'none.comm'],
    ['one worker crashes inside libvgpu with an illegal device id', 'startup', 'none.driver'],
  ])('%s', async (text, uptime, cause) => {
    const { diagnosis } = await diagnosed({ 'previous.log': `# ${text}\n` }, 'vllm', uptime);

    expect(diagnosis.verdict).toMatchObject({ cause, certain: false });
  });

  it.each([
    'health requests answer within 2 s and nothing was restarted',
    'GGML_ASSERT of ggml-cuda.cu was never met',
    'HAMI-core initialises libvgpu in each process',
    'the KV cache was filled, and all went well',
  ])('but not: %s', async (text) => {
    const { diagnosis } = await diagnosed({ 'previous.log': `# ${text}\n` }, 'vllm', 'hours');

    expect(diagnosis.verdict.cause).not.toMatch(/probe-kill|gpu-fault|preemption|driver/);
  });
});

describe('words beside a start', () => {
  const started = (text: string) => diagnosed({ 'previous.log': `# ${text}\n` }, 'llama.cpp', 'startup');

  it.each([
    ['the node stopped responding while the pod was on it, a power cycle was needed', 'host.node-pressure'],
    ['Ray out of memory, a file of 9.8 GB is read by all workers at once', 'host.startup.workers'],
    ['Ray out of memory, a file of 9.8 GB is read', 'host.startup.weight-staging'],
  ])('%s', async (text, cause) => {
    expect((await started(text)).diagnosis.verdict).toMatchObject({ plane: 'host', cause, certain: false });
  });

  it.each([
    ['the pod was evicted for ephemeral-storage', 'none'],
    ['the pod is evicted while the cache is written to the disk', 'none'],
    ['requests of memory and ephemeral-storage are set', 'unknown'],
  ])('of the disk of a node: %s', async (text, plane) => {
    expect((await started(text)).diagnosis.verdict.plane).toBe(plane);
  });
});

describe('what is kept in RAM', () => {
  const KILLED = {
    'describe.txt': '    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n',
  };
  const SLEPT =
    '(LLMRayActor pid=9) INFO 05-02 03:12:40 [gpu_worker.py:81] Sleep mode freed 29.83 GiB memory, 9.14 GiB memory is still in use.\n';

  it.each([
    ['by a sleep', '', true],
    ['by a sleep that drops the weights', 'llm.sleep(level=2)', false],
  ])('%s', async (_, args, kept) => {
    const files = { ...KILLED, 'args.txt': `${args}\n`, 'previous.log': SLEPT };
    const { diagnosis } = await diagnosed(files, 'vllm', 'hours');

    expect(diagnosis.verdict.cause === 'host.offload').toBe(kept);
  });

  it('by a cache of prompts that lists them', async () => {
    const log = 'srv        update:    - prompt 0x7f1b4c3ad010:    1163 tokens, checkpoints:  0,     3.126 MiB\n';
    const { diagnosis } = await diagnosed({ ...KILLED, 'previous.log': log }, 'ollama', 'days');
    const without = await diagnosed({ ...KILLED, 'previous.log': 'srv        update:\n' }, 'ollama', 'days');

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.offload', causeCertain: false });
    expect(without.diagnosis.verdict.cause).not.toBe('host.offload');
  });
});

describe('a pool that MII resets', () => {
  it('is a queue that went too far, and no failure', async () => {
    const line =
      'Deadlock detected. Resetting KV cache and recomputing requests. Consider limiting number of concurrent requests or decreasing max lengths of prompts/generations.\n';

    const { diagnosis } = await diagnosed({ 'previous.log': line }, 'deepspeed-mii', 'hours');

    expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.preemption-warning' });
  });
});

describe('a start that ends', () => {
  it('amid the weights, streamed', async () => {
    const log =
      '(VllmWorker rank=0 pid=808) Loading safetensors using Runai Model Streamer:  11% Completed | 13/114 [00:44<05:41,  3.38s/it]\n(VllmWorker rank=6 pid=814) [RunAI Streamer] CPU Buffer size: 4.1 GiB for file: model-00013-of-00114.safetensors\nRead throughput is 1.02 GB per second\n';

    const { diagnosis } = await diagnosed({ 'previous.log': log }, 'vllm', 'startup');

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.startup.weight-staging', certain: false });
  });

  it('without a device', async () => {
    const line = 'INFO 10-21 16:50:33 [__init__.py:220] No platform detected, vLLM is running on UnspecifiedPlatform\n';
    const killed = `${line}Killed\n`;

    expect((await diagnosed({ 'previous.log': line })).diagnosis.verdict).toMatchObject({
      cause: 'none.driver',
      certain: false,
    });
    expect((await diagnosed({ 'previous.log': killed })).diagnosis.verdict.plane).toBe('host');
  });

  it('in a table of Triton that is too narrow for the end of the line', async () => {
    const log =
      '| preproc    | 1       | UNAVAILABLE: Internal: Unable to initialize shared memo                     |\nerror: creating server: Internal - failed to load all models\n';

    const { diagnosis } = await diagnosed({ 'previous.log': log }, 'triton', 'startup');

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.shm', certain: false });
  });
});
