import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';
import { BOILERPLATE } from '../../read/engine/boilerplate-lines.ts';

async function diagnosed(log: string, uptime = 'startup', files: Readonly<Record<string, string>> = {}) {
  const all = { ...files, 'previous.log': `${log}\n`, 'incident.json': JSON.stringify({ uptime }) };
  return diagnoseSource(aSnapshot(all), { phrases: COMPILED_PHRASES, judge });
}

describe('the words of the last lines', () => {
  it.each([
    // The plane and, in its own fact, the cause.
    ['worker 3 stopped after a device-side assert', 'none', 'none.gpu-fault'],
    ['the loader met an unsupported PTX version', 'none', 'none.driver'],
    ['scheduler: 2 nodes, insufficient gpu', 'none', 'none.scheduling'],
    ['supervisor: startup probe gave up on the engine', 'none', 'none.probe-kill'],
    ['rank 1: broken pipe while it joined', 'none', 'none.comm'],
    ['launcher: unrecognized argument --foo', 'none', 'none.config'],
    ['engine: segfault in thread 4', 'none', 'none.other'],
    ['sh: fork: retry: Resource temporarily unavailable', 'none', 'none.other'],
    ['cgroup: fork rejected by pids controller in /kubepods/pod7', 'none', 'none.other'],
    ['init: WSL environment detected but no adapters were found', 'none', 'none.driver'],
    ['cuMemcpyBatchAsync failed at index 1 (CUDA_ERROR_INVALID_VALUE)', 'none', 'none.other'],
    ['kernel: result CUDA_ERROR_CONTAINED', 'none', 'none.gpu-fault'],
    ['runtime: cudaErrorJitCompilerNotFound', 'none', 'none.driver'],
    ['Try to allocate 4096 tokens.', 'gpu', 'gpu.burst.concurrency', 'hours'],
    ['kernel launch: invalid device symbol', 'none', 'none.driver'],
    ['Failed: Cuda error /workspace/csrc/custom_all_red', 'none', 'none.gpu-fault', 'hours'],
    ['14:02:10 cicc=24 ciccRSS=88.7Gi avail=17Gi', 'host', 'host.startup.workers'],
    ['scheduler: prefill stopped: memory 37.9GB exceeds ceiling 37.5GB', 'gpu', 'gpu.burst.long-context', 'minutes'],
    ['layer 3: tensor volume exceeds 2147483647, dimensions are [n,4096]', 'none', 'none.other'],
    ['mooncake: transfer of 3 slices aborted', 'none', 'none.comm'],
    ['worker: failed to register memory', 'none', 'none.comm'],
    ['the server hangs when TP > 1', 'none', 'none.comm'],
    ['MPI error in mpiUtils.cpp:211', 'none', 'none.comm'],
    ['GPU quota exceeded in this region', 'none', 'none.scheduling'],
    ['pods are stuck in `Pending`', 'none', 'none.scheduling'],
    ['the kubelet kills the leader meanwhile', 'none', 'none.probe-kill'],
    ['close to 100% cache the requests wait and throughput is gone', 'none', 'none.preemption-warning', 'hours'],
    ['sizes: negative value for self.max_total_num_tokens', 'gpu', 'gpu.startup.kv-room'],
    ['Unable to pin host memory for the tensors', 'host', 'host.offload'],
    ['worker 1 met a bus error', 'host', 'host.shm'],
    ['some_pool: available=9.0 < need=16', 'gpu', 'gpu.startup.kv-room'],
    [
      'Adding requests:  88%|███ | 453/512 [00:06<00:00, 79.11it/s] pool: available=9.0 < need=16',
      'gpu',
      'gpu.burst.concurrency',
      'minutes',
    ],
    ['engine: OOM for this card, model and cache', 'gpu', 'gpu.startup.kv-room'],
    ['engine: OOM, sorry', 'gpu', 'gpu.startup.weights'],
  ])('%s -> %s', async (line, plane, cause, uptime = 'startup') => {
    const { facts, diagnosis } = await diagnosed(line, uptime);

    expect(facts.get('guess.plane')).toMatchObject({ value: plane });
    expect(facts.get(`log.likely-${plane}-cause`)).toMatchObject({ value: cause });
    expect(diagnosis.verdict.certain).toBe(false);
  });

  it.each([
    ['reports in the course of work', 'INFO 07-10 10:00:00 [pynccl.py:70] uses NCCL 2.27.5'],
    [
      'code behind the head of a log line',
      'ERROR 07-10 10:00:00 [c.py:3]   File "/opt/c.py", line 3, in run_heartbeat',
    ],
    ['code in a traceback', '  File "/opt/nccl/x.py", line 3, in start\n    raise broken pipe'],
    ['what CUDA says of a call of the engine', 'CUDA error: invalid argument'],
    ['advice', 'to avoid OOM, lower the fraction'],
    [
      'a warning that says what is done instead',
      'WARNING 02-20 18:36:00 x.py:1] this mode is not supported here, fallback to the eager mode.',
    ],
    ['what a user wrote', "Received request c-1: prompt: 'my server has a bus error'"],
    [
      'the hint that PyTorch adds to every error',
      'Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.',
    ],
  ])('say nothing in %s', async (_what, line) => {
    const { facts } = await diagnosed(line);

    expect(facts.get('guess.plane')).toMatchObject({ value: 'nothing' });
  });

  it.each(BOILERPLATE)('say nothing in boilerplate: %s', async (_what, line) => {
    const { facts } = await diagnosed(line);

    expect(facts.get('guess.plane')).toMatchObject({ value: 'nothing' });
  });

  it.each([
    ["ReadTimeoutError: HTTPSConnectionPool(host='cas-bridge.xethub.hf.co', port=443): Read timed out.", 'none.other'],
    ["requests.exceptions.ReadTimeout: HTTPConnectionPool(host='10.0.0.4', port=8000): Read timed out.", 'none.comm'],
  ])('tell a download that broke off from processes that do not answer: %s', async (line, cause) => {
    const { facts } = await diagnosed(line);

    expect(facts.get('guess.other-cause')).toMatchObject({ value: cause });
  });

  it('a failure by name outweighs an actor that complains before it', async () => {
    const { facts } = await diagnosed('rank 0: connection reset by rank 1\nrank 1 fell off the bus');

    expect(facts.get('guess.other-cause')).toMatchObject({ value: 'none.gpu-fault', from: [{ line: 2 }] });
  });

  it.each([
    ['minutes', 'gpu.burst.multimodal'],
    ['startup', 'gpu.startup.profiling'],
  ])('name the part that asked, by the time of life: %s', async (uptime, cause) => {
    const { diagnosis } = await diagnosed('engine: OOM in vision tower', uptime);

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', cause, certain: false });
  });

  it('what PyTorch adds of graphs to its own sentence names no part', async () => {
    const { facts } = await diagnosed(
      'RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB, with 10 MiB allocated in private pools (e.g., CUDA Graphs)',
    );

    expect(facts.get('guess.gpu-cause')).toMatchObject({ value: 'gpu.startup.weights' });
  });
});

