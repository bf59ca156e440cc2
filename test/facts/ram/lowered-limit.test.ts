import { describe, expect, it } from 'vitest';
import { aPod, CREATED, ended, time } from '../../read/cluster/a-pod.ts';
import { factsOfFiles, valueOfFact } from '../incident.ts';

const GIB = 1024 ** 3;
/** GiB at seconds of the pod's life. */
type Course = Readonly<Record<number, number>>;

const series = (id: string, course: Course) => {
  const points = Object.entries(course).map(([second, gib]) => [CREATED + Number(second) * 1000, gib * GIB]);
  return { id, unit: 'bytes', labels: { container: 'vllm' }, query: id, points };
};

type Given = { readonly limits?: Course; readonly used?: Course; readonly resizedAt?: number };

// It lived from 10 s to 3600 s, with a limit of 32 GiB in force.
async function factsOf({ limits = {}, used = { 3000: 33, 3500: 33 }, resizedAt }: Given) {
  const lastState = ended({ reason: 'OOMKilled', exitCode: 137, from: 10, to: 3600 });
  const list = [series('container.memory.limit', limits), series('container.memory.working-set', used)];
  const event = {
    reason: 'ResizeCompleted',
    type: 'Normal',
    lastTimestamp: time(resizedAt ?? 0),
    involvedObject: { kind: 'Pod', name: 'vllm-7d8f6f9c6b-4mnl2' },
  };
  const span = { from: CREATED, to: CREATED + 3_600_000, stepMs: 60_000 };
  const facts = await factsOfFiles({
    'pod.json': JSON.stringify(aPod({ containerStatus: { lastState } })),
    'series.json': JSON.stringify({ ...span, series: list, unknown: [] }),
    ...(resizedAt !== undefined && { 'events.json': JSON.stringify([event]) }),
  });
  return { before: valueOfFact(facts, 'ram.limit-before'), onto: valueOfFact(facts, 'ram.lowered-onto') };
}

describe('a limit of RAM that was lowered while the container ran', () => {
  it.each<[string, Given, object]>([
    ['the series of limits falls', { limits: { 60: 96, 3000: 32, 3500: 32 } }, { before: 96 * GIB, onto: 33 / 32 }],
    ['the series of limits rises', { limits: { 60: 16, 3000: 32, 3500: 32 } }, {}],
    ['it was lowered before this life', { limits: { 0: 96, 60: 32, 3500: 32 } }, {}],
    ['it fell, and nothing tells the use', { limits: { 60: 96, 3000: 32 }, used: {} }, { before: 96 * GIB }],
    ['an event, and a use above the limit', { resizedAt: 3550 }, { onto: 33 / 32 }],
    ['an event, and a use below the limit', { resizedAt: 3550, used: { 3500: 31 } }, {}],
    ['an event of the next life', { resizedAt: 3700 }, {}],
  ])('%s', async (_, given, expected) => {
    expect(await factsOf(given)).toEqual({ before: undefined, onto: undefined, ...expected });
  });
});
