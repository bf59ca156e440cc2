import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known, logged, valueOfFact } from '../incident.ts';

const diagnosed = (files: Files, incident: Readonly<Record<string, unknown>> = {}) =>
  diagnoseFiles({ ...files, ...known(incident) });

const factOf = async (id: string, ...given: Parameters<typeof diagnosed>) =>
  valueOfFact((await diagnosed(...given)).facts, id);

const verdictOf = async (...given: Parameters<typeof diagnosed>) => (await diagnosed(...given)).diagnosis.verdict;

const V1_LINE = 'INFO 05-01 10:00:00 [core.py:58] Initializing a V1 LLM engine (v0.8.5) with config: model=m\n';
const SWAP_WARNED =
  'WARNING 05-01 10:00:00 cache.py:1] Possibly too large swap space. 16.00 GiB out of the 31.00 GiB total CPU memory is allocated for the swap space.\n';

describe('memory that an engine keeps on the host', () => {
  it.each([
    '--enable-sleep-mode',
    '--enable-hierarchical-cache --hicache-ratio 2',
    '--cpu-offload-gb 40',
    '--n-cpu-moe 20',
    'cache-ram = 49152',
    'LMCACHE_MAX_LOCAL_CPU_SIZE=200',
    'kv_cache_host_memory_bytes: 45000000000',
  ])('is configured by %s', async (args) => {
    expect(await factOf('ram.offload-configured', { 'args.txt': `${args}\n` })).toBe(true);
  });

  it.each([
    '--tensor-parallel-size 4',
    'LMCACHE_MAX_LOCAL_DISK_SIZE=640',
    'actor.fsdp_config.param_offload=False',
    '--no-mmap',
    '--auto-devices --disk',
    'ServerArgs(cpu_offload_gb=0, enable_hierarchical_cache=False, hicache_ratio=2.0, hicache_size=0)',
    `ServerArgs(hicache_write_policy='write_through', enable_hierarchical_cache=False)`,
  ])('is not configured by %s', async (args) => {
    expect(await factOf('ram.offload-configured', { 'args.txt': `${args}\n` })).toBeUndefined();
  });

  it.each([
    ['--cpu-offload-gb 4', true],
    ['--enable-sleep-mode', true],
    ['--n-cpu-moe 20', true],
    ['--cpu-offload-gb 4 --kv-offloading-size 8', false],
    ['LMCACHE_LOCAL_CPU=True', false],
    ['cache-ram = 49152', false],
    ['--cache-ram 0.5', false],
  ])('is taken once, or grows: %s', async (args, taken) => {
    expect(await factOf('ram.offload-static', { 'args.txt': `${args}\n` })).toBe(taken);
  });

  it('comes late where the engine slept', async () => {
    const slept =
      'INFO 05-01 10:00:00 [gpu_worker.py:117] Sleep mode freed 40.00 GiB memory, 1.00 GiB memory is still in use.';
    const files = { 'args.txt': 'vllm serve m --enable-sleep-mode\n', ...logged(slept) };

    expect(await factOf('ram.offload-static', files)).toBe(false);
  });

  it.each<[string, string | undefined, string, Files, 'yes' | 'no' | 'open']>([
    ['of a version with the first engine alone', '0.6.3', '--swap-space 16', {}, 'yes'],
    ['of one with the second alone', '0.11.0', '--swap-space 16', {}, 'no'],
    ['of one with both', '0.8.5', '--swap-space 16', {}, 'open'],
    ['of no known version', undefined, '--swap-space 16', {}, 'open'],
    ['where the variable chooses the first', '0.8.5', 'VLLM_USE_V1=0 vllm serve m --swap-space 16', {}, 'yes'],
    ['where the log shows the second', '0.8.5', '--swap-space 16', { 'previous.log': V1_LINE }, 'no'],
    ['where the second warns of it', '0.11.0', '', { 'previous.log': SWAP_WARNED }, 'no'],
  ])('is the swap space %s, or is not, or cannot be told', async (_, version, args, files, found) => {
    const incident = { engine: 'vllm', engine_version: version };

    const { facts } = await diagnosed({ 'args.txt': `${args}\n`, ...files }, incident);
    const configured = facts.get('ram.offload-configured');
    const says = configured?.kind === 'known' ? 'yes' : /V0 of vLLM/.test(configured?.detail ?? '') ? 'open' : 'no';

    expect(says).toBe(found);
    expect(facts.get('ram.offload-bytes')?.kind).toBe(found === 'yes' ? 'known' : 'unknown');
  });

  it.each([
    ['for one rank', 'vllm serve m', '40', 40],
    ['for each rank', 'vllm serve m --tensor-parallel-size 4', '40', 160],
    ['for each rank of a pipeline', 'vllm serve m -tp 2 -pp 2', '2.5', 10],
    ['not at all where it is off', 'vllm serve m -tp 4', '0', undefined],
  ])('is what LMCache takes, %s', async (_what, args, value, gib) => {
    const name = 'LMCACHE_MAX_LOCAL_CPU_SIZE';
    const pod = { spec: { containers: [{ name: 'e', image: 'vllm/vllm-openai:v0.11.0', env: [{ name, value }] }] } };
    const bytes = gib === undefined ? undefined : gib * 1024 ** 3;

    const typed = await diagnosed({ 'args.txt': `${name}=${value} ${args}\n` });
    const ofPod = await diagnosed({ 'args.txt': `${args}\n`, 'pod.json': JSON.stringify(pod) });

    for (const { facts } of [typed, ofPod]) {
      expect(valueOfFact(facts, 'ram.offload-bytes')).toBe(bytes);
    }
  });

  it('is all that a cache server keeps', async () => {
    expect(await factOf('ram.offload-configured', {}, { engine: 'lmcache server' })).toBe(true);
  });

  it('is not configured where layers found no room on the card', async () => {
    const files = logged(
      'load_tensors: loading model tensors, this can take a while...',
      'load_tensors: offloaded 41/43 layers to GPU',
      'Error: llama-server process has terminated: signal: killed',
    );

    const { facts, diagnosis } = await diagnosed(files, { engine: 'ollama' });

    expect(facts.get('ram.offload-configured')).toMatchObject({ kind: 'unknown' });
    expect(diagnosis.verdict).toMatchObject({ phase: 'startup', cause: 'host.startup.weight-staging' });
  });

  it('a cache at work is seen, and is no setting', async () => {
    const { facts } = await diagnosed({ 'previous.log': '[2026-07-10 10:00:00,1] LMCache INFO: Stored 256 tokens\n' });

    expect(facts.get('ram.cache-kept')).toMatchObject({ value: true });
    expect(facts.get('ram.offload-configured')).toMatchObject({ kind: 'unknown' });
  });
});

