import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function diagnosed(log: string, files: Readonly<Record<string, string>> = {}, incident: object = {}) {
  const all = { 'previous.log': `${log}\n`, 'incident.json': JSON.stringify(incident), ...files };
  return diagnoseSource(aSnapshot(all), { phrases: COMPILED_PHRASES, judge });
}

describe('an allocation that user space refuses', () => {
  it.each([
    'OSError: [Errno 12] Cannot allocate memory',
    'bash: fork: Cannot allocate memory',
    'MemoryError',
    "terminate called after throwing an instance of 'std::bad_alloc'",
    'Unable to pin memory: cudaHostAlloc failed',
    'RuntimeError: aclrtMallocHost failed: 207001',
    'Fatal Python error: Bus error',
    'RuntimeError: unable to mmap 1048576 bytes from file </torch_18692_1954506624>: Cannot allocate memory (12)',
  ])('points to RAM and proves nothing: %s', async (line) => {
    const { diagnosis } = await diagnosed(line);

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', certain: false });
  });

  it.each([
    'ValueError: Not enough RAM to load the model. Required 48.0 GB, available 30.1 GB',
    'RuntimeError: bad allocation',
    'OSError: [WinError 1450] Insufficient system resources exist to complete the requested service',
    'java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory',
    'fatal error: runtime: out of memory',
    'Message from debugger: Terminated due to memory issue',
    'Your session crashed after using all available RAM.',
    'Error: host out of memory while loading weights',
  ])('is read from its words, at the start as well: %s', async (line) => {
    const { diagnosis } = await diagnosed(line, {}, { uptime: 'startup' });

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', phase: 'startup', certain: false });
  });

  it('is proved by the kernel beside it', async () => {
    const kernel =
      'Memory cgroup out of memory: Killed process 7 (python3) total-vm:123456kB, anon-rss:654321kB, file-rss:0kB, shmem-rss:0kB\n';
    const { diagnosis } = await diagnosed('OSError: [Errno 12] Cannot allocate memory', { 'kernel.txt': kernel });

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', certain: true });
  });

  it.each([
    "RuntimeError: [enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 68719476736 bytes. Error code 12 (Cannot allocate memory)",
    'numpy.core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array with shape (1000000000,) and data type float64',
    'Allocator: not enough memory: you tried to allocate 35389440 bytes.',
  ])('is proved by the size of what was asked for: %s', async (line) => {
    const { diagnosis } = await diagnosed(line);

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', certain: true });
  });

  it.each([
    "RuntimeError: [enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 1152921504606846976 bytes. Error code 12 (Cannot allocate memory)",
    'numpy.core._exceptions._ArrayMemoryError: Unable to allocate 3.20 PiB for an array with shape (450359962737, 1000) and data type float64',
  ])('of a size that no machine has is none: %s', async (line) => {
    const { diagnosis } = await diagnosed(line);

    expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.other' });
  });

  it('is proved by a context of ggml that got no buffer', async () => {
    const { diagnosis } = await diagnosed('ggml.c:1685: GGML_ASSERT(ctx->mem_buffer != NULL) failed\nAborted');

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', certain: true, causeCertain: false });
  });

  it('of a signal stack is none', async () => {
    const { diagnosis } = await diagnosed(
      [
        'Traceback (most recent call last):',
        '  File "/opt/engine/scheduler.py", line 19, in run_scheduler_process',
        '    faulthandler.enable()',
        'OSError: [Errno 12] Cannot allocate memory',
      ].join('\n'),
    );

    expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.other' });
  });
});

describe('a range that the runtime will not lock', () => {
  const refused = (size: string, why = 'rc=1, invalid argument') =>
    `RuntimeError: cudaHostRegister failed (${why}) for ptr=0x7f0000000000 size=${size}; host buffer is not pinned and device transfers may silently return stale data.`;

  it('of hundreds of gigabytes is the pool of a host cache, likely', async () => {
    const { diagnosis } = await diagnosed(refused('300000000000'), {}, { uptime: 'startup' });

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.offload', phase: 'startup', certain: false });
  });

  it.each([refused('4096'), refused('300000000000', 'rc=801, operation not supported')])(
    'is no want of RAM: %s',
    async (line) => {
      const { diagnosis } = await diagnosed(line, {}, { uptime: 'startup' });

      expect(diagnosis.verdict.cause).not.toBe('host.offload');
    },
  );
});

