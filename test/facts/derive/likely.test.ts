import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';
import { BOILERPLATE } from '../engines/boilerplate-lines.ts';

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

    expect(facts.get('log.likely-plane')).toMatchObject({ value: plane });
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
    ['what a user wrote', "Received request c-1: prompt: 'my server has a bus error'"],
    [
      'the hint that PyTorch adds to every error',
      'Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.',
    ],
  ])('say nothing in %s', async (_what, line) => {
    const { facts } = await diagnosed(line);

    expect(facts.get('log.likely-plane')).toMatchObject({ value: 'nothing' });
  });

  it.each(BOILERPLATE)('say nothing in boilerplate: %s', async (_what, line) => {
    const { facts } = await diagnosed(line);

    expect(facts.get('log.likely-plane')).toMatchObject({ value: 'nothing' });
  });

  it('a failure by name outweighs an actor that complains before it', async () => {
    const { facts } = await diagnosed('rank 0: connection reset by rank 1\nrank 1 fell off the bus');

    expect(facts.get('log.likely-none-cause')).toMatchObject({ value: 'none.gpu-fault', from: [{ line: 2 }] });
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

    expect(facts.get('log.likely-gpu-cause')).toMatchObject({ value: 'gpu.startup.weights' });
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

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', phase: 'startup', cause: 'gpu.startup.shared-gpu' });
  });

  it('counts of cards are no figures of memory; a single line of the other memory sets the scene', async () => {
    const cards = await diagnosed('# none', 'hours', { 'metrics.txt': 'nvidia.com/gpu: 8\n' });
    const host = await diagnosed('# none', 'hours', {
      'metrics.txt': 'VRAM: 16 GiB\nhost RAM: 64 GiB\nrunner RSS 9 GB\nswap: 2 GiB\n',
    });

    expect(cards.facts.get('notes.subject')).toMatchObject({ kind: 'unknown' });
    expect(host.facts.get('notes.subject')).toMatchObject({ value: 'host' });
  });

  it('the forward pass before the engine is ready is its trial', async () => {
    const { diagnosis } = await diagnosed(
      '  File "/opt/engine/run.py", line 3, in forward\nRuntimeError: CUDA out of memory.',
    );

    expect(diagnosis.verdict).toMatchObject({ phase: 'startup', cause: 'gpu.startup.profiling' });
  });
});
