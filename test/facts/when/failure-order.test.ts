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
  const value = (id: string) => {
    return valueOfFact(facts, id);
  };
  return { value, verdict: diagnosis.verdict };
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

describe('RAM failed, and GPU memory in the run after it', () => {
  it.each<[string, Files, string | undefined]>([
    [
      'the status of both ends',
      { 'pod.json': aPod(ended(KILLED), THEN), 'previous.log': calm(), ...THEN_LOG },
      'serving',
    ],
    [
      'the status while the next run waits',
      { 'pod.json': aPod(ended(KILLED), RUNNING), 'previous.log': calm(), ...THEN_LOG },
      'serving',
    ],
    [
      'dmesg, before the run that the status tells of',
      {
        'pod.json': aPod(THEN, WAITING),
        'previous.log': lackedGpuLoading(),
        'kernel.txt': kernelKill(IDS.first, '[Mon Sep 14 10:47:14 2026]'),
      },
      undefined,
    ],
    [
      'the id of a container that was the only one before',
      {
        'pod.json': aPod(THEN, WAITING, { restartCount: 1 }),
        'previous.log': lackedGpuLoading(),
        'kernel.txt': kernelKill(IDS.before, '[92051.730301]'),
      },
      undefined,
    ],
    [
      'an event of the node',
      {
        'pod.json': aPod(THEN, WAITING),
        'previous.log': lackedGpuLoading(),
        'events.json': killEvent('10:47:14'),
      },
      undefined,
    ],
    [
      'dmesg, in the run that lived on for some minutes',
      {
        'pod.json': aPod(GPU_FAILED, RUNNING),
        ...GPU_LOG,
        'kernel.txt': kernelKill(IDS.first, '[Mon Sep 14 10:40:20 2026]'),
      },
      'serving',
    ],
  ])('by %s', async (_name, files, life) => {
    const { value, verdict } = await read(files);

    expect(value('sequence.order')).toBe('host-then-gpu');
    expect(value('sequence.first-life')).toBe(life);
    expect(verdict).toMatchObject({
      plane: 'both',
      phase: life === undefined ? 'n/a' : 'burst',
      certain: true,
      causeCertain: false,
    });
  });
});

describe('both failed, and nothing tells which came first', () => {
  it.each<[string, Files]>([
    [
      'dmesg in seconds, of the run that ended by itself',
      { 'pod.json': aPod(GPU_FAILED, RUNNING), ...GPU_LOG, 'kernel.txt': kernelKill(IDS.first, '[92051.730301]') },
    ],
    [
      'dmesg in seconds, of one of several runs before',
      {
        'pod.json': aPod(THEN, WAITING),
        'previous.log': lackedGpuLoading(),
        'kernel.txt': kernelKill(IDS.before, '[92051.730301]'),
      },
    ],
    ['a log and dmesg in seconds, without a status', { ...GPU_LOG, 'kernel.txt': kernelKill(IDS.first, '[92051.7]') }],
    [
      'OOMKilled on a run that ended by itself',
      { 'pod.json': aPod(ended({ ...FIRST, reason: 'OOMKilled' }), RUNNING), ...GPU_LOG },
    ],
  ])('%s', async (_name, files) => {
    const { value, verdict } = await read(files);

    expect(value('sequence.order')).toBe('unordered');
    expect(verdict).toMatchObject({ plane: 'both', phase: 'n/a', certain: false });
  });
});

describe('only one of them is of this incident', () => {
  it.each<[string, Files, string]>([
    [
      'a kill in the run after, hours later',
      { ...BEFORE_THE_KILL, 'kernel.txt': kernelKill(IDS.second, '[Mon Sep 14 14:11:20 2026]') },
      'gpu',
    ],
    ['a log of the killed run alone', { 'pod.json': aPod(SECOND_ENDED, WAITING), 'previous.log': loading() }, 'host'],
    ['both logs alone', { ...GPU_LOG, ...NEXT_LOG }, 'gpu'],
  ])('%s', async (_name, files, plane) => {
    const { value, verdict } = await read(files);

    expect(value('sequence.order')).toBe('one-plane');
    expect(verdict.plane).toBe(plane);
  });
});