describe('the prompt cache of llama.cpp', () => {
  const state = (size: number) =>
    `srv prompt_save:  - saving prompt with length 900, total state size = ${size}.000 MiB`;

  it('presses where a death cuts off a save', async () => {
    const files = {
      ...logged(
        'slot      release: id  1 | task 4127 | stop processing: n_tokens = 41877, truncated = 0',
        'srv  get_availabl: updating prompt cache',
        'srv  get_availabl: prompt cache update took 41.02 ms',
      ),
      'args.txt': 'llama-server --cache-ram 32768\n',
      'describe.txt': 'Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137\nLimits:\n  memory: 20Gi\n',
    };
    expect((await diagnosed(files, { uptime: 'minutes' })).diagnosis.verdict.finding).toBe('host-offload-burst');
  });

  it('presses where it was refused room for one more prompt, and not where it is within its bound', async () => {
    const refused = 'E srv alloc: failed to allocate memory for prompt cache state: std::bad_alloc\n';
    const within = 'srv update:  - cache state: 1 prompts, 860.007 MiB (limits: 1200.000 MiB, 8192 tokens, 9000 est)\n';

    const [first, second] = [await diagnosed({ 'previous.log': refused }), await diagnosed({ 'previous.log': within })];

    expect(first.diagnosis.verdict).toMatchObject({ phase: 'prefix-cache', cause: 'host.offload', certain: false });
    expect(second.facts.get('ram.prompt-cache-presses')).toMatchObject({ value: false });
  });

  it.each([
    ['the log ends while one is saved', '', 'prefix-cache'],
    ['another program wrote below that', 'llama.service: Consumed 4min 11.302s CPU time.\n', 'prefix-cache'],
    ['the saving came to its end', 'slot prompt_clear: id  3 | task -1 | clearing prompt with 900 tokens\n', 'burst'],
  ])('is what filled the RAM where %s, and else no more than kept there', async (_, below, phase) => {
    const killed = 'llama.service: A process of this unit has been killed by the OOM killer.\n';
    const files = { 'previous.log': `${state(900)}\n${below}${killed}`, 'args.txt': 'llama-server --cache-ram 2048\n' };

    const verdict = await verdictOf(files, { uptime: 'minutes' });
    expect(verdict).toMatchObject({ plane: 'host', phase, cause: 'host.offload' });
  });

  it.each([
    ['gigabytes and nearly its bound', '6884.119', '8192.000', true],
    ['exactly four fifths of its bound', '6553.600', '8192.000', true],
    ['gigabytes well below its bound', '5000.000', '8192.000', false],
    ['little and nearly its bound', '1100.000', '1200.000', false],
    ['more than its bound', '9000.000', '8192.000', false],
  ])('presses where it holds %s', async (_name, held, bound, value) => {
    const log = `srv update:  - cache state: 31 prompts, ${held} MiB (limits: ${bound} MiB, 32768 tokens, 58254 est)\n`;

    expect(await factOf('ram.prompt-cache-presses', { 'previous.log': log })).toBe(value);
  });

  it.each([
    ['gigabytes', 9, '3600.054', true],
    ['exactly four gibibytes', 4, '1024.000', true],
    ['little', 9, '50.251', false],
  ])('presses where the checkpoints of one slot hold %s', async (_name, count, size, value) => {
    const log = `slot create_check: id  2 | task 1361 | created context checkpoint ${count} of 32 (pos_min = 47385, pos_max = 51992, n_tokens = 51993, size = ${size} MiB)\n`;

    expect(await factOf('ram.prompt-cache-presses', { 'previous.log': log })).toBe(value);
  });
});

