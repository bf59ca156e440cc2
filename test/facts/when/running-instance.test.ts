import { describe, expect, it } from 'vitest';
import { aPod } from '../../read/cluster/a-pod.ts';
import type { Files } from '../incident.ts';
import { known, valueIn } from '../incident.ts';

const factValue = (id: string, files: Files) => valueIn(files, id);

const STARTS = '(APIServer pid=1) INFO 09-14 10:00:02 [api_server.py:1896] vLLM API server version 0.11.0\n';
const READY = `${STARTS}(APIServer pid=1) INFO:     Application startup complete.\n`;
const SERVED = `${READY}(APIServer pid=1) INFO:     10.1.2.3:40412 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n`;

it.each([
  ['its current log and no more', { 'current.log': SERVED }, true],
  ['its previous log', { 'previous.log': SERVED }, false],
  ['both', { 'previous.log': SERVED, 'current.log': STARTS }, false],
  ['its current log, and a death in the status', { 'current.log': SERVED, 'pod.json': JSON.stringify(aPod()) }, false],
  ['nothing', {}, undefined],
])('an instance that runs on is told by %s', async (_name, files, expected) => {
  expect(await factValue('instance.runs-on', files)).toBe(expected);
});

describe('a process that was told to stop', () => {
  it.each([
    ['uvicorn closes', '(APIServer pid=1) INFO:     Finished server process [1]', true],
    [
      'SGLang',
      '[2025-05-01 13:00:00] SIGTERM received. signum=None frame=None. Draining requests and shutting down...',
      true,
    ],
    [
      'TGI',
      '2024-11-20T13:00:00Z  INFO text_generation_router::server: router/src/server.rs:2494: signal received, starting graceful shutdown',
      true,
    ],
    ['Triton', 'Signal (15) received.', true],
    [
      'a user asks about it',
      "INFO 09-14 12:46:57 [logger.py:43] Received request c-1: prompt: 'SIGTERM and Finished server process', params: None",
      false,
    ],
    ['nothing of it', 'INFO 09-14 12:46:57 [x.py:1] hello', false],
  ])('%s', async (_name, line, expected) => {
    expect(await factValue('log.terminated', { 'previous.log': `${SERVED}${line}\n` })).toBe(expected);
  });

  it('is not one that closes after an error of its own', async () => {
    const log = `${SERVED}(EngineCore_DP0 pid=2) ERROR 09-14 12:00:00 [core.py:710] ValueError: broken\n(APIServer pid=1) INFO:     Finished server process [1]\n`;

    expect(await factValue('log.terminated', { 'previous.log': log })).toBe(false);
  });
});

const TRUNCATED = '[TM][WARNING] No enough blocks for `session_len` (32768), `session_len` truncated to 11456.\n';

it.each([
  ['counts while the engine starts', TRUNCATED, 'gpu'],
  ['is untrue of a start that came to its end', `${TRUNCATED}INFO:     Application startup complete.\n`, 'nothing'],
  ['counts where it comes after an earlier end', `INFO:     Application startup complete.\n${TRUNCATED}`, 'gpu'],
])('a line that points at a start which fails: %s', async (_name, log, plane) => {
  const files = { 'current.log': log, ...known({ engine: 'lmdeploy' }) };

  expect(await factValue('log.hint-plane', files)).toBe(plane);
});

function climbing(minutes: number): string {
  const stepMs = (minutes * 60_000) / 40;
  const points = Array.from({ length: 41 }, (_, i) => [i * stepMs, (i + 1) * 2 ** 30]);
  const series = [{ id: 'container.memory.working-set', unit: 'bytes', labels: {}, query: 'q', points }];
  return JSON.stringify({ from: 0, to: minutes * 60_000, stepMs, series, unknown: [] });
}

it.each([
  ['while the engine starts is its load', STARTS, 30, undefined],
  ['and an engine that has just come up is its load', READY, 30, undefined],
  ['while it serves is a climb', SERVED, 30, 'climb'],
  ['for longer than any start is a climb', STARTS, 61, 'climb'],
  ['beside a log that shows no start is a climb', 'INFO hello\n', 30, 'climb'],
])('RAM that climbs: %s', async (_name, log, minutes, shape) => {
  expect(await factValue('ram.shape', { 'current.log': log, 'series.json': climbing(minutes) })).toBe(shape);
});

const WORDS = 'my pod was OOMKilled, Memory cgroup out of memory: Killed process 12 (python)';

it.each([
  ['are no evidence', `slot launch_slot_: id  0 | task 12 | prompt: ${WORDS}\n`, undefined],
  [
    'are none below other lines either',
    `srv  log_server_r: an error of long ago, told at some length\nslot launch_slot_: id  0 | task 12 | prompt: ${WORDS}\n`,
    undefined,
  ],
  [
    'are the words of the engine where it complains',
    'ERROR while computing the prompt: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n',
    'gpu',
  ],
])('the words of a user without quotes: %s', async (_name, log, plane) => {
  expect(await factValue('evidence.plane', { 'current.log': log })).toBe(plane);
});