describe('what stands beside the log', () => {
  it.each([
    ['Node scale up in zones a associated with this pod failed: GCE quota exceeded.', 'none.scheduling'],
    ['workspace-falcon-7b    Standard_NC6s_v3    False       False      33m', 'none.scheduling'],
  ])('the description of a pod that never ran tells why: %s', async (line, cause) => {
    const { diagnosis } = await diagnosed('# no log, the pod never starts', 'startup', { 'describe.txt': `${line}\n` });

    expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause, certain: false });
  });

  it('of vLLM on the processor, a want of memory that names none is of RAM', async () => {
    const files = { 'previous.log': '# the pod crashes due to OOM\n' };
    const told = async (engine: string) =>
      diagnoseSource(aSnapshot({ ...files, 'incident.json': JSON.stringify({ engine, uptime: 'hours' }) }), {
        phrases: COMPILED_PHRASES,
        judge,
      });

    expect((await told('vllm (CPU)')).diagnosis.verdict).toMatchObject({ plane: 'host', certain: false });
    expect((await told('vllm')).diagnosis.verdict).toMatchObject({ plane: 'gpu', certain: false });
  });

  it.each(['cpu_tensor.is_ready(), "tensor must be ready"', 'rows == columns'])(
    'the check that the last frame shows is the error where its type is cut away: %s',
    async (check) => {
      const { diagnosis, facts } = await diagnosed(`  File "/opt/vllm/x.py", line 3, in copy\n    assert ${check}`);

      expect(facts.get('log.exception')).toMatchObject({ value: `AssertionError: ${check}` });
      expect(diagnosis.verdict).toMatchObject({ plane: 'none', certain: false });
    },
  );

  it('where the device is named elsewhere, memory that grows is not taken for RAM', async () => {
    const { diagnosis } = await diagnosed('# no lines', 'hours', {
      'metrics.txt': 'GPU memory at the start is 54 GB\nmemory climbs steadily with each request\n',
    });

    expect(diagnosis.verdict.plane).not.toBe('host');
  });
});

