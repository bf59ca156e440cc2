import { describe, expect, it } from 'vitest';
import type { WriteOutcome } from '../../../../src/app/acting-ports.ts';
import { valueAt } from '../../../../src/model/json-patch.ts';
import { stops, waits } from '../answers.ts';
import { openBench } from '../bench.ts';
import { aStopBleed, aWrite } from '../plans.ts';

const AWAY: WriteOutcome = { kind: 'unavailable', why: 'a reset connection', retryAfterMs: null };
const REPLICAS = '/spec/replicas';
const MADE = ['replicas=0'];

describe('a write of a run', () => {
  it('is made once, marked, and written down before', async () => {
    const { ask, cluster, store, run } = await openBench();

    const first = await ask('apply', 1);
    const again = await ask('apply', 1, { i: 1 });

    expect([first.kind, again.kind]).toEqual(['ok', 'ok']);
    expect(cluster.log).toEqual(['replicas=0']);
    const { id, steps } = await run();
    expect(valueAt(cluster.object, '/metadata/annotations/oombot.dev~1run')).toBe(`${id}/1`);
    expect(JSON.parse(String(valueAt(cluster.object, '/metadata/annotations/oombot.dev~1rollback')))).toMatchObject({
      before: { [REPLICAS]: 2 },
      by: 'U_APPROVER',
    });
    expect(steps[0]).toMatchObject({ phase: 'done', attempts: 1 });
    expect((await store.auditRows(0, 1000)).filter(({ action }) => action === 'write')).toHaveLength(1);
  });

  it.each([
    // what happens, faults, answer, writes made
    ['an answer that was lost', [{ answer: AWAY, written: true }], 'ok', MADE],
    ['a write that was lost', [{ answer: AWAY }], 'wait', []],
    ['another writer between', [{ answer: { kind: 'conflict', message: '409' } }], 'ok', MADE],
    ['an answer of stale that was ours', [{ answer: { kind: 'stale', message: '' }, written: true }], 'ok', MADE],
    ['another writer all the time', Array(3).fill({ answer: { kind: 'conflict', message: '409' } }), 'wait', []],
    ['a missing right', [{ answer: { kind: 'forbidden', rule: 'patch deployments' } }], 'stop', []],
    ['a webhook that refuses', [{ answer: { kind: 'refused', message: 'denied by policy' } }], 'stop', []],
  ] as const)('%s', async (_, faults, kind, log) => {
    const { ask, cluster } = await openBench();
    cluster.faults.push(...(faults as never[]));

    const answer = await ask('apply', 1);

    expect(answer.kind).toBe(kind);
    expect(cluster.log).toEqual(log);
  });

  it('names the rule that is missing', async () => {
    const { ask, cluster, run } = await openBench();
    cluster.faults.push({ answer: { kind: 'forbidden', rule: 'patch deployments.apps in llm' } });

    const answer = await ask('apply', 1);

    expect(answer).toMatchObject(stops('failed', 'patch deployments.apps in llm'));
    expect((await run()).steps[0]).toMatchObject({ phase: 'failed' });
  });

  const ANEW = /^llm\/Deployment\/vllm-server was deleted and recreated with the same name$/;
  it.each([
    ['what someone else has changed, with both values', REPLICAS, 5, /\/spec\/replicas should be 2 and is 5/],
    ['a workload that was deleted and made anew under its name', '/metadata/uid', 'another', ANEW],
  ])('leaves %s', async (_, path, value, says) => {
    const { ask, cluster } = await openBench();
    cluster.set(path, value);

    expect(await ask('apply', 1)).toMatchObject({ ...stops('not-started'), says: expect.stringMatching(says) });
    expect(cluster.log).toEqual([]);
  });

  it('does not begin where a later step would find another value than it tests', async () => {
    const { ask, cluster, run } = await openBench();
    cluster.set('/spec/template/spec/containers/0/args', ['--max-model-len', '4096']);

    expect(await ask('apply', 1)).toMatchObject(stops('not-started', '4096'));
    expect(cluster.log).toEqual([]);
    expect((await run()).steps.every(({ attempts }) => attempts === 0)).toBe(true);
  });

  it('keeps no secret of the arguments that stand against each other', async () => {
    const { ask, cluster, store } = await openBench();
    await ask('apply', 1);
    await ask('wait', 2);
    cluster.set('/spec/template/spec/containers/0/args', ['--api-key', 'hunter2', '--token=hunter2', '--seed', '1']);

    const answer = await ask('apply', 3);

    expect(answer).toMatchObject(stops('conflict', '"--seed","1"'));
    expect(JSON.stringify([answer, await store.auditRows(0, 1000)])).not.toContain('hunter2');
  });

  it('says why it is held in a few words, whatever was typed as the reason', async () => {
    const { ask, clock, store } = await openBench();
    const held = async (reason: string) => {
      await store.pause({ by: 'U_ONCALL', at: clock.now(), reason });
      return JSON.stringify(await ask('apply', 1));
    };

    expect(await held('')).toContain('changes are paused by U_ONCALL"');
    expect((await held(`why\n\n${'y'.repeat(3000)}`)).length).toBeLessThan(400);
  });

  it('goes on after the API server was gone for two minutes', async () => {
    const { ask, cluster, clock } = await openBench();
    cluster.away = true;
    const waits: number[] = [];
    for (let i = 0; clock.now() < (await openBench()).clock.now() + 120_000; i += 1) {
      const answer = await ask('apply', 1, { i });
      if (answer.kind !== 'wait') throw new Error(answer.kind);
      waits.push(answer.inMs);
      clock.pass(answer.inMs);
    }
    cluster.away = false;

    const answer = await ask('apply', 1, { i: waits.length });

    expect(answer.kind).toBe('ok');
    expect(waits.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
    expect(Math.max(...waits)).toBe(30_000);
    expect(cluster.log).toEqual(['replicas=0']);
  });

  it('gives up after twenty minutes, and says that it does not know', async () => {
    const { ask, cluster, clock } = await openBench();
    cluster.faults.push({ answer: AWAY }, { answer: AWAY });
    await ask('apply', 1);
    clock.pass(1_200_001);

    const answer = await ask('apply', 1, { i: 1 });

    expect(answer).toMatchObject(stops('failed', 'may have been applied'));
  });

  it('waits as long as the API server asks for', async () => {
    const { ask, cluster } = await openBench();
    cluster.faults.push({ answer: { ...AWAY, retryAfterMs: 12_000 } });

    expect(await ask('apply', 1)).toMatchObject({ kind: 'wait', inMs: 12_000 });
  });

  it('waits while all acting is paused, and goes on after', async () => {
    const { ask, store, cluster, clock } = await openBench();
    await store.pause({ by: 'U_ONCALL', at: clock.now(), reason: 'a drill' });

    const held = await ask('apply', 1);
    await store.resume('U_ONCALL', clock.now());
    const answer = await ask('apply', 1, { i: 1 });

    expect(held).toMatchObject(waits('a drill'));
    expect(answer.kind).toBe('ok');
    expect(cluster.log).toEqual(['replicas=0']);
  });

  it.each(['abort', 'abandon', 'roll-back'] as const)('does not begin once someone wants %s', async (command) => {
    const { ask, store, cluster, clock, run } = await openBench();
    const { id } = await run();
    await store.commandRun(id, { command, by: 'U_ONCALL', at: clock.now() });

    expect(await ask('apply', 1)).toMatchObject(stops(command));
    expect(cluster.log).toEqual([]);
  });

  it('is not made without its audit row', async () => {
    const { ask, store, cluster } = await openBench();
    Object.assign(store, { recordWrite: () => Promise.reject(new Error('disk full')) });

    await expect(ask('apply', 1)).rejects.toThrow('disk full');
    expect(cluster.log).toEqual([]);
  });

  it('is not made by a process that stood still between looking and writing', async () => {
    const bench = await openBench();
    const { cluster, clock, ask } = bench;
    const read = cluster.read.bind(cluster);
    cluster.read = async (...args) => {
      const found = await read(...args);
      clock.pass(10_001);
      return found;
    };

    expect((await ask('apply', 1)).kind).toBe('wait');
    expect(cluster.log).toEqual([]);
  });

  it('is not made twice where an old state is read after it', async () => {
    const { ask, cluster } = await openBench();
    cluster.faults.push({ answer: AWAY, written: true });
    const read = cluster.read.bind(cluster);
    const old = await read(aStopBleed().target.object, { signal: new AbortController().signal, agent: '' });
    let lies = 0;
    // The write is made, its answer is lost, and two looks find what stood there before.
    cluster.read = async (...args) => {
      const wrote = cluster.log.length > 0;
      if (!wrote || lies >= 2) return read(...args);
      lies += 1;
      return old;
    };

    const answers = [await ask('apply', 1), await ask('apply', 1, { i: 1 })];

    expect(lies).toBe(2);
    expect(answers.map(({ kind }) => kind)).toEqual(['wait', 'ok']);
    expect(cluster.log).toEqual(['replicas=0']);
  });

  it('is not taken for made where the answer is about another object', async () => {
    const { ask, cluster } = await openBench();
    const other = { metadata: { uid: 'other', annotations: { 'oombot.dev/run': 'run_other/1' } } };
    cluster.faults.push({ answer: { kind: 'written', object: other, warnings: [] } });

    const answers = [await ask('apply', 1), await ask('apply', 1, { i: 1 })];

    expect(answers.map(({ kind }) => kind)).toEqual(['wait', 'ok']);
    expect(cluster.log).toEqual(['replicas=0']);
  });

  it('ends after ten seconds when the cluster says nothing', async () => {
    const { cluster, clock, ask } = await openBench();
    cluster.read = () => new Promise(() => {});

    const answer = ask('apply', 1);
    const ended = expect(answer).rejects.toMatchObject({ code: 'deadline' });
    await clock.advance(0);
    await clock.advance(10_000);

    await ended;
  });
});

describe('a write through /scale', () => {
  const plan = () => aStopBleed({ steps: [{ ...aWrite(1, { from: 2, to: 0 }), subresource: 'scale' }] });

  it('is marked on the owner first, then made once', async () => {
    const { ask, cluster } = await openBench({ plan: plan() });

    const answers = [await ask('apply', 1), await ask('apply', 1, { i: 1 })];

    expect(answers.map(({ kind }) => kind)).toEqual(['ok', 'ok']);
    expect(cluster.log).toEqual(['replicas=0']);
  });

  it('is known again after an answer that was lost', async () => {
    const { ask, cluster } = await openBench({ plan: plan() });
    cluster.faults.push(undefined, { answer: AWAY, written: true });

    expect((await ask('apply', 1)).kind).toBe('ok');
    expect(cluster.log).toEqual(['replicas=0']);
  });

  it('is not made by one that was frozen after its mark, when another has gone on', async () => {
    const { ask, cluster, run } = await openBench({ plan: plan() });
    const { id } = await run();
    const write = cluster.write.bind(cluster);
    cluster.write = async (...args) => {
      const outcome = await write(...args);
      // While this one stands still after its mark, another carries the run on and back.
      if (args[0].subresource === 'none') cluster.set('/metadata/annotations/oombot.dev~1run', `${id}/2`);
      return outcome;
    };

    await ask('apply', 1);

    expect(cluster.log).toEqual([]);
  });
});

describe('the creation of an object', () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'llm', name: 'c-oom-1', uid: null };
  const plan = () =>
    aStopBleed({
      steps: [
        { kind: 'create', n: 1, says: 'make c-oom-1', object, manifest: { kind: 'ConfigMap', data: {} }, command: '' },
      ],
    });

  it('is made once', async () => {
    const { ask, cluster } = await openBench({ plan: plan() });
    cluster.faults.push({ answer: AWAY, written: true });

    const answers = [await ask('apply', 1), await ask('apply', 1, { i: 1 })];

    expect(answers.map(({ kind }) => kind)).toEqual(['wait', 'ok']);
    expect(cluster.log).toEqual(['create ConfigMap/c-oom-1']);
  });

  it('leaves one of the same name that others made', async () => {
    const { ask, cluster } = await openBench({ plan: plan() });
    cluster.others.set('ConfigMap/c-oom-1', { kind: 'ConfigMap' });

    expect(await ask('apply', 1)).toMatchObject(stops('conflict'));
  });
});

