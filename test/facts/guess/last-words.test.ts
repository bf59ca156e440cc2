import { describe, expect, it } from 'vitest';
import { BOILERPLATE } from '../../read/engine/boilerplate-lines.ts';
import { diagnoseFiles, type Files, known, logged, valueOfFact } from '../incident.ts';

const diagnosed = (log: string, uptime = 'startup', files: Files = {}) =>
  diagnoseFiles({ ...files, ...logged(log), ...known({ uptime }) });

const factOf = async (id: string, ...given: Parameters<typeof diagnosed>) =>
  valueOfFact((await diagnosed(...given)).facts, id);

describe('the words of the last lines', () => {
  it.each([
    ['worker 3 stopped after a device-side assert', 'startup', 'none', 'other-cause', 'none.gpu-fault'],
    ['scheduler: 2 nodes, insufficient gpu', 'startup', 'none', 'other-cause', 'none.scheduling'],
    ['rank 1: broken pipe while it joined', 'startup', 'none', 'other-cause', 'none.comm'],
    ['Try to allocate 4096 tokens.', 'hours', 'gpu', 'gpu-cause', 'gpu.burst.concurrency'],
    ['engine: OOM, sorry', 'startup', 'gpu', 'gpu-cause', 'gpu.startup.weights'],
    ['worker 1 met a bus error', 'startup', 'host', 'host-cause', 'host.shm'],
  ])('%s', async (line, uptime, plane, fact, cause) => {
    const { facts, diagnosis } = await diagnosed(line, uptime);

    expect(facts.get('guess.plane')).toMatchObject({ value: plane });
    expect(facts.get(`guess.${fact}`)).toMatchObject({ value: cause });
    expect(diagnosis.verdict.certain).toBe(false);
  });

  it.each([
    ['reports in the course of work', 'INFO 07-10 10:00:00 [pynccl.py:70] uses NCCL 2.27.5'],
    [
      'code behind the head of a log line',
      'ERROR 07-10 10:00:00 [c.py:3]   File "/opt/c.py", line 3, in run_heartbeat',
    ],
    ['code in a traceback', '  File "/opt/nccl/x.py", line 3, in start\n    raise broken pipe'],
    ['advice', 'to avoid OOM, lower the fraction'],
  ])('say nothing in %s', async (_what, line) => {
    expect(await factOf('guess.plane', line)).toBe('nothing');
  });

  it.each(BOILERPLATE)('say nothing in boilerplate: %s', async (_what, line) => {
    expect(await factOf('guess.plane', line)).toBe('nothing');
  });

  it.each([
    ["ReadTimeoutError: HTTPSConnectionPool(host='cas-bridge.xethub.hf.co', port=443): Read timed out.", 'none.other'],
    ["requests.exceptions.ReadTimeout: HTTPConnectionPool(host='10.0.0.4', port=8000): Read timed out.", 'none.comm'],
  ])('tell a download that broke off from processes that do not answer: %s', async (line, cause) => {
    expect(await factOf('guess.other-cause', line)).toBe(cause);
  });

  it('a failure by name outweighs an actor that complains before it', async () => {
    expect(
      (await diagnosed('rank 0: connection reset by rank 1\nrank 1 fell off the bus')).facts.get('guess.other-cause'),
    ).toMatchObject({ value: 'none.gpu-fault', from: [{ line: 2 }] });
  });

  it.each([
    ['minutes', 'gpu.burst.multimodal'],
    ['startup', 'gpu.startup.profiling'],
  ])('name the part that asked, by the time of life: %s', async (uptime, cause) => {
    expect((await diagnosed('engine: OOM in vision tower', uptime)).diagnosis.verdict).toMatchObject({
      plane: 'gpu',
      cause,
      certain: false,
    });
  });

  it('what PyTorch adds of graphs to its own sentence names no part', async () => {
    const { facts } = await diagnosed(
      'RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB, with 10 MiB allocated in private pools (e.g., CUDA Graphs)',
    );

    expect(facts.get('guess.gpu-cause')).toMatchObject({ value: 'gpu.startup.weights' });
  });
});

describe('words that were taken for another plane', () => {
  it.each([7, 9])('signal %d to a shard', async (signal) => {
    const { diagnosis } = await diagnosed(`Download process was signaled to shutdown with signal ${signal}: x`);

    expect(diagnosis.verdict).toMatchObject({ plane: 'host' });
    expect(diagnosis.verdict.cause === 'host.shm').toBe(signal === 7);
  });

  it('a crash of a shard is no wrong setting', async () => {
    expect(
      (await diagnosed('Shard process was signaled to shutdown with signal 11 rank=0')).diagnosis.verdict,
    ).toMatchObject({ plane: 'none', cause: 'none.other' });
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
    expect(
      (await diagnosed('"State": {\n    "OOMKilled": false,\n    "ExitCode": 1,\n}', 'minutes')).diagnosis.verdict
        .plane,
    ).toBe('unknown');
  });

  it('the forward pass before the engine is ready is its trial', async () => {
    const { diagnosis } = await diagnosed(
      '  File "/opt/engine/run.py", line 3, in forward\nRuntimeError: CUDA out of memory.',
    );

    expect(diagnosis.verdict).toMatchObject({ phase: 'startup', cause: 'gpu.startup.profiling' });
  });
});