describe('a kill without a request that shows', () => {
  const killed = {
    'describe.txt': '    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n',
  };

  it.each([
    ['minutes', 'burst', 'host.burst.payload'],
    ['hours', 'chronic', 'host.chronic.leak'],
    ['days', 'chronic', 'host.chronic.leak'],
    ['startup', 'startup', 'host.startup.limit'],
  ])('after %s is certain of RAM and of nothing else', async (uptime, phase, cause) => {
    const verdict = await verdictOf(killed, { uptime });

    expect(verdict).toMatchObject({ plane: 'host', phase, cause, certain: true, causeCertain: false });
  });

  it("zero workers in Ray's sentence are none", async () => {
    const line =
      '(raylet) 0 Workers (tasks / actors) killed due to memory pressure (OOM), 1 Workers crashed due to other reasons';
    const { facts } = await diagnosed(logged(line));

    expect(facts.get('ram.monitor-killed')).toMatchObject({ value: false });
    expect(facts.get('evidence.plane')).toMatchObject({ kind: 'unknown' });
  });

  it("Ray's monitor names no cause", async () => {
    const line = 'ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.';
    const verdict = await verdictOf(logged(line), { uptime: 'startup' });

    expect(verdict).toMatchObject({ plane: 'host', certain: true, causeCertain: false });
  });
});

it('a line that decides for a memory without proving it is not told as one that clears it', async () => {
  const line = 'cuda error: out of memory at /workspace/csrc/cumem_allocator.cpp:62';
  const { facts } = await diagnosed(logged(line));

  expect(facts.get('evidence.plane')).toMatchObject({ value: 'gpu' });
  expect(facts.get('gpu.oom-logged')).not.toMatchObject({ value: false });
  expect(facts.get('ram.oom-logged')).toMatchObject({ value: 'no' });
});

// A limit of a cgroup kills; only the kernel's account of committed memory, or ulimit -v, makes malloc and mmap fail.
describe('an allocation that was refused', () => {
  const REFUSED =
    "RuntimeError: [enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 4009910272 bytes. Error code 12 (Cannot allocate memory)";
  const MAPPED =
    'RuntimeError: unable to mmap 16933256392 bytes from file </models/m/model.safetensors>: Cannot allocate memory (12)';
  const says = async (files: Files) => (await verdictOf(files)).remedies.map(({ says: text }) => text).join('\n');

  it.each([
    ['of the process', REFUSED],
    ['of a file of weights', MAPPED],
    ['of Rust', 'memory allocation of 17179869184 bytes failed'],
    ['of llama.cpp', 'llama_model_load: error loading model: unable to allocate CPU buffer'],
  ])('does not ask for a higher limit of the container: %s', async (_name, line) => {
    const text = await says(logged(line));

    expect(text).toContain('ulimit -v');
    expect(text).not.toContain("Raise the container's memory limit");
  });

  it('does where a kill is shown as well', async () => {
    const killed = {
      'describe.txt': '    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n',
    };

    expect(await says({ ...logged(REFUSED), ...killed })).toContain("Raise the container's memory limit");
  });
});

