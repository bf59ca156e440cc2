import { describe, expect, it } from 'vitest';
import type { Look } from '../../../src/app/acting/engine-eyes.ts';
import type { KubeObject } from '../../../src/app/acting-ports.ts';
import { stops } from './answers.ts';
import { type Bench, openBench, someEyes } from './bench.ts';

const MINUTE = 60_000;

/** A cluster whose clock is so many ms behind the bot's; its books tell when our mark was written. */
async function openSkewed(aheadMs: number) {
  const looks: Look[] = [];
  const eyes = someEyes({
    signature: async (look) => {
      looks.push(look);
      return { kind: 'none', says: 'none' };
    },
  });
  const bench = await openBench({ deps: { eyes } });
  const there = () => bench.clock.now() - aheadMs;
  const write = bench.cluster.write.bind(bench.cluster);
  bench.cluster.write = async (asked, context) => {
    const outcome = await write(asked, context);
    if (outcome.kind !== 'written' || asked.dryRun) return outcome;
    bench.cluster.object = withBooks(bench.cluster.object, there());
    return { ...outcome, object: structuredClone(bench.cluster.object) };
  };
  return { bench, there, looks };
}

function withBooks(object: KubeObject, at: number): KubeObject {
  const fieldsV1 = { 'f:metadata': { 'f:annotations': { 'f:oombot.dev/run': {} } } };
  const time = `${new Date(at).toISOString().slice(0, 19)}Z`;
  const managedFields = [{ manager: 'oombot', operation: 'Update', time, fieldsV1 }];
  return { ...object, metadata: { ...(object.metadata as object), managedFields } };
}

async function forward({ ask }: Bench): Promise<void> {
  for (const n of [1, 3, 4, 6]) await ask('apply', n);
}

const pass = ({ clock }: Bench, ms: number): void => clock.pass(ms);

describe.each([
  ['as the cluster', 0],
  ['ten minutes ahead', 10 * MINUTE],
  ['ten minutes behind', -10 * MINUTE],
])('a bot that lives %s', (_, aheadMs) => {
  it('sees a death after the change, by the time of the cluster', async () => {
    const { bench, there } = await openSkewed(aheadMs);
    await forward(bench);
    pass(bench, MINUTE);
    bench.cluster.death = { reason: 'OOMKilled', exitCode: 137, at: there() - 10_000 };

    expect(await bench.ask('verify', 8)).toMatchObject(stops('bad', 'OOMKilled'));
  });

  it('counts no death from before the change', async () => {
    const { bench, there } = await openSkewed(aheadMs);
    bench.cluster.death = { reason: 'OOMKilled', exitCode: 137, at: there() - 30_000 };
    await forward(bench);
    pass(bench, MINUTE);

    expect((await bench.ask('verify', 8)).kind).toBe('wait');
  });

  it('looks for memory failures from the change on, by the time of the cluster', async () => {
    const { bench, there, looks } = await openSkewed(aheadMs);
    const begun = there();
    await forward(bench);
    pass(bench, MINUTE);
    await bench.ask('verify', 8);

    expect(Math.abs((looks[0]?.begun ?? 0) - begun)).toBeLessThan(15_000);
    expect(Math.abs((looks[0]?.since ?? 0) - begun)).toBeLessThan(15_000);
  });

  it('says so where it writes', async () => {
    const { bench } = await openSkewed(aheadMs);
    const answer = await bench.ask('apply', 1);

    const words = aheadMs > 0 ? '10 min ahead of' : '10 min behind';
    if (aheadMs === 0) expect(answer).toEqual({ kind: 'ok', says: 'applied' });
    else expect(answer).toMatchObject({ says: `applied; the bot's clock is ${words} the cluster's` });
  });
});

describe('a clock that jumps by ten minutes', () => {
  it('ends no verification that has hardly looked', async () => {
    const bench = await openBench();
    await forward(bench);
    await bench.ask('verify', 8);
    pass(bench, 10 * MINUTE);

    const early = await bench.ask('verify', 8, { i: 1 });
    const late = await bench.ask('verify', 8, { i: 19 });

    expect([early.kind, late.kind]).toEqual(['wait', 'ok']);
  });

  it('backwards ends no wait as too late', async () => {
    const bench = await openBench();
    await bench.ask('apply', 1);
    bench.cluster.ready = 0;
    await bench.ask('wait', 2);
    pass(bench, -10 * MINUTE);

    expect((await bench.ask('wait', 2, { i: 1 })).kind).not.toBe('stop');
  });
});
