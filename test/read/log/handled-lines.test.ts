import { describe, expect, it } from 'vitest';
import { readOutlived } from '../../../src/read/log/errors-outlived.ts';
import { diagnoseFiles } from '../../facts/incident.ts';

import { scan } from './scan-text.ts';

const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.06 GiB is free. Of the allocated memory 74.90 GiB is allocated by PyTorch, and 1.61 GiB is reserved by PyTorch but unallocated.';
const PROBE = (length: number) => `INFO:__main__:Try to determine available gpu blocks for context length ${length}`;
const RESULT = 'INFO:__main__:Set max_model_len from 131072 to 40960';
const SERVES = [
  'INFO:     Application startup complete.',
  'INFO:     10.0.0.7:5 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
];

const diagnosed = (lines: readonly string[]) => diagnoseFiles({ 'current.log': `${lines.join('\n')}\n` });

describe("KAITO's search for the longest length", () => {
  it('fails on purpose: that is no failure of the engine', async () => {
    const { facts, diagnosis } = await diagnosed([PROBE(65536), OOM, PROBE(32768), OOM, RESULT, ...SERVES]);

    expect(diagnosis.verdict.plane).not.toBe('gpu');
    expect(facts.get('gpu.oom-logged')?.kind).toBe('unknown');
    expect(facts.get('gpu.want')?.kind).toBe('unknown');
    expect(facts.get('sequence.order')).toMatchObject({ value: 'nothing-seen' });
  });

  it.each([
    ['behind its result', [PROBE(65536), OOM, RESULT, OOM]],
    ['before it began', [OOM, PROBE(65536), RESULT]],
    ['and nothing shows that it went on', [PROBE(65536), RESULT, PROBE(32768), OOM]],
    ['at its first step, the last line of the log', [PROBE(65536), OOM]],
  ])('does not hide a failure %s', async (_, lines) => {
    const { facts, diagnosis } = await diagnosed(lines);

    expect(diagnosis.verdict.plane).toBe('gpu');
    expect(facts.get('gpu.want')).toMatchObject({ value: 2.5 * 1024 ** 3 });
  });
});

const STATS = (time: string, tps = '301.9') =>
  `INFO 09-14 ${time} [loggers.py:127] Engine 000: Avg prompt throughput: 812.4 tokens/s, Avg generation throughput: ${tps} tokens/s, Running: 12 reqs, Waiting: 0 reqs, GPU KV cache usage: 20.0%`;
const WORKED = [STATS('11:00:08'), STATS('11:20:08')];
const FATAL = [
  'ERROR 09-14 18:30:00 [core.py:710] EngineCore encountered a fatal error.',
  'ERROR 09-14 18:30:00 [core.py:710] torch.AcceleratorError: CUDA error: an illegal memory access was encountered',
];
const RAY =
  '(raylet) node_manager.cc:3040: 1 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons at node (ID: abd1, IP: 10.0.0.1) over the last time period.';
const ARRAY =
  'numpy._core._exceptions._ArrayMemoryError: Unable to allocate 18.6 GiB for an array with shape (50000, 50000, 1) and data type float64';
const TUNED = ['E0914 212 torch/_inductor/select_algorithm.py:2431] Runtime error during autotuning:', OOM];

