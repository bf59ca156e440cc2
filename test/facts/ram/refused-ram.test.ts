import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known, logged } from '../incident.ts';

const diagnosed = (log: string, files: Files = {}, incident: object = {}) =>
  diagnoseFiles({ ...logged(log), ...known(incident), ...files });

describe('an allocation that user space refuses', () => {
  it.each([
    'ValueError: Not enough RAM to load the model. Required 48.0 GB, available 30.1 GB',
    'RuntimeError: bad allocation',
    'OSError: [WinError 1450] Insufficient system resources exist to complete the requested service',
    'fatal error: runtime: out of memory',
    'Message from debugger: Terminated due to memory issue',
    'Error: host out of memory while loading weights',
  ])('is read from its words, at the start as well: %s', async (line) => {
    expect((await diagnosed(line, {}, { uptime: 'startup' })).diagnosis.verdict).toMatchObject({
      plane: 'host',
      phase: 'startup',
      certain: false,
    });
  });

  it('is proved by the kernel beside it', async () => {
    const kernel =
      'Memory cgroup out of memory: Killed process 7 (python3) total-vm:123456kB, anon-rss:654321kB, file-rss:0kB, shmem-rss:0kB\n';
    expect(
      (await diagnosed('OSError: [Errno 12] Cannot allocate memory', { 'kernel.txt': kernel })).diagnosis.verdict,
    ).toMatchObject({ plane: 'host', certain: true });
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
    expect((await diagnosed(refused('300000000000'), {}, { uptime: 'startup' })).diagnosis.verdict).toMatchObject({
      plane: 'host',
      cause: 'host.offload',
      phase: 'startup',
      certain: false,
    });
  });

  it.each([refused('4096'), refused('300000000000', 'rc=801, operation not supported')])(
    'is no want of RAM: %s',
    async (line) => {
      expect((await diagnosed(line, {}, { uptime: 'startup' })).diagnosis.verdict.cause).not.toBe('host.offload');
    },
  );
});

describe('memory taken after the load', () => {
  const start = [
    'INFO 01-05 10:02:01 model_runner.py:1060] Starting to load model m...',
    'INFO 01-05 10:02:42 model_runner.py:1071] Loading model weights took 5.1250 GB',
  ];

  it('where the engine warned of its swap space it is that, warned of alone it is nothing', async () => {
    const warned =
      'WARNING 05-01 10:00:00 config.py:1] Possibly too large swap space. 8.00 GiB out of the 15.55 GiB total CPU memory is allocated for the swap space.';
    const started = 'INFO 05-01 09:59:58 api_server.py:585] vLLM API server version 0.6.3';
    const killed = await diagnosed([started, warned, 'Killed'].join('\n'), {}, { uptime: 'startup' });
    const alone = await diagnosed(warned);

    expect(killed.facts.get('ram.offload-bytes')).toMatchObject({ value: 8 * 1024 ** 3 });
    expect(killed.diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.offload', certain: false });
    expect(alone.diagnosis.verdict).toMatchObject({ plane: 'unknown' });
  });

  it('amid the load it is staging', async () => {
    expect((await diagnosed([...start.slice(0, 1), 'Killed'].join('\n'))).diagnosis.verdict).toMatchObject({
      cause: 'host.startup.weight-staging',
    });
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

describe('a process of a pool that is gone without a word', () => {
  const compiling = 'INFO 09-24 05:50:21 [backends.py:548] Dynamo bytecode transform time: 11.92 s';
  const served = 'INFO:     127.0.0.1:5 - "POST /v1/chat/completions HTTP/1.1" 200 OK';
  const compiler = 'RuntimeError: A compilation subprocess exited unexpectedly. This is likely due to a crash.';
  const broken =
    'concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly while the future was running or pending.';

  it.each([
    ['of images, at work', [served, broken], 'host', 'host.burst.payload'],
    ['near miss - it crashed', [compiling, 'Fatal Python error: Segmentation fault', compiler], 'none', 'none.other'],
  ])('is a guess at RAM where no other error says why: %s', async (_, lines, plane, cause) => {
    expect((await diagnosed(`${lines.join('\n')}\n`)).diagnosis.verdict).toMatchObject({
      plane,
      cause,
      certain: false,
    });
  });
});

const repeated = 'Error: llama runner process has terminated: error loading model: unable to allocate backend buffer';
const ofDevice =
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9000.00 MiB on device 0: cudaMalloc failed: out of memory';

it.each([
  // What goes to the card is planned by what is free there.
  ['the part in RAM', repeated, { cause: 'host.startup.weight-staging', certain: false }],
  ['that of the card where the card refused', `${ofDevice}\n${repeated}`, { plane: 'gpu' }],
])('a buffer that llama.cpp was refused without a name, as Ollama repeats it is %s', async (_, log, verdict) => {
  const { diagnosis } = await diagnosed(log, {}, { engine: 'ollama', uptime: 'startup' });

  expect(diagnosis.verdict).toMatchObject({ phase: 'startup', ...verdict });
});
