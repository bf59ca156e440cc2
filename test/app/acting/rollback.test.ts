import { describe, expect, it } from 'vitest';
import { valueAt } from '../../../src/model/json-patch.ts';
import { stops } from './answers.ts';
import { type Bench, openBench } from './bench.ts';
import { aStopBleed, aWrite, NEW_ARGS } from './plans.ts';

const ARGS = '/spec/template/spec/containers/0/args';
const REPLICAS = '/spec/replicas';
const OTHERS = ['--model', 'm', '--gpu-memory-utilization', '0.5'];

async function forward(upTo: readonly number[]): Promise<Bench> {
  const bench = await openBench();
  for (const n of upTo) await bench.ask('apply', n);
  return bench;
}

const phases = async (bench: Bench): Promise<Record<number, string>> =>
  Object.fromEntries((await bench.run()).steps.map(({ n, phase }) => [n, phase]));

describe('a way back that somebody stands in', () => {
  it('is not begun: a workload that serves is not taken to zero to find that out', async () => {
    const bench = await forward([1, 3, 4, 6]);
    bench.cluster.set(ARGS, OTHERS);

    const answer = await bench.ask('undo', 6);

    expect(answer).toMatchObject({
      kind: 'stop',
      why: 'conflict',
      says: expect.stringMatching(/since step 3: .*0\.5/),
    });
    expect(bench.cluster.log).toHaveLength(4);
    expect(valueAt(bench.cluster.object, REPLICAS)).toBe(2);
    expect(await phases(bench)).toMatchObject({ 1: 'done', 3: 'done', 4: 'done', 6: 'done' });
  });

  it('is gone after all once that value stands again', async () => {
    const bench = await forward([1, 3, 4, 6]);
    bench.cluster.set(ARGS, OTHERS);
    await bench.ask('undo', 6);
    bench.cluster.set(ARGS, NEW_ARGS);

    for (const n of [6, 4, 3, 1]) expect((await bench.ask('undo', n)).kind).toBe('ok');

    expect(valueAt(bench.cluster.object, REPLICAS)).toBe(2);
  });

  it('stops where it is when somebody comes in between', async () => {
    const bench = await forward([1, 3, 4, 6]);
    await bench.ask('undo', 6);
    bench.cluster.set(ARGS, OTHERS);

    expect((await bench.ask('undo', 4)).kind).toBe('stop');
    expect(valueAt(bench.cluster.object, REPLICAS)).toBe(1);
  });
});

describe('the way back of a run that met somebody at its second write', () => {
  it('passes over the step that was never written, and scales up again', async () => {
    const bench = await forward([1]);
    bench.cluster.set(ARGS, OTHERS);
    const met = await bench.ask('apply', 3);

    const answers = [await bench.ask('undo', 3), await bench.ask('undo', 1)];

    expect(met).toMatchObject(stops('conflict'));
    expect(answers.map(({ kind }) => kind)).toEqual(['ok', 'ok']);
    expect(valueAt(bench.cluster.object, REPLICAS)).toBe(2);
    expect(valueAt(bench.cluster.object, ARGS)).toEqual(OTHERS);
    expect(await phases(bench)).toMatchObject({ 1: 'undone', 3: 'not-run' });
  });

  it('does not pass over a step that was written and changed since', async () => {
    const bench = await forward([1, 3]);
    bench.cluster.set(ARGS, OTHERS);

    expect(await bench.ask('undo', 3)).toMatchObject(stops('conflict'));
    expect(valueAt(bench.cluster.object, ARGS)).toEqual(OTHERS);
  });
});

it('a way back that finds the values from before calls the step taken back, not unwritten', async () => {
  const bench = await openBench({ plan: aStopBleed({ steps: [aWrite(1, { from: 2, to: 0 })] }) });
  await bench.ask('apply', 1);
  bench.cluster.set(REPLICAS, 2);
  bench.cluster.set('/metadata/annotations', {});

  await bench.ask('undo', 1);
  await bench.ask('report', undefined, {
    ahead: { why: 'roll-back', says: '', reached: 1 },
    back: { kind: 'back', says: '2 of 2 serve' },
  });

  expect(await phases(bench)).toEqual({ 1: 'undone' });
  expect((await bench.run()).outcome).not.toContain('Nothing had been written');
});