describe('words that were taken for another plane', () => {
  it.each([7, 9])('signal %d to a shard', async (signal) => {
    const { diagnosis } = await diagnosed(`Download process was signaled to shutdown with signal ${signal}: x`);

    expect(diagnosis.verdict).toMatchObject({ plane: 'host' });
    expect(diagnosis.verdict.cause === 'host.shm').toBe(signal === 7);
  });

  it('a crash of a shard is no wrong setting', async () => {
    const { diagnosis } = await diagnosed('Shard process was signaled to shutdown with signal 11 rank=0');

    expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.other' });
  });

  it('the allocator of the sleep mode maps device memory, whatever is kept in RAM', async () => {
    const { diagnosis } = await diagnosed(
      'RuntimeError: CUDA Error: out of memory at /workspace/csrc/cumem_allocator.cpp:62',
      'hours',
      { 'args.txt': 'vllm serve m --enable-sleep-mode --swap-space 16\n' },
    );

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', phase: 'burst', cause: 'gpu.startup.shared-gpu' });
  });

  it('a field that says that nothing was OOMKilled speaks of no memory', async () => {
    const inspected = await diagnosed('"State": {\n    "OOMKilled": false,\n    "ExitCode": 1,\n}', 'minutes');

    expect(inspected.diagnosis.verdict.plane).toBe('unknown');
  });

  it('the forward pass before the engine is ready is its trial', async () => {
    const { diagnosis } = await diagnosed(
      '  File "/opt/engine/run.py", line 3, in forward\nRuntimeError: CUDA out of memory.',
    );

    expect(diagnosis.verdict).toMatchObject({ phase: 'startup', cause: 'gpu.startup.profiling' });
  });
});

describe('an argument in `kubectl describe`', () => {
  it.each([
    ['is no word for what failed', '      --swap-space\n      16', 'host.burst.payload'],
    ['near miss: what is no argument speaks', '      swap-space 16', 'host.offload'],
  ])('%s', async (_name, line, cause) => {
    const described = `Name: heron-0\nContainers:\n  vllm:\n    Image: vllm/vllm-openai:v0.11.0\n    Args:\n${line}\n    Last State: Terminated\n      Reason: OOMKilled\n      Exit Code: 137\n`;
    const source = aSnapshot({ 'describe.txt': described });
    const { facts } = await diagnoseSource(source, { phrases: COMPILED_PHRASES, judge });

    expect(facts.get('guess.host-cause')).toMatchObject({ value: cause });
  });
});
