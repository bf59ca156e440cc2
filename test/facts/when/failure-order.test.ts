import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, valueOfFact } from '../incident.ts';
import {
  AS_YAML,
  aPod,
  calm,
  type Dated,
  described,
  ended,
  FIRST,
  IDS,
  kernelKill,
  killEvent,
  lackedGpu,
  lackedGpuLoading,
  loading,
  RUNNING,
  SECOND,
  SECOND_ENDED,
  WAITING,
} from './two-runs.ts';

async function read(files: Files) {
  const { facts, diagnosis } = await diagnoseFiles(files);
  return { value: (id: string) => valueOfFact(facts, id), verdict: diagnosis.verdict };
}

const GPU_FAILED = ended(FIRST);
const [GPU_LOG, NEXT_LOG] = [{ 'previous.log': lackedGpu() }, { 'current.log': loading() }];
const NOW = { containerID: `containerd://${IDS.second}` };
const BEFORE_THE_KILL = { 'pod.json': aPod(GPU_FAILED, RUNNING, NOW), ...GPU_LOG };
const bothLogs = (dated: Dated) => ({
  'pod.json': aPod(GPU_FAILED, SECOND_ENDED),
  'previous.log': lackedGpu(dated),
  'current.log': loading(dated),
});

describe('GPU memory failed while serving, and RAM in the run after it', () => {
  it.each<[string, Files]>([
    ['the status of both ends', { 'pod.json': aPod(GPU_FAILED, SECOND_ENDED), ...GPU_LOG, ...NEXT_LOG }],
    ['the same described', { 'describe.txt': described('+0000', 0), ...GPU_LOG, ...NEXT_LOG }],
    ['the same in another zone', { 'describe.txt': described('+0200', 2), ...GPU_LOG, ...NEXT_LOG }],
    ['the same as YAML', { 'describe.txt': AS_YAML, ...GPU_LOG, ...NEXT_LOG }],
    ['logs with the times of kubectl in another zone', bothLogs('kubectl+2')],
    ['a log that was kept of the run before', { 'pod.json': aPod(SECOND_ENDED, WAITING), ...GPU_LOG }],
    ['an event of the node', { ...BEFORE_THE_KILL, 'events.json': killEvent('10:48:21') }],
  ])('by %s', async (_name, files) => {
    const { value, verdict } = await read(files);

    expect(value('sequence.order')).toBe('gpu-then-host');
    expect(value('sequence.first-life')).toBe('serving');
    expect(verdict).toMatchObject({ plane: 'both', phase: 'burst', certain: true });
  });

  it('by the times of a log and of dmesg alone', async () => {
    const log = { 'previous.log': lackedGpu('kubectl') };

    const later = await read({ ...log, 'kernel.txt': kernelKill(IDS.second, '[Mon Sep 14 10:48:20 2026]') });
    const earlier = await read({ ...log, 'kernel.txt': kernelKill(IDS.second, '[Mon Sep 14 10:31:00 2026]') });

    expect(later.value('sequence.order')).toBe('gpu-then-host');
    expect(earlier.value('sequence.order')).toBe('host-then-gpu');
  });
});

const KILLED = { ...FIRST, reason: 'OOMKilled', exitCode: 137 };
const GPU_FAILED_THEN = { ...SECOND, reason: 'Error', exitCode: 1 };
const THEN = ended(GPU_FAILED_THEN, `containerd://${IDS.second}`);
const THEN_LOG = { 'current.log': lackedGpuLoading() };

const AFTER = { 'pod.json': aPod(THEN, WAITING), 'previous.log': lackedGpuLoading() };
const dmesg = (id: string, when: string) => ({ 'kernel.txt': kernelKill(id, when) });
const CALM_LOGS = { 'previous.log': calm(), ...THEN_LOG };
const FIRST_AGAIN = { ...AFTER, 'pod.json': aPod(THEN, WAITING, { restartCount: 1 }) };
const RUNS_ON = { 'pod.json': aPod(GPU_FAILED, RUNNING), ...GPU_LOG };

it.each<[string, Files, string | undefined]>([
  ['the status of both ends', { 'pod.json': aPod(ended(KILLED), THEN), ...CALM_LOGS }, 'serving'],
  ['the status while the next run waits', { 'pod.json': aPod(ended(KILLED), RUNNING), ...CALM_LOGS }, 'serving'],
  ['dmesg, before the run of the status', { ...AFTER, ...dmesg(IDS.first, '[Mon Sep 14 10:47:14 2026]') }, undefined],
  ['the id of the only container before', { ...FIRST_AGAIN, ...dmesg(IDS.before, '[92051.730301]') }, undefined],
  ['an event of the node', { ...AFTER, 'events.json': killEvent('10:47:14') }, undefined],
  ['dmesg, in the run that lived on', { ...RUNS_ON, ...dmesg(IDS.first, '[Mon Sep 14 10:40:20 2026]') }, 'serving'],
])('RAM failed, and GPU memory in the run after it by %s', async (_name, files, life) => {
  const { value, verdict } = await read(files);

  expect(value('sequence.order')).toBe('host-then-gpu');
  expect(value('sequence.first-life')).toBe(life);
  const phase = life === undefined ? 'n/a' : 'burst';
  expect(verdict).toMatchObject({ plane: 'both', phase, certain: true, causeCertain: false });
});

it.each<[string, Files]>([
  ['dmesg in seconds, of the run that ended by itself', { ...RUNS_ON, ...dmesg(IDS.first, '[92051.730301]') }],
  ['dmesg in seconds, of one of several runs before', { ...AFTER, ...dmesg(IDS.before, '[92051.730301]') }],
  ['a log and dmesg in seconds, without a status', { ...GPU_LOG, ...dmesg(IDS.first, '[92051.7]') }],
  [
    'OOMKilled on a run that ended by itself',
    { ...RUNS_ON, 'pod.json': aPod(ended({ ...KILLED, exitCode: 1 }), RUNNING) },
  ],
])('both failed, and nothing tells which came first: %s', async (_name, files) => {
  const { value, verdict } = await read(files);

  expect(value('sequence.order')).toBe('unordered');
  expect(verdict).toMatchObject({ plane: 'both', phase: 'n/a', certain: false });
});

it.each<[string, Files, string]>([
  ['a kill hours later', { ...BEFORE_THE_KILL, ...dmesg(IDS.second, '[Mon Sep 14 14:11:20 2026]') }, 'gpu'],
  ['a log of the killed run alone', { 'pod.json': aPod(SECOND_ENDED, WAITING), 'previous.log': loading() }, 'host'],
  ['both logs alone', { ...GPU_LOG, ...NEXT_LOG }, 'gpu'],
])('only one of them is of this incident: %s', async (_name, files, plane) => {
  const { value, verdict } = await read(files);

  expect(value('sequence.order')).toBe('one-plane');
  expect(verdict.plane).toBe(plane);
});