describe('a start that ended for lack of RAM', () => {
  const LOADING = 'INFO 07-28 23:02:25 [gpu_model_runner.py:1843] Starting to load model m...';

  it.each([
    ['container init was OOM-killed (memory limit too low?): unknown', 'by its runtime'],
    ['"OOMKilled": true,', 'by Docker'],
    ['slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch.', 'by Slurm'],
    [
      'Memory cgroup out of memory: Killed process 23 (VLLM::EngineCor) total-vm:2623712kB, anon-rss:506500kB, file-rss:1268kB, shmem-rss:0kB, UID:0',
      'by the kernel',
    ],
  ])('is no refusal of the engine where it was killed: %s (%s)', async (line) => {
    expect(await verdictOf(logged(LOADING, line))).toMatchObject({ plane: 'host', phase: 'startup', certain: true });
    expect((await verdictOf(logged(LOADING, line))).finding).not.toBe('host-startup-refused');
  });

  it.each([
    'Error: model requires more system memory (10.2 GiB) than is available (2.9 GiB)',
    'ValueError: Available memory on node 0 (10.2/62.8 GiB) on startup is less than desired CPU memory utilization (0.92, 57.78 GiB).',
    // The KV cache of an engine on the CPU is in RAM.
    "ValueError: To serve at least one request with the model's max seq len (32000), (1.1 GiB KV cache is needed, which is larger than the available KV cache memory (0.56 GiB). Try increasing `VLLM_CPU_KVCACHE_SPACE`",
  ])('is one where the engine compared: %s', async (line) => {
    expect(await verdictOf(logged(LOADING, line))).toMatchObject({ finding: 'host-startup-refused' });
  });
});