describe('a failure that the engine outlived', () => {
  it.each([
    ['of a request', [OOM]],
    ['of an array', [ARRAY]],
    ['of a worker of Ray', [RAY]],
  ])('%s yields to what ended it', async (_, failure) => {
    const { facts } = await diagnosed([SERVES[0] ?? '', ...failure, ...WORKED, ...FATAL]);

    expect(facts.get('evidence.plane')).toMatchObject({ value: 'none' });
    expect(facts.get('gpu.oom-logged')).not.toMatchObject({ value: true });
  });

  it('of RAM is no first step to the one of the card hours later', async () => {
    const { facts } = await diagnosed([RAY, ...WORKED, FATAL[0] ?? '', OOM]);

    expect(facts.get('evidence.plane')).toMatchObject({ value: 'gpu' });
    expect(facts.get('sequence.order')).toMatchObject({ value: 'one-plane' });
  });

  it('is a guess at most where nothing ended', async () => {
    const { diagnosis } = await diagnosed([SERVES[0] ?? '', OOM, ...WORKED]);

    expect(diagnosis.verdict.certain).toBe(false);
  });

  it('yields where one is answered an hour after it was told', async () => {
    const told = `2026-07-10T11:00:00.1Z ERROR prefill: text_generation_router_v3::client: Server error: ${OOM}`;
    const answered =
      '2026-07-10T12:00:00Z  INFO generate{}: text_generation_router::server: router/src/server.rs:402: Success';
    const { log } = reading([OOM, told, answered, 'Error: ShardFailed', 'Killed']);

    expect(log).toEqual({ passed: [1, 2], open: [] });
  });

  it.each([
    ['a warning', [`WARNING 09-14 10:01:41 [memory.py:82] Could not initialize the EC registered buffer: ${OOM}`]],
    [
      'a way of a kernel that is left out',
      [...TUNED, 'E0914 212 torch/_inductor/select_algorithm.py:2431] Ignoring this choice.'],
    ],
  ])('is none where it was %s', async (_, failure) => {
    const { facts } = await diagnosed([...failure, ...SERVES]);

    expect(facts.get('evidence.plane')?.kind).toBe('unknown');
    expect(facts.get('gpu.oom-logged')?.kind).toBe('unknown');
  });

  it.each([
    ['what was counted is told at once', [OOM, STATS('11:00:08'), STATS('11:00:18'), ...FATAL]],
    ['nothing is done any more', [OOM, STATS('11:00:08', '0.0'), STATS('11:20:08', '0.0'), ...FATAL]],
    ['the engine had said that it dies', [FATAL[0] ?? '', OOM, ...WORKED]],
    [
      'another engine began below',
      [OOM, 'INFO 09-14 10:00:01 [core.py:76] Initializing a V1 LLM engine (v0.10.2) with config: model=1', ...WORKED],
    ],
  ])('is not assumed where %s', (_, lines) => {
    const { log } = reading(lines);

    expect(log).toEqual({ passed: [], open: [] });
  });

  it('leaves every other line its number', async () => {
    const error = "llama_model_load: error loading model vocabulary: unknown pre-tokenizer type: 'x'";
    const { facts } = await diagnosed([error, ...WORKED, ...FATAL, `logs/old.log:1201:${OOM}`]);
    const cited = [...facts.values()].flatMap((one) => (one.kind === 'known' ? one.from : []));
    const lines = cited.filter((from) => from.kind === 'line' && from.text === error);

    expect(lines.length).toBeGreaterThan(0);
    expect(lines.every((from) => from.kind === 'line' && from.line === 1)).toBe(true);
  });

  it('does not decide where it stands in another file that was searched', async () => {
    const { facts } = await diagnosed([...WORKED, ...FATAL, `logs/old.log:1201:${OOM}`]);

    expect(facts.get('evidence.plane')).toMatchObject({ value: 'none' });
  });
});

describe('a program that tries again', () => {
  const SMALLER = `Trying batch size 256 ... ${OOM}`;
  const HALF = `batch 12 failed: ${OOM}, retry with half batch`;
  const CAUGHT = [
    'OOM caught, retrying with a smaller batch',
    'Processed prompts: 100%|███| 9/9 [12:02<00:00,  5.9it/s]',
  ];

  it.each([
    ['for the largest batch', [SMALLER, 'Trying batch size 128 ... ok', 'KeyboardInterrupt']],
    ['for a size that fits', ['trying batch size 8', OOM, 'Batch size 8 failed, trying batch size 4']],
    ['for less, in the line of the failure', [...SERVES, HALF, 'All done, wrote results.jsonl']],
    ['for less, below it', [...SERVES, OOM, ...CAUGHT]],
  ])('had no failure of which it died: %s', async (_, lines) => {
    const { diagnosis } = await diagnosed(lines);

    expect(diagnosis.verdict).not.toMatchObject({ plane: 'gpu', certain: true });
  });

  it.each([
    ['it was the last trial', ['Trying batch size 256 ... ok', SMALLER]],
    ['nothing was written below', [...SERVES, HALF]],
    ['it fails again', [...SERVES, HALF, 'batch 12', OOM]],
    ['the engine had died', [...SERVES, FATAL[0] ?? '', OOM, ...CAUGHT]],
    ['somebody is told to try again', [...SERVES, OOM, 'CUDA is full, please retry with a smaller batch', 'bye']],
    ['a shell tells how it ended', [...SERVES, HALF, 'srun: error: task 0: Exited with exit code 1']],
  ])('ran out of memory where %s', async (_, lines) => {
    const { diagnosis } = await diagnosed(lines);

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu' });
  });
});

it('a request that finds no cells stays what there is to tell, however small the batch is tried', async () => {
  const cells = (n: number) => `failed to find free space in the KV cache, retrying with smaller n_batch = ${n}`;

  const { diagnosis } = await diagnosed([cells(2), cells(1), 'update_slots : done']);

  expect(diagnosis.verdict).toMatchObject({ cause: 'none.request-rejected', certain: false });
});

function reading(lines: readonly string[]) {
  const { passed, open } = readOutlived(scan(`${lines.join('\n')}\n`));
  return { log: { passed: [...passed], open: [...open] } };
}