describe('the way back', () => {
  async function forward() {
    const bench = await openBench();
    for (const n of [1, 3, 4, 6]) await bench.ask('apply', n);
    return bench;
  }

  it('puts every value back, the last first', async () => {
    const { ask, cluster, run } = await forward();

    for (const n of [6, 4, 3, 1]) expect((await ask('undo', n)).kind).toBe('ok');

    const written = cluster.log.slice(4).map((line) => line.slice(0, 12));
    expect(written).toEqual(['replicas=1', 'replicas=0', 'args=["--mod', 'replicas=2']);
    const phases = (await run()).steps.map(({ phase }) => phase);
    expect(phases.join(' ')).toBe('undone pending undone undone pending undone pending pending');
  });

  it('is made once, however often it is asked for', async () => {
    const { ask, cluster } = await forward();
    cluster.faults.push({ answer: AWAY, written: true });

    await ask('undo', 6);
    await ask('undo', 6, { i: 1 });

    expect(cluster.log.slice(4)).toEqual(['replicas=1']);
  });

  it('never writes over what a person changed after us', async () => {
    const { ask, cluster } = await forward();
    cluster.set(REPLICAS, 7);

    expect(await ask('undo', 6)).toMatchObject(stops('conflict', 'should be 2 and is 7'));
  });

  it('passes over a write that was never made, once it cannot be on its way any more', async () => {
    const { ask, cluster } = await openBench();
    cluster.faults.push({ answer: AWAY });
    await ask('apply', 1);

    const early = await ask('undo', 1, { i: 0 });
    const late = await ask('undo', 1, { i: 6 });

    expect([early.kind, late.kind]).toEqual(['wait', 'ok']);
    expect(cluster.log).toEqual([]);
  });

  it('takes back a write whose answer was lost', async () => {
    const { ask, cluster, store, clock, run } = await openBench();
    const { id } = await run();
    cluster.faults.push({ answer: AWAY });
    await ask('apply', 1);
    cluster.set(REPLICAS, 0);
    cluster.object = {
      ...cluster.object,
      metadata: { ...(cluster.object.metadata as object), annotations: { 'oombot.dev/run': `${id}/1` } },
    };
    await store.commandRun(id, { command: 'abort', by: 'U_ONCALL', at: clock.now() });

    expect((await ask('undo', 1)).kind).toBe('ok');
    expect(cluster.log).toEqual(['replicas=2']);
  });
});