describe('a share of RAM in use', () => {
  it.each([
    ['node memory 119.2/121.6 GiB', 'host'],
    ['host memory: 62.1 GB / 62.7 GB', 'host'],
    // Exactly at the line.
    ['system memory 95.0/100.0 GiB', 'host'],
    // Near misses: room is left, it is a card, it is what is free, or a total that is smaller than the use.
    ['node memory 94.9/100.0 GiB', 'nothing'],
    ['GPU memory 78.9/79.3 GiB', 'nothing'],
    ['free node memory 119.2/121.6 GiB', 'nothing'],
    ['node memory 121.6/119.2 GiB', 'nothing'],
  ])('%s points to %s', async (line, plane) => {
    const { facts } = await diagnosed(line);

    expect(facts.get('log.hint-plane')).toMatchObject({ value: plane });
  });
});

describe('memory taken after the load', () => {
  const start = [
    'INFO 01-05 10:02:01 model_runner.py:1060] Starting to load model m...',
    'INFO 01-05 10:02:42 model_runner.py:1071] Loading model weights took 5.1250 GB',
  ];
  const sized = 'INFO 01-05 10:04:26 gpu_executor.py:122] # GPU blocks: 9000, # CPU blocks: 2048';

  it('where blocks in RAM are taken it is those', async () => {
    const { facts, diagnosis } = await diagnosed([...start, sized, 'Killed'].join('\n'));

    expect(facts.get('ram.swap-blocks')).toMatchObject({ value: 2048 });
    expect(diagnosis.verdict).toMatchObject({ finding: 'host-startup-swap', cause: 'host.offload', certain: true });
  });

  it('where CPU and GPU share one memory it is the machine', async () => {
    const { diagnosis } = await diagnosed(
      [...start, sized, 'Killed'].join('\n'),
      {},
      { gpu: { model: 'Jetson Orin' } },
    );

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.node-pressure', phase: 'startup' });
  });

  it('where the engine warned of its swap space it is that, warned of alone it is nothing', async () => {
    const warned =
      'WARNING 05-01 10:00:00 config.py:1] Possibly too large swap space. 8.00 GiB out of the 15.55 GiB total CPU memory is allocated for the swap space.';
    const started = 'INFO 05-01 09:59:58 api_server.py:585] vLLM API server version 0.6.3';
    const killed = await diagnosed([started, warned, 'Killed'].join('\n'), {}, { uptime: 'startup' });
    const alone = await diagnosed(warned);

    expect(killed.facts.get('ram.offload-bytes')).toMatchObject({ value: 8 * 1024 ** 3 });
    expect(killed.diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.offload', certain: true });
    expect(alone.diagnosis.verdict).toMatchObject({ plane: 'unknown' });
  });

  it('amid the load it is staging', async () => {
    const { diagnosis } = await diagnosed([...start.slice(0, 1), 'Killed'].join('\n'));

    expect(diagnosis.verdict).toMatchObject({ cause: 'host.startup.weight-staging' });
  });

  it('weights that llama.cpp keeps outside the card are an offload, an embedding is not', async () => {
    const buffers = (mib: string, buf = 'CUDA_Host') => `load_tensors:    ${buf} model buffer size = ${mib} MiB`;
    const ofExperts = await diagnosed(buffers('98304.00'));
    const ofEmbedding = await diagnosed(buffers('800.00'));
    const ofFile = await diagnosed(buffers('98304.00', 'CPU_Mapped'));

    expect(ofExperts.facts.get('ram.offload-configured')).toMatchObject({ value: true });
    expect(ofExperts.facts.get('ram.offload-bytes')).toMatchObject({ value: 98304 * 1024 ** 2 });
    expect(ofEmbedding.facts.get('ram.offload-configured')).toMatchObject({ kind: 'unknown' });
    expect(ofFile.facts.get('ram.offload-configured')).toMatchObject({ kind: 'unknown' });
  });
});

describe('an engine that sleeps', () => {
  const asleep = 'INFO 01-05 10:11:23 [abstract.py:306] It took 2.500000 seconds to fall asleep.';
  const awake = (tags = '') => `INFO 01-05 10:12:23 [abstract.py:330] It took 0.800000 seconds to wake up${tags}.`;
  const died = 'ERROR 01-05 10:13:00 [dump_input.py:69] Dumping input data for V1 LLM engine (v0.11.1) with config: x';

  it.each([
    ['asleep', [asleep], true],
    ['woken in part', [asleep, awake(" tags ['weights']")], true],
    ['awake', [asleep, awake()], false],
    ['wholly awake', [asleep, awake(" tags ['weights', 'kv_cache']")], false],
    ['never put to sleep', [], false],
  ] as const)('%s', async (_name, before, value) => {
    const { facts } = await diagnosed([...before, died].join('\n'));

    expect(facts.get('engine.asleep')).toMatchObject({ value });
  });

  it('can not run a step, which is a fault and no want of memory', async () => {
    const { diagnosis } = await diagnosed([asleep, died].join('\n'));

    expect(diagnosis.verdict).toMatchObject({ finding: 'none-asleep', cause: 'none.gpu-fault', certain: false });
  });
});

describe("Ray's monitor", () => {
  const ended = (pid: number, own: number, used: number) =>
    `Memory on the node (IP: 10.0.0.1, ID: ab) where the task (actor ID: ff, name=RayWorkerWrapper.__init__, pid=${pid}, memory used=${own}GB) was running was ${used}GB / 96.00GB (0.96), which exceeds the memory usage threshold of 0.95. Ray killed this worker (ID: 55) because it was the most recently scheduled task\n`;
  const row = (pid: number, own: number, command = 'ray::ServeReplica:llm:LLMServer.__init__') =>
    `${pid}\t${own.toFixed(2)}\t${command}\n`;

  it.each([
    ['four replicas', ended(4, 20.66, 91.4) + row(1, 21.9) + row(2, 21.4) + row(3, 21) + row(4, 20.66), 4],
    ['the list cut away behind the second', ended(4, 20.66, 61.1) + row(1, 21.9) + row(2, 21.4), 3],
    ['the report cut away', row(1, 21.9) + row(2, 21.4) + row(3, 0.4, 'python -m ray.dashboard'), 2],
    [
      'each line with the process that prints it',
      ended(4, 20.66, 91.4) + [1, 2, 3].map((pid) => `(EngineCore pid=921) ${row(pid, 21)}`).join(''),
      4,
    ],
    ['small beside what others hold', ended(4, 3.1, 91.4) + row(1, 3.2) + row(2, 3.1), 0],
    ['one giant', ended(4, 50.1, 91.4) + row(4, 50.1) + row(1, 3.2) + row(2, 3.1), 1],
    ['nothing but libraries', ended(4, 0.7, 2.1) + row(1, 0.8) + row(2, 0.7), undefined],
  ])('lists workers of one size: %s', async (_, log, count) => {
    const { facts } = await diagnosed(log);
    const found = facts.get('ram.equal-workers');

    expect(found?.kind === 'known' ? found.value : undefined).toBe(count);
  });

  const read = (...rows: string[]) => `checkpoint 219 GiB, 2 ranks per node\n${rows.join('\n')}\n`;

  it.each([
    [
      'loaders',
      read('loader   RSS rank 0   RSS rank 1', 'auto   9.8 GB   9.6 GB', 'streamer   221.4 GB   219.0 GB'),
      2,
    ],
    ['rows', read('RSS on the node at the kill', 'rank 0  221.4 GB', 'rank 1  219.0 GB'), 2],
    ['one line', read('host memory: Worker_TP0 221G, Worker_TP1 219G'), 2],
    ['names of ranks', read('RSS: tp_rank=0 = 221.4 GiB, tp_rank=1 = 219.0 GiB'), 2],
    ['one giant', read('RSS', 'rank 0  421.4 GB', 'rank 1  9.0 GB'), 1],
    ['little of what was in use', read('RSS', 'rank 0  21.4 GB', 'rank 1  19.0 GB'), 0],
    ['what cards hold', read('memory of each GPU', 'rank 0  71.4 GB', 'rank 1  79.0 GB'), undefined],
    ['a table of settings', read('RSS rank 0   RSS rank 1', 'streamer   221.4 GB   16 threads'), undefined],
    ['remarks', read('# RSS rank 0 221.4 GB', '# RSS rank 1 219.0 GB'), undefined],
  ])('beside readings of each worker: %s', async (_, metrics, count) => {
    const { facts } = await diagnosed(ended(4, 221.37, 466), { 'metrics.txt': metrics });
    const found = facts.get('ram.equal-workers');

    expect(found?.kind === 'known' ? found.value : undefined).toBe(count);
  });

  it.each([
    'ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.',
    '(raylet) 2 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons',
    'ray.memory_monitor.RayOutOfMemoryError: More than 95% of the memory on node n1 is used (60.1 / 62.7 GB).',
    'Worker exit type: NODE_OUT_OF_MEMORY Worker exit detail: Task was killed.',
    'PID\tMEM(GB)\tCOMMAND\n2629274\t28.07\tray::Worker.actor_rollout_generate_sequences',
    'Refer to the documentation on how to address the out of memory issue: https://docs.ray.io/en/latest/ray-core',
  ])('speaks of the node, and after hours of what grew there: %s', async (line) => {
    const { diagnosis } = await diagnosed(line, {}, { uptime: 'first request' });
    const late = await diagnosed(line, {}, { uptime: 'hours' });

    expect(diagnosis.verdict).toMatchObject({
      plane: 'host',
      phase: 'burst',
      cause: 'host.node-pressure',
      certain: true,
    });
    expect(late.diagnosis.verdict).toMatchObject({ phase: 'chronic', cause: 'host.chronic.leak', causeCertain: false });
  });

  it('names processes by their calls, which tell what was being done', async () => {
    const table = (call: string) => `Top 10 memory users:\n2629274 28.07 ray::Worker${call}`;
    const lifeOf = async (call: string) => (await diagnosed(table(call))).facts.get('failure.life');

    expect(await lifeOf('.actor_rollout_generate_sequences')).toMatchObject({ value: 'serving' });
    expect(await lifeOf('.execute_method')).toMatchObject({ kind: 'unknown' });
  });
});

describe('a process of a pool that is gone without a word', () => {
  const compiling = 'INFO 09-24 05:50:21 [backends.py:548] Dynamo bytecode transform time: 11.92 s';
  const served = 'INFO:     127.0.0.1:5 - "POST /v1/chat/completions HTTP/1.1" 200 OK';
  const compiler = 'RuntimeError: A compilation subprocess exited unexpectedly. This is likely due to a crash.';
  const broken =
    'concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly while the future was running or pending.';

  it.each([
    ['a compiler, in a start', [compiling, compiler], 'host', 'host.startup.workers'],
    ['two ranks, the second cut off', [compiling, compiler, compiler.slice(0, 50)], 'host', 'host.startup.workers'],
    ['of images, at work', [served, broken], 'host', 'host.burst.payload'],
    ['near miss - it crashed', [compiling, 'Fatal Python error: Segmentation fault', compiler], 'none', 'none.other'],
    ['near miss - an error above it', [compiling, "ImportError: No module named 'x'", broken], 'none', 'none.config'],
  ])('is a guess at RAM where no other error says why: %s', async (_, lines, plane, cause) => {
    const { diagnosis } = await diagnosed(`${lines.join('\n')}\n`);

    expect(diagnosis.verdict).toMatchObject({ plane, cause, certain: false });
  });
});

describe('a buffer that llama.cpp was refused without a name, as Ollama repeats it', () => {
  const repeated = 'Error: llama runner process has terminated: error loading model: unable to allocate backend buffer';
  const ofDevice =
    'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9000.00 MiB on device 0: cudaMalloc failed: out of memory';

  it('is the part in RAM, since that of the card is planned by what is free there', async () => {
    const { diagnosis } = await diagnosed(repeated, {}, { engine: 'ollama', uptime: 'startup' });

    expect(diagnosis.verdict).toMatchObject({ phase: 'startup', cause: 'host.startup.weight-staging', certain: false });
  });

  it('is that of the card where the card refused', async () => {
    const { diagnosis } = await diagnosed(`${ofDevice}\n${repeated}`, {}, { engine: 'ollama', uptime: 'startup' });

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', phase: 'startup' });
  });
});
