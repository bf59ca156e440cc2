import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known } from '../incident.ts';
import { podFile } from '../pod.ts';

const diagnosed = (files: Files) => diagnoseFiles({ ...known({ engine: 'vllm' }), ...files });

const READY = 'INFO:     Application startup complete.';
const ENDED = [
  'ERROR 09-14 14:05:13 [core.py:710] EngineCore encountered a fatal error.',
  'ERROR 09-14 14:05:13 [core.py:710] Traceback (most recent call last):',
  'ERROR 09-14 14:05:13 [core.py:710]   File "/usr/lib/vllm/v1/engine/core.py", line 701, in run_engine_core',
];
const ILLEGAL = [
  READY,
  ...ENDED,
  'ERROR 09-14 14:05:13 [core.py:710] torch.AcceleratorError: CUDA error: an illegal memory access was encountered',
];
const ASSERT = [READY, ...ENDED, 'ERROR 09-14 14:05:13 [core.py:710] AssertionError: num_computed_tokens is negative'];
const LOST = [
  READY,
  ...ENDED,
  'ERROR 09-14 14:05:13 [core.py:710] RuntimeError: [rank0]: NCCL error: remote process exited or there was a network error',
];
const GPU = [
  READY,
  ...ENDED,
  'ERROR 09-14 14:05:13 [core.py:710] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.71 GiB. GPU 0 has a total capacity of 79.14 GiB of which 1.20 GiB is free.',
];

const NOW = { startedAt: '2026-09-14T10:00:00Z', finishedAt: '2026-09-14T14:05:15Z' };
const LONG_AGO = { startedAt: '2026-09-06T10:00:00Z', finishedAt: '2026-09-06T12:00:00Z' };
const RUNNING = { running: { startedAt: '2026-09-06T12:00:10Z' } };
const WAITING = { waiting: { reason: 'CrashLoopBackOff' } };
const oomKilled = (exitCode: number, span: typeof NOW) => ({ terminated: { reason: 'OOMKilled', exitCode, ...span } });

const pod = (lastState: object, state: object) => podFile({ status: { state, lastState } });

const text = (lines: readonly string[]) => `${lines.join('\n')}\n`;

describe('what the log of a later run ended with outweighs a kill of days ago', () => {
  it.each([
    ['a fault of a kernel', ILLEGAL, 'none'],
    ['an error of its own', ASSERT, 'none'],
    ['the device', GPU, 'gpu'],
    ['a fault of a kernel, with the log of that kill', ILLEGAL, 'none', [READY]],
  ])('%s', async (_name, log, plane, before: readonly string[] = []) => {
    const previous: Files = before.length === 0 ? {} : { 'previous.log': text(before) };
    const files = { ...pod(oomKilled(137, LONG_AGO), RUNNING), ...previous, 'current.log': text(log) };

    expect((await diagnosed(files)).diagnosis.verdict).toMatchObject({ plane, certain: true });
  });

  it.each([
    ['a fault of a kernel', ILLEGAL],
    ['an error of its own', ASSERT],
  ])('and so it does a kill that the kernel tells of: %s', async (_name, log) => {
    const kernel =
      '[Sun Sep 06 12:00:00 2026] Memory cgroup out of memory: Killed process 99 (python3) total-vm:9kB, anon-rss:99kB, file-rss:0kB, shmem-rss:0kB';

    expect(
      (await diagnosed({ 'kernel.txt': `${kernel}\n`, 'previous.log': text(log) })).diagnosis.verdict,
    ).toMatchObject({ plane: 'none', certain: true });
  });
});

it.each([
  [
    'a kill that may have been of a child, and a fault of a kernel',
    oomKilled(1, NOW),
    RUNNING,
    { 'previous.log': text(ILLEGAL) },
  ],
  [
    'a kill, and an error of the run after it without a time',
    oomKilled(137, NOW),
    { running: { startedAt: '2026-09-14T14:05:20Z' } },
    { 'current.log': text(['torch.AcceleratorError: CUDA error: an illegal memory access was encountered']) },
  ],
  [
    'a kill, and an error minutes after it',
    oomKilled(137, { ...NOW, finishedAt: '2026-09-14T13:50:00Z' }),
    RUNNING,
    { 'previous.log': text(ILLEGAL) },
  ],
])('nothing tells which was the end: %s', async (_name, last, state, logs) => {
  const { diagnosis, facts } = await diagnosed({ ...pod(last, state), ...logs });

  expect(facts.get('evidence.plane')?.kind).toBe('unknown');
  expect(facts.get('death.two-ends')).toMatchObject({ value: true });
  expect(diagnosis.verdict.certain).toBe(false);
  expect(diagnosis.verdict.evidence.map(({ fact }) => fact)).toContain('death.two-ends');
});

it('a kill that the kernel tells of, and an error of the engine leave open which was the end where no status is there', async () => {
  const kernel =
    '[Mon Sep 14 14:05:11 2026] Memory cgroup out of memory: Killed process 99 (python3) total-vm:9kB, anon-rss:99kB, file-rss:0kB, shmem-rss:0kB';

  expect(
    (await diagnosed({ 'kernel.txt': `${kernel}\n`, 'previous.log': text(ILLEGAL) })).diagnosis.verdict.certain,
  ).toBe(false);
});

it.each([
  ['of the first process, whatever the log says', oomKilled(137, NOW), RUNNING, { 'previous.log': text(ILLEGAL) }],
  ['where the log only tells that a peer is gone', oomKilled(1, NOW), RUNNING, { 'previous.log': text(LOST) }],
  ['where the log is silent', oomKilled(1, NOW), RUNNING, { 'previous.log': text([READY]) }],
  [
    'where the log is of days ago',
    oomKilled(1, { startedAt: '2026-09-20T10:00:00Z', finishedAt: '2026-09-20T14:05:15Z' }),
    RUNNING,
    { 'previous.log': text(ILLEGAL) },
  ],
  // The kubelet gives the log of the run that ended while the container waits.
  ['and the container waits for its restart', oomKilled(137, NOW), WAITING, { 'current.log': text(ILLEGAL) }],
])('the kill was the end: %s', async (_name, last, state, logs) => {
  expect((await diagnosed({ ...pod(last, state), ...logs })).diagnosis.verdict).toMatchObject({
    plane: 'host',
    certain: true,
  });
});