describe('the account of the kernel', () => {
  const KILL =
    'Memory cgroup out of memory: Killed process 77 (python3) total-vm:300000000kB, anon-rss:3145728kB, file-rss:1024kB, shmem-rss:157286400kB, UID:0';
  const USAGE = 'memory: usage 167772160kB, limit 167772160kB, failcnt 12345';

  it('is that of the process that was killed where nothing else was kept', async () => {
    const files = { 'kernel.txt': KILL, 'args.txt': 'vllm serve acme/m --tensor-parallel-size 4' };
    const { facts, diagnosis } = await diagnosed(files);

    expect(facts.get('kernel.shmem')).toMatchObject({ value: 150 * 1024 ** 3 });
    expect(facts.get('kernel.anon')).toMatchObject({ value: 3 * 1024 ** 3 });
    expect(facts.get('kernel.shmem-share')).toMatchObject({ value: expect.closeTo(0.98, 2) });
    expect(diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.shm', certain: true, causeCertain: false });
  });

  it('gives the limit where no pod tells it, and does not outweigh the pod', async () => {
    const limits = { resources: { limits: { memory: '64Gi' } } };
    const containers = [{ name: 'vllm', image: 'vllm/vllm-openai', ...limits }];
    const pod = { metadata: { name: 'p' }, spec: { containers } };
    const alone = await diagnosed({ 'kernel.txt': `${USAGE}\n${KILL}` });
    const both = await diagnosed({ 'kernel.txt': `${USAGE}\n${KILL}`, 'pod.json': JSON.stringify(pod) });

    const from = [{ file: 'kernel.txt', line: 1 }];
    expect(alone.facts.get('ram.limit')).toMatchObject({ value: 160 * 1024 ** 3, from });
    expect(both.facts.get('ram.limit')).toMatchObject({ value: 64 * 1024 ** 3 });
  });
});

const head =
  '[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents oom_score_adj name';
const row = (pid: number, own: number, ofFiles: number) =>
  `[  ${pid}]     0 ${pid}  9743705   ${own + ofFiles}   ${own}   ${ofFiles}        0  1683456        0           999 vllm`;
const GIB = 262_144;

it.each([
  ['workers that each hold the weights', [row(1, 20 * GIB, 9), row(2, 19 * GIB, 9), row(3, GIB / 8, 9)], 2],
  ['a parent and its fork that hold nothing but libraries', [row(1, 141_203, 91_037), row(2, 86_003, 76_691)], 0],
  ['one giant that maps the same file as its siblings', [row(1, 20 * GIB, 9), row(2, GIB / 4, 20 * GIB)], 1],
])('processes of one size in the table of the kernel: %s', async (_what, rows, count) => {
  expect(await factOf('kernel.equal-tasks', { 'kernel.txt': `${[head, ...rows].join('\n')}\n` })).toBe(count);
});

describe('a node that ran dry while workers of one size loaded', () => {
  const VICTIM = 'VLLM::Worker_TP';
  const OLD = (pid: number, gib: number, name = VICTIM) =>
    `[1904422.118203] [ ${pid}]  1001 ${pid} 42119873 ${gib * 262_144} 248201216        0             0 ${name}`;
  const NEW = (pid: number, gib: number, name = VICTIM) =>
    `[1830412.771301] [   ${pid}]  1002  ${pid} 31840122 ${gib * 262_144 + 9} ${gib * 262_144}    9        0 122310656        0             0 ${name}`;
  const KILLED = `[1830412.771966] Out of memory: Killed process 82 (${VICTIM}) total-vm:127360816kB, anon-rss:60820012kB, file-rss:126428kB, shmem-rss:0kB, UID:1002`;
  const LOADS = logged('INFO 04-26 20:33:12 Starting to load model acme/m...');
  const ofKernel = (kernel: readonly string[]) => verdictOf({ ...LOADS, 'kernel.txt': `${kernel.join('\n')}\n` });

  it.each([
    ['two of a size, of two names', [OLD(81, 58, 'java'), OLD(82, 58), KILLED]],
    ['two beside what fills the node', [NEW(81, 58), NEW(82, 58), NEW(7, 70, 'java'), NEW(8, 70, 'mysqld'), KILLED]],
  ])('blames the node: %s', async (_what, kernel) => {
    expect(await ofKernel(kernel)).toMatchObject({ plane: 'host', cause: 'host.node-pressure' });
  });

  it.each([
    ['one giant', [OLD(81, 3), OLD(82, 58), KILLED]],
    ['one giant in the tables of two kills', [NEW(82, 58), KILLED, NEW(82, 58), KILLED]],
  ])('blames the load of the one that held most of it: %s', async (_what, kernel) => {
    const cause = 'host.startup.weight-staging';
    expect(await ofKernel(kernel)).toMatchObject({ plane: 'host', cause, causeCertain: false });
  });
});

describe('the counters of a container group', () => {
  const log = 'llama-server process has terminated: signal: killed';

  it('tell of kills, and not of whose limit it was', async () => {
    const { facts, diagnosis } = await diagnosed({ ...logged(log), 'metrics.txt': 'max 48213\noom 3\noom_kill 3\n' });

    expect(facts.get('kernel.oom-kill')).toMatchObject({ value: 'unstated' });
    expect(diagnosis.verdict).toMatchObject({ plane: 'host', certain: true, causeCertain: false });
  });

  it('near miss: none was killed', async () => {
    expect(await factOf('kernel.oom-kill', { ...logged(log), 'metrics.txt': 'oom 0\noom_kill 0\n' })).toBeUndefined();
  });
});

describe('a driver that does not fit', () => {
  const mismatch =
    '       [[System has unsupported display driver / cuda driver combination (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) cuInit()=803]]';
  const pinned =
    'pinned_memory_manager.cc:273] Unable to allocate pinned system memory, pinned memory pool will not be available: system has unsupported display driver / cuda driver combination';

  it('is why pinned memory cannot be had', async () => {
    const verdict = await verdictOf(logged(mismatch, pinned));

    expect(verdict).toMatchObject({ plane: 'none', cause: 'none.driver', certain: true });
  });

  it('near miss: pinned memory that ran out', async () => {
    const short = pinned.replace('system has unsupported display driver / cuda driver combination', 'out of memory');
    expect((await diagnosed(logged(short))).diagnosis.verdict).toMatchObject({ plane: 'host' });
  });
});

it('a region of shared memory that is open fails to grow for want of space, whatever is cut off behind', async () => {
  const line =
    "Failed to increase the shared memory pool size for key 'triton_python_backend_shm_region_5b6e' to 1048576 bytes.";
  expect(await factOf('ram.shm-full', logged(line))).toBe(true);
});
