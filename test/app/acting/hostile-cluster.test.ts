import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRead } from '../../../src/app/acting-ports.ts';
import { valueAt } from '../../../src/model/json-patch.ts';
import { stops } from './answers.ts';
import { type Bench, openBench } from './bench.ts';
import { aStopBleed, aWrite } from './plans.ts';

const REPLICAS = '/spec/replicas';
const ARGS = '/spec/template/spec/containers/0/args';

/** From now on reads answer what stood at this moment, as a cache on the way does; writes go through. */
function freezeReads({ cluster }: Bench): void {
  const object = structuredClone(cluster.object);
  cluster.read = async (): Promise<ObjectRead> => ({ kind: 'found', object: structuredClone(object) });
}

describe('an answer that is older than our own write', () => {
  it('accuses nobody of having put a value back', async () => {
    const bench = await openBench();
    freezeReads(bench);
    await bench.ask('apply', 1);

    expect((await bench.ask('wait', 2)).kind).not.toBe('stop');
    expect((await bench.ask('watch')).kind).toBe('wait');
  });

  it('is no conflict for the next write', async () => {
    const bench = await openBench();
    await bench.ask('apply', 1);
    await bench.ask('apply', 3);
    bench.cluster.set('/metadata/annotations/oombot.dev~1run', `${(await bench.run()).id}/3`);
    const now = bench.cluster.object;
    bench.cluster.object = structuredClone({ ...now, spec: { ...(now.spec as object), replicas: 2 } });
    bench.cluster.set('/metadata/annotations/oombot.dev~1run', 'run_before/9');
    freezeReads(bench);
    bench.cluster.object = now;

    expect((await bench.ask('apply', 4)).kind).toBe('ok');
    expect(bench.cluster.log.at(-1)).toBe('replicas=1');
  });

  it('is could-not-tell where the newest state is not told', async () => {
    const bench = await openBench();
    freezeReads(bench);
    await bench.ask('apply', 1);
    const write = bench.cluster.write.bind(bench.cluster);
    bench.cluster.write = async (asked, context) =>
      asked.dryRun ? { kind: 'unavailable', why: '503', retryAfterMs: null } : write(asked, context);
    bench.clock.pass(400_000);

    expect(await bench.ask('watch')).toMatchObject({ kind: 'ok', says: 'no data on a revert: 503' });
  });

  it('does not hide one who takes our mark away with the value', async () => {
    const bench = await openBench();
    const before = structuredClone(bench.cluster.object);
    await bench.ask('apply', 1);
    bench.cluster.object = before;

    expect(await bench.ask('watch')).toMatchObject(stops('reverted', 'should be 0 and is 2'));
  });
});

describe('a workload that is being deleted', () => {
  const dying = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...(object.metadata as object), deletionTimestamp: '2026-01-15T03:00:00Z' },
  });

  it('is not written, in words', async () => {
    const { ask, cluster } = await openBench();
    cluster.object = dying(cluster.object);

    expect(await ask('apply', 1)).toMatchObject({
      why: 'not-started',
      says: 'llm/Deployment/vllm-server is being deleted',
    });
    expect(cluster.log).toEqual([]);
  });

  it('ends a wait and a watch, in words', async () => {
    const { ask, cluster } = await openBench();
    await ask('apply', 1);
    cluster.object = dying(cluster.object);

    expect(await ask('wait', 2)).toMatchObject(stops('reverted', 'is being deleted'));
  });
});

describe('a webhook that changes what is written', () => {
  async function withWebhook(path: string, value: unknown, plan = aStopBleed()) {
    const bench = await openBench({ plan });
    const write = bench.cluster.write.bind(bench.cluster);
    bench.cluster.write = async (asked, context) => {
      const outcome = await write(asked, context);
      if (outcome.kind !== 'written' || asked.dryRun) return outcome;
      bench.cluster.set(path, value);
      return { ...outcome, object: structuredClone(bench.cluster.object) };
    };
    return bench;
  }

  it('ends the run with both values, and is called no other than it is', async () => {
    const { ask, run } = await withWebhook(REPLICAS, 1);

    const says = expect.stringMatching(
      /admission webhook changed llm\/Deployment\/vllm-server: \/spec\/replicas should be 0 and is 1/,
    );
    expect(await ask('apply', 1)).toMatchObject({ kind: 'stop', why: 'conflict', says });
    expect((await run()).steps[0]).toMatchObject({ phase: 'failed' });
  });

  it('may add what is none of ours', async () => {
    const { ask } = await withWebhook('/spec/paused', false);

    expect((await ask('apply', 1)).kind).toBe('ok');
  });

  it('shows no secret of the arguments that it has changed', async () => {
    const { ask } = await withWebhook(ARGS, ['--api-key', 'hunter2']);
    await ask('apply', 1);

    const answer = await ask('apply', 3);

    expect(answer.kind).toBe('stop');
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });

  it.each([
    ['2048Mi', '2Gi', 'ok'],
    ['1.5Gi', '1536Mi', 'ok'],
    ['2048Mi', '3Gi', 'stop'],
  ])('a quantity %s that comes back as %s: %s', async (to, back, kind) => {
    const path = '/spec/template/spec/containers/0/resources';
    const step = { ...aWrite(1, { path, from: null, to: { limits: { memory: to } } }) };
    const patch = [{ op: 'add' as const, path, value: { limits: { memory: to } } }];
    const bench = await withWebhook(`${path}/limits/memory`, back, aStopBleed({ steps: [{ ...step, patch }] }));

    expect((await bench.ask('apply', 1)).kind).toBe(kind);
    if (kind === 'ok') expect((await bench.ask('watch')).kind).toBe('wait');
  });
});

describe('a pause that is typed while the object is read', () => {
  const slowly = (bench: Bench) => {
    const { cluster, store, clock } = bench;
    const read = cluster.read.bind(cluster);
    cluster.read = async (...args) => {
      const found = await read(...args);
      await store.pause({ by: 'U_ONCALL', at: clock.now(), reason: 'a drill' });
      return found;
    };
  };

  it('stops the write that was about to go out, and it is made once after the pause', async () => {
    const bench = await openBench();
    const read = bench.cluster.read;
    slowly(bench);

    const held = await bench.ask('apply', 1);
    const written = [...bench.cluster.log];
    bench.cluster.read = read;
    await bench.store.resume('U_ONCALL', bench.clock.now());
    await bench.ask('apply', 1, { i: 1 });

    expect(held).toMatchObject({ kind: 'wait', says: 'changes are paused by U_ONCALL: a drill' });
    expect(written).toEqual([]);
    expect(bench.cluster.log).toEqual(['replicas=0']);
  });

  it('stops a write of the way back as well', async () => {
    const bench = await openBench();
    await bench.ask('apply', 1);
    slowly(bench);

    expect(await bench.ask('undo', 1)).toMatchObject({ kind: 'wait' });
    expect(valueAt(bench.cluster.object, REPLICAS)).toBe(0);
  });

  it('leaves no audit row of a write that was not sent', async () => {
    const bench = await openBench();
    slowly(bench);

    await bench.ask('apply', 1);

    expect((await bench.store.auditRows(0, 100)).filter(({ action }) => action === 'write')).toEqual([]);
  });
});
