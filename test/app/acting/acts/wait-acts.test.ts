import { describe, expect, it } from 'vitest';
import { RUN_ANNOTATION } from '../../../../src/actions/run/stamp.ts';
import type { EngineAnswer, EngineEyes } from '../../../../src/app/acting/engine-eyes.ts';
import { createActs } from '../../../../src/app/acting/run/acts.ts';
import { valueAt } from '../../../../src/model/json-patch.ts';
import { runCard } from '../../../../src/report/run-card.ts';
import { stops, waits } from '../answers.ts';
import { type Bench, HOUR_BEFORE, openBench, someActDeps, someEyes, someTimes, WELL } from '../bench.ts';
import { aStopBleed, aWrite, NEW_ARGS, OLD_ARGS } from '../plans.ts';
import { aPod } from '../pod-builder.ts';

const REPLICAS = '/spec/replicas';
const SECOND = 1000;
const MINUTE = 60 * SECOND;

const setStatus = (cluster: Bench['cluster'], status: object) => {
  const whole = { observedGeneration: 1, updatedReplicas: 2, ...status };
  cluster.object = { ...cluster.object, status: whole };
};
const pass = ({ clock }: Bench, ms: number) => clock.pass(ms);

const found = { kind: 'found', says: 'CUDA out of memory' } as const;
const none = { kind: 'none', says: 'no signature' } as const;

describe('a wait of a run', () => {
  it('asks again until no pod is left, and shows how many are', async () => {
    const bench = await openBench();
    const { ask, cluster, run } = bench;

    const first = await ask('wait', 2);
    const message = (await run()).steps[1]?.message;
    cluster.set(REPLICAS, 0);
    const second = await ask('wait', 2, { i: 1 });

    expect(first).toMatchObject({ kind: 'wait', inMs: 10_000 });
    expect(message).toBe('2 pods left');
    expect(second.kind).toBe('ok');
  });

  it.each<[string, number | undefined, string]>([
    ['the new pods', 5, 'wait'],
    ['a rollback', undefined, 'settle'],
  ])('reads the pods once a look: for %s', async (_, n, name) => {
    const { ask, cluster } = await openBench();
    for (const step of [1, 3, 4]) await ask('apply', step);
    if (n === undefined) for (const step of [4, 3, 1]) await ask('undo', step);
    Object.assign(cluster, { ready: 0, why: 'Pending' });
    setStatus(cluster, { updatedReplicas: 0 });
    const { pods } = cluster;
    let reads = 0;
    cluster.pods = (...given) => {
      reads += 1;
      return pods(...given);
    };

    expect(await ask(name, n)).toMatchObject({ kind: 'wait' });

    expect(reads).toBe(1);
  });

  it('is spread where the plan asks more often than the engine allows', async () => {
    const { ask } = await openBench();

    expect(await ask('wait', 2, { stretch: 3 })).toMatchObject({ inMs: 30_000 });
  });

  it.each([
    ['an image that is not there', 'ImagePullBackOff', none, SECOND, stops('failed', 'ImagePullBackOff')],
    ['a failure like the one before', 'CrashLoopBackOff', found, SECOND, stops('failed', 'CUDA out of memory')],
    ['a crash of another kind', 'CrashLoopBackOff', none, SECOND, { kind: 'wait' }],
    ['a pod from before the change', 'ImagePullBackOff', none, -MINUTE, { kind: 'wait' }],
    ['a pod that has no node yet', 'Unschedulable', none, SECOND, { kind: 'wait' }],
  ])('for ready pods: %s, %s', async (_, why, signature, bornMs, answer) => {
    const { ask, cluster, clock } = await openBench({ deps: { eyes: someEyes({ signature: async () => signature }) } });
    await ask('apply', 1);
    cluster.set(REPLICAS, 2);
    Object.assign(cluster, { ready: 0, why, createdAt: clock.now() + bornMs });
    cluster.set(REPLICAS, 0);
    const pods = cluster.pods;
    cluster.pods = (...given) => {
      const before = cluster.object;
      cluster.set(REPLICAS, 2);
      return pods(...given).finally(() => {
        cluster.object = before;
      });
    };

    expect(await ask('wait', 7)).toMatchObject(answer);
  });

  it('ends at the second look where the pods cannot be created', async () => {
    const { ask, cluster } = await openBench();
    cluster.pods = async () => ({ kind: 'read', pods: [] });
    setStatus(cluster, { conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota: gpus' }] });

    expect(await ask('wait', 7)).toMatchObject({ kind: 'wait' });
    expect(await ask('wait', 7, { i: 1 })).toMatchObject(stops('failed', 'exceeded quota: gpus'));
  });

  it.each([
    ['since the change', SECOND, [], stops('failed', 'exceeded quota: gpus')],
    ['from before the change', -MINUTE, [], { kind: 'wait' }],
    ['that a pod made since then proves over', SECOND, [2 * SECOND], { kind: 'wait' }],
    ['after some of the pods were made', 5 * SECOND, [2 * SECOND], stops('failed', 'exceeded quota: gpus')],
  ])('reads a failed create %s from the events of a StatefulSet', async (_, after, born, answer) => {
    const { ask, cluster, clock } = await openBench();
    await ask('apply', 1);
    const now = clock.now();
    const made = born.map((ms, i) => aPod(`vllm-server-${i}`, { ready: true, createdAt: now + ms }));
    cluster.pods = async () => ({ kind: 'read', pods: made });
    cluster.failedCreate = async () => ({ at: now + after, why: 'exceeded quota: gpus' });

    expect(await ask('wait', 7)).toMatchObject({ kind: 'wait' });
    expect(await ask('wait', 7, { i: 1 })).toMatchObject(answer);
  });

  it('ends at its deadline, and says what was missing', async () => {
    const bench = await openBench();
    bench.cluster.ready = 0;
    await bench.ask('wait', 7);
    pass(bench, 30 * MINUTE);

    expect(await bench.ask('wait', 7, { i: 9 })).toMatchObject(stops('timeout', '0 of 2 ready; Pending'));
  });

  const pods = (why: string) => ({ kind: 'could-not-tell', why }) as const;
  it.each<[string, number, (cluster: Bench['cluster']) => unknown, string]>([
    ['replicas of the old template', 7, (c) => setStatus(c, { updatedReplicas: 1 }), '1 of 2 have the new'],
    ['a status from before the change', 7, (c) => setStatus(c, { observedGeneration: 0 }), 'not picked up the change'],
    ['pods that nobody can count', 7, (c) => (c.pods = async () => pods('forbidden')), 'not readable: forbidden'],
    ['an API server that is gone for a while', 2, (c) => (c.away = true), 'ECONNREFUSED'],
  ])('goes on with %s, and says so', async (_, n, change, says) => {
    const { ask, cluster } = await openBench();
    change(cluster);

    expect(await ask('wait', n)).toMatchObject(waits(says));
  });

  it('takes the pods of a group that is not whole for no replica', async () => {
    const plan = aStopBleed();
    const object = { ...plan.target.object, kind: 'LeaderWorkerSet' };
    const { ask, cluster } = await openBench({ plan: { ...plan, target: { ...plan.target, object } } });
    const status = (readyReplicas: number) => ({
      metadata: { generation: 1 },
      status: { updatedReplicas: 2, readyReplicas },
    });
    cluster.others.set('LeaderWorkerSet/vllm-server', status(1));

    const half = await ask('wait', 7);
    cluster.others.set('LeaderWorkerSet/vllm-server', status(2));
    const whole = await ask('wait', 7, { i: 1 });

    expect(half).toMatchObject({ kind: 'wait', says: '2 pods ready; 1 of 2 groups ready' });
    expect(whole.kind).toBe('ok');
  });

  it('counts by the status of the owner where the pods are too many to be read', async () => {
    const { ask, cluster } = await openBench();
    cluster.pods = async () => ({ kind: 'could-not-tell', why: 'there are more than 500 pods' });

    setStatus(cluster, { replicas: 2, readyReplicas: 1 });
    expect(await ask('wait', 7)).toMatchObject({
      kind: 'wait',
      says: expect.stringMatching(/^1 of 2 ready \(from the workload status\); .*more than 500 pods/),
    });
    setStatus(cluster, { replicas: 2, readyReplicas: 2, updatedReplicas: 1 });
    expect(await ask('wait', 7, { i: 1 })).toMatchObject({ kind: 'wait' });
    setStatus(cluster, { replicas: 2, readyReplicas: 2 });
    expect((await ask('wait', 7, { i: 2 })).kind).toBe('ok');
  });

  it('expects no new template of replicas that a partition holds back', async () => {
    const { ask, cluster } = await openBench();
    const spec = { ...(cluster.object.spec as object), updateStrategy: { rollingUpdate: { partition: 1 } } };
    cluster.object = { ...cluster.object, spec };
    setStatus(cluster, { updatedReplicas: 1 });

    expect((await ask('wait', 7)).kind).toBe('ok');
  });

  it('takes an API server that hangs for one that is gone', async () => {
    const { ask, cluster, clock } = await openBench();
    cluster.pods = (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'could-not-tell', why: 'no answer' }));
      });
    const asked = ask('wait', 2);
    await clock.advance(0);
    await clock.advance(8 * SECOND);

    expect(await asked).toMatchObject(waits('no answer'));
  });

  it.each([
    ['no request in flight', { kind: 'known', value: 0 }, 'ok', ''],
    ['requests in flight', { kind: 'known', value: 7 }, 'wait', '7 requests in flight'],
    ['no metrics', { kind: 'unknown', why: 'no metrics' }, 'wait', 'flight unknown: no metrics'],
  ] as const)('for requests to end: %s', async (_, running, kind, says) => {
    const until = { until: 'drained', replicas: 0, everyMs: 1000, deadlineMs: 5000 } as const;
    const drain = { kind: 'wait', n: 1, says: 'drain', ...until } as const;
    const eyes = someEyes({ readings: async () => ({ ...WELL, running }) });
    const { ask } = await openBench({ plan: aStopBleed({ steps: [drain] }), deps: { eyes } });

    expect(await ask('wait', 1)).toMatchObject({ kind, says: expect.stringContaining(says) });
  });

  it.each(['abort', 'abandon', 'roll-back'] as const)('ends when someone wants %s', async (command) => {
    const { ask, store, clock, run } = await openBench();
    await store.commandRun((await run()).id, { command, by: 'U_ONCALL', at: clock.now() });

    expect(await ask('wait', 2)).toMatchObject(stops(command, 'U_ONCALL'));
  });
});

describe('the watch after the last write', () => {
  it('lasts five minutes, and hears whoever aborts within ten seconds', async () => {
    const bench = await openBench();
    await bench.ask('apply', 1);
    const waits: number[] = [];
    for (let i = 0; i < 40; i += 1) {
      const answer = await bench.ask('watch', undefined, { i });
      if (answer.kind !== 'wait') break;
      waits.push(answer.inMs);
      pass(bench, answer.inMs);
    }

    expect(Math.max(...waits)).toBe(10 * SECOND);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(5 * MINUTE);
  });

  it('has the polls of a wait fall on its marks', async () => {
    const bench = await openBench();
    await bench.ask('apply', 1);
    bench.cluster.ready = 0;
    pass(bench, 55 * SECOND);

    expect(await bench.ask('wait', 7)).toMatchObject({ kind: 'wait', inMs: 5 * SECOND });
  });

  it('names who has put a value back, and changes nothing', async () => {
    const bench = await openBench();
    const { ask, cluster } = bench;
    await ask('apply', 1);
    await ask('apply', 3);
    cluster.set('/spec/template/spec/containers/0/args', ['--old']);
    const fieldsV1 = {
      'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"vllm"}': { '.': {}, 'f:args': {} } } } } },
    };
    const managedFields = [
      { manager: 'oombot', time: '2026-01-15T03:00:00Z', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
      { manager: 'argocd-controller', time: '2026-01-15T03:00:05Z', fieldsV1 },
    ];
    cluster.object = { ...cluster.object, metadata: { ...(cluster.object.metadata as object), managedFields } };
    pass(bench, 10 * SECOND);

    const answer = await ask('watch');

    expect(answer).toMatchObject(stops('reverted', 'by argocd-controller'));
    expect('says' in answer && answer.says).toContain('is ["--old"]');
    expect(cluster.log).toHaveLength(2);
  });

  it.each<[string, (cluster: Bench['cluster']) => unknown, string]>([
    ['a value put back by whom no book names', (c) => c.set(REPLICAS, 2), 'by an unknown writer'],
    [
      'a workload made anew with the same values',
      (c) => c.set('/metadata/uid', 'another'),
      'recreated with the same name',
    ],
    ['a deleted workload', (c) => (c.read = async () => ({ kind: 'gone' })), 'deleted'],
  ])('tells %s', async (_, change, says) => {
    const { ask, cluster } = await openBench();
    await ask('apply', 1);
    change(cluster);

    expect(await ask('wait', 2)).toMatchObject(stops('reverted', says));
    expect(await ask('watch')).toMatchObject(stops('reverted', says));
  });

  it('lets an autoscaler move a count above zero', async () => {
    const { ask, cluster } = await openBench();
    for (const n of [1, 3, 4, 6]) await ask('apply', n);
    cluster.set(REPLICAS, 4);

    expect((await ask('wait', 7)).kind).toBe('ok');
  });

  it('says that it could not tell when nothing could be read', async () => {
    const bench = await openBench();
    await bench.ask('apply', 1);
    pass(bench, 6 * MINUTE);
    bench.cluster.away = true;

    expect(await bench.ask('watch')).toMatchObject({ kind: 'ok', says: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('a verification', () => {
  async function verified(eyes: Partial<EngineEyes> = {}, change: (bench: Bench) => void = () => {}) {
    const bench = await openBench({ deps: { eyes: someEyes(eyes) } });
    await bench.ask('check');
    for (const n of [1, 3, 4, 6]) await bench.ask('apply', n);
    const first = await bench.ask('verify', 8);
    change(bench);
    pass(bench, 10 * MINUTE);
    const last = await bench.ask('verify', 8, { i: 20 });
    const { checks } = await bench.run();
    return { bench, first, last, answer: (check: string) => checks.find((one) => one.check === check) };
  }

  it('lasts as long as the plan says, then is good', async () => {
    const { first, last, answer } = await verified();

    expect(first.kind).toBe('wait');
    expect(last).toMatchObject({ kind: 'ok', says: '11 passed, 0 failed, 0 no data' });
    expect(answer('ram')).toMatchObject({ answer: 'yes', says: expect.stringContaining('50%') });
  });

  it('ends at once on a new signature', async () => {
    const { first } = await verified({
      signature: async () => ({ kind: 'found', says: 'CUDA out of memory in vllm-server-0' }),
    });

    expect(first).toMatchObject(stops('bad', 'CUDA out of memory'));
  });

  it.each([
    ['ends at once on a restart since the change', SECOND, stops('bad', 'OOMKilled, exit code 137')],
    ['does not count a death from before the change', -SECOND, { kind: 'ok' }],
  ])('%s', async (_, after, answer) => {
    const { last, bench } = await verified({}, ({ cluster, clock }) => {
      cluster.death = { reason: 'OOMKilled', exitCode: 137, at: clock.now() + after };
    });

    expect(last).toMatchObject(answer);
    expect(bench.reports).toEqual([]);
  });

  it('lets a queue go down first, and says no where it stands at the end', async () => {
    const readings = async () => ({ ...WELL, waiting: { kind: 'known', value: 40 } as const });
    const { first, last } = await verified({ readings });

    expect(first.kind).toBe('wait');
    expect(last).toMatchObject(stops('bad', 'queue: 40 waiting, 3 running'));
  });

  it('passes with what it could not tell, and says what that is', async () => {
    const gone = { kind: 'unknown', why: 'no metrics' } as const;
    const readings = async () => ({ ...WELL, kvShare: gone, times: { ...WELL.times, ttftP99: gone } });
    const { last, answer } = await verified({ readings });

    expect(last).toMatchObject({ kind: 'ok', says: '9 passed, 0 failed, 2 no data' });
    expect(answer('kv-cache')).toMatchObject({ answer: 'could-not-tell', says: 'no metrics' });
  });

  it('asks the engine for a token where that is allowed', async () => {
    const { answer } = await verified({ probe: async () => ({ kind: 'failed', why: '503' }) });

    expect(answer('probe')).toMatchObject({ answer: 'no', says: 'one token: 503' });
  });

  it('could not tell what is not answered within eight seconds', async () => {
    const { ask, clock, run } = await openBench({
      deps: { eyes: someEyes({ readings: () => new Promise(() => {}), signature: () => new Promise(() => {}) }) },
    });
    const asked = ask('verify', 8);
    await clock.advance(0);
    await clock.advance(8 * SECOND);

    expect((await asked).kind).toBe('wait');
    const unknown = (await run()).checks.filter(({ answer }) => answer === 'could-not-tell').map(({ check }) => check);
    expect(unknown.join(' ')).toBe(
      'oom-signature ram gpu-memory kv-cache preemptions queue ttft latency short-requests',
    );
  });

  it('is not cut short by a word that was meant for a wait', async () => {
    const bench = await openBench();
    await bench.ask('claim');
    await bench.store.commandRun((await bench.run()).id, { command: 'keep', by: 'U_ONCALL', at: bench.clock.now() });

    expect(await bench.ask('verify', 8)).toMatchObject({ kind: 'wait' });
  });
});

describe('the hour before the incident', () => {
  it('is read before the first write and kept, so that another bot finds it', async () => {
    const asked: string[] = [];
    const lookBack: EngineEyes['lookBack'] = async ({ pods, incident }) => {
      asked.push(`${pods.length} pods, ${incident.id}`);
      return HOUR_BEFORE;
    };
    const { ask, store, run, cluster } = await openBench({ deps: { eyes: someEyes({ lookBack }) } });

    await ask('check');
    await ask('check', undefined, { i: 1 });

    expect(asked).toEqual(['2 pods, inc_00000000000000000001']);
    expect(await store.baseline((await run()).id)).toEqual(HOUR_BEFORE);
    expect(cluster.log).toEqual([]);
  });

  it('holds nothing up where metrics hang', async () => {
    const eyes = someEyes({ lookBack: () => new Promise(() => {}) });
    const { ask, clock, store, run } = await openBench({ deps: { eyes } });
    const asked = ask('check');
    await clock.advance(0);
    await clock.advance(8 * SECOND);

    expect((await asked).kind).toBe('ok');
    expect((await store.baseline((await run()).id))?.times.ttftP99).toMatchObject({ kind: 'unknown' });
  });

  it('is the measure where no target is set', async () => {
    const lookBack = async () => ({ ...HOUR_BEFORE, times: someTimes(100, 2100) });
    const { ask, clock, run } = await openBench({ deps: { eyes: someEyes({ lookBack }) } });
    for (const n of [1, 3, 4, 6]) await ask('apply', n);
    await ask('check');
    await ask('verify', 8);
    clock.pass(10 * MINUTE);

    const last = await ask('verify', 8, { i: 20 });

    const words = 'P99 of 400 requests since the change, 100 ms in the hour before the incident';
    expect(last).toMatchObject(stops('bad', `200 ms to the first token, ${words}`));
    expect((await run()).checks.find(({ check }) => check === 'latency')?.answer).toBe('yes');
  });
});

describe('a replay of a run', () => {
  const UNDER_WAY = { kind: 'could-not-tell', why: 'under way' } as const;

  /** A bot that may replay; `calls` counts its looks. */
  function aReplay(answers: readonly EngineAnswer[] = []) {
    const calls = { looks: 0, stops: 0 };
    const replay: NonNullable<EngineEyes['replay']> = {
      look: async () => answers[calls.looks++] ?? UNDER_WAY,
      knows: () => calls.looks > 0,
      stop: () => {
        calls.stops += 1;
      },
    };
    return { replay, calls };
  }
  async function withReplay(answers?: readonly EngineAnswer[]) {
    const { replay, calls } = aReplay(answers);
    return { bench: await openBench({ deps: { eyes: someEyes({ replay }) } }), calls };
  }
  const checkOf = async ({ run }: Pick<Bench, 'run'>) => (await run()).checks.find(({ check }) => check === 'replay');

  it('begins once all replicas are ready', async () => {
    const { bench, calls } = await withReplay();
    bench.cluster.ready = 1;
    await bench.ask('verify', 8);
    const before = [await checkOf(bench), calls.looks];
    bench.cluster.ready = 2;

    await bench.ask('verify', 8, { i: 1 });

    expect(before).toEqual([undefined, 0]);
    expect(await checkOf(bench)).toMatchObject({ answer: 'could-not-tell', says: 'under way' });
  });

  it('is asked about until it has ended, and what it said stands', async () => {
    const { bench, calls } = await withReplay([UNDER_WAY, { kind: 'answered', ms: 900, says: 'all answered' }]);

    for (const i of [0, 1, 2, 3]) await bench.ask('verify', 8, { i });

    expect(await checkOf(bench)).toMatchObject({ answer: 'yes', says: 'all answered' });
    expect(calls.looks).toBe(2);
  });

  it('is stored before anything is sent, so that a bot killed there leaves its mark', async () => {
    const seen: unknown[] = [];
    const look = async () => {
      seen.push(await checkOf(bench));
      return UNDER_WAY;
    };
    const bench = await openBench({ deps: { eyes: someEyes({ replay: { ...aReplay().replay, look } }) } });

    await bench.ask('verify', 8);

    expect(seen).toMatchObject([{ answer: 'could-not-tell', says: 'about to be sent' }]);
  });

  it('is not sent again by the bot that comes after', async () => {
    const { bench: first } = await withReplay();
    await first.ask('verify', 8);
    const { replay, calls } = aReplay();
    const { store, cluster, clock } = first;
    const acts = createActs(someActDeps({ store, cluster, clock, eyes: someEyes({ replay }) }));

    await acts('verify', { runId: (await first.run()).id, i: 1, n: 8 }, { id: 'execution-1' });

    expect(calls.looks).toBe(0);
    expect(await checkOf(first)).toMatchObject({ says: 'the bot restarted during the replay; it is not sent twice' });
  });

  it('is neither begun nor gone on with while all acting is paused', async () => {
    const { bench, calls } = await withReplay();
    const pause = { by: 'U_ONCALL', reason: 'change freeze', at: bench.clock.now() };
    await bench.store.pause(pause);
    await bench.ask('verify', 8);
    const whilePaused = calls.looks;
    await bench.store.resume('U_ONCALL', bench.clock.now());
    await bench.ask('verify', 8, { i: 1 });
    await bench.store.pause(pause);

    await bench.ask('verify', 8, { i: 2 });

    expect([whilePaused, calls.looks]).toEqual([0, 1]);
    expect(calls.stops).toBeGreaterThan(0);
  });

  it('is broken off by one who aborts', async () => {
    const { bench, calls } = await withReplay();
    const { ask, store, run, clock } = bench;
    await ask('claim');
    await ask('verify', 8);
    await store.commandRun((await run()).id, { command: 'abort', by: 'U_ONCALL', at: clock.now() });

    await ask('verify', 8, { i: 1 });

    expect(calls.stops).toBe(1);
  });
});

describe('the ends of a run', () => {
  it('says where the workload is where it stopped half way, and offers forward and back', async () => {
    const { ask, run, store, cluster } = await openBench();
    await ask('claim');
    await ask('apply', 1);
    cluster.set('/spec/template/spec/containers/0/args', ['--old']);
    const stopped = await ask('apply', 3);

    await ask('report', undefined, { ahead: { why: 'conflict', says: 'words', reached: 3 }, back: null });

    expect(stopped).toMatchObject(stops('conflict', '--old'));
    const ended = await run();
    expect(ended).toMatchObject({
      state: 'failed',
      outcome: expect.stringMatching(/1 of 8 .*\b0 \(2 before\), 0 ready/),
    });
    const plan = (await store.plan(ended.planId)) ?? aStopBleed();
    const offered = runCard(ended, plan).choices?.map(({ asks, value }) => [asks, value.split(' ').slice(0, 2)]);
    expect(offered).toEqual([
      ['plan', [plan.incidentId, plan.action]],
      ['roll-back', [ended.id]],
    ]);
  });

  it('takes its annotations away where all was rolled back', async () => {
    const { ask, run, cluster } = await openBench();
    await ask('claim');
    await ask('apply', 1);
    await ask('compensate');
    expect(valueAt(cluster.object, '/metadata/annotations')).toHaveProperty([RUN_ANNOTATION]);
    await ask('undo', 1);

    await ask('report', undefined, {
      ahead: { why: 'abort', says: '', reached: 1 },
      back: { kind: 'back', says: 'x' },
    });

    expect((await run()).state).toBe('rolled-back');
    expect(valueAt(cluster.object, '/metadata/annotations')).toEqual({});
  });

  it('waits on its way back for no step that never ran', async () => {
    const { ask, cluster } = await openBench();
    cluster.ready = 0;

    expect((await ask('settle', 3)).kind).toBe('ok');
    expect((await ask('settle')).kind).toBe('ok');
  });

  it.each([
    ['fails as before', 'CrashLoopBackOff', found, SECOND, stops('failed', 'fails again after the rollback: CUDA')],
    ['crashes for another reason', 'CrashLoopBackOff', none, SECOND, { kind: 'wait' }],
    ['was made before the rollback', 'CrashLoopBackOff', found, -MINUTE, { kind: 'wait' }],
    ['starts', null, found, SECOND, { kind: 'wait' }],
  ])(
    'waits on its way back for a pod only if that may help: one that %s',
    async (_, why, signature, bornMs, answer) => {
      const { ask, cluster, clock } = await openBench({
        deps: { eyes: someEyes({ signature: async () => signature }) },
      });
      await ask('claim');
      await ask('apply', 1);
      await ask('compensate', undefined, { ahead: { why: 'roll-back', says: '', reached: 1 } });
      await ask('undo', 1);
      setStatus(cluster, { replicas: 3, updatedReplicas: 1 });
      const createdAt = clock.now() + bornMs;
      cluster.pods = async () => ({ kind: 'read', pods: [aPod('vllm-server-0', { ready: false, why, createdAt })] });

      expect(await ask('settle')).toMatchObject(answer);
    },
  );

  it('is bound to one execution', async () => {
    const { ask, acts, run } = await openBench();

    expect((await ask('claim', undefined, { from: 'start' })).kind).toBe('ok');
    expect((await ask('claim', undefined, { from: 'start' })).kind).toBe('ok');
    expect((await acts('claim', { runId: (await run()).id, i: 0, from: 'start' }, { id: 'other' })).kind).toBe(
      'duplicate',
    );
    expect((await run()).state).toBe('running');
  });

  it('does not begin without stored evidence', async () => {
    const { ask } = await openBench({ deps: { hasEvidence: async () => false } });

    expect(await ask('check')).toMatchObject(stops('not-started'));
  });

  it.each([
    ['done', 8, null, 'done'],
    ['abort', 3, { kind: 'back', says: 'nothing was taken back' }, 'aborted'],
    ['abort', 0, null, 'aborted'],
    ['abandon', 3, null, 'aborted'],
    ['timeout', 3, null, 'failed'],
    ['not-started', 0, null, 'aborted'],
    ['bad', 8, { kind: 'stuck', says: 'both values' }, 'failed'],
  ] as const)('%s at step %i ends it as %4$s', async (why, reached, back, state) => {
    const { ask, run, reports } = await openBench();
    await ask('claim');
    if (back !== null) await ask('compensate');

    await ask('report', undefined, { ahead: { why, says: 'words', reached }, back });

    const ended = await run();
    expect(ended.state).toBe(state);
    expect(ended.outcome).toContain(back?.kind === 'back' ? 'Nothing was changed' : (back?.says ?? 'words'));
    expect(ended.steps.every(({ phase }) => phase === 'not-run')).toBe(true);
    expect(reports).toEqual([ended.id]);
  });

  it('claims no way back where nothing had been written', async () => {
    const { ask, run } = await openBench();
    await ask('claim');
    await ask('compensate');

    const back = { kind: 'back', says: '2 of 2 serve' };
    await ask('report', undefined, { ahead: { why: 'abort', says: 'x', reached: 1 }, back });

    expect((await run()).outcome).toBe('Aborted: x. Nothing was changed.');
  });

  it.each([
    ['alone', [], 'A restart cannot be rolled back.'],
    [
      'beside others',
      [aWrite(1, { from: 2, to: 0 })],
      'All changes are rolled back, except the restart; 2 of 2 serve.',
    ],
  ])('says of a restart %s that it is not taken back', async (_, others, says) => {
    const restart = aWrite(2, { path: '/spec/template/spec/containers/0/args', from: OLD_ARGS, to: NEW_ARGS });
    const inverse = restart.inverse.filter(({ op }) => op === 'test');
    const { ask, run } = await openBench({ plan: aStopBleed({ steps: [...others, { ...restart, inverse }] }) });
    for (const { n } of [...others, restart]) await ask('apply', n);
    await ask('claim');
    await ask('compensate');
    for (const { n } of [restart, ...others]) await ask('undo', n);

    const back = { kind: 'back', says: '2 of 2 serve' };
    await ask('report', undefined, { ahead: { why: 'bad', says: 'x', reached: 2 }, back });

    expect((await run()).outcome).toContain(says);
  });

  it('ends although the chat is away, and tells again later', async () => {
    let away = true;
    const told: string[] = [];
    const report = async (id: string) => {
      if (away) throw new Error('ECONNREFUSED');
      told.push(id);
    };
    const { ask, run } = await openBench({ deps: { report } });
    await ask('claim');
    const ahead = { why: 'done', says: '', reached: 8 };

    const first = await ask('report', undefined, { ahead });
    const state = (await run()).state;
    away = false;
    const second = await ask('report', undefined, { ahead, i: 1 });

    expect(first).toMatchObject({ kind: 'wait', inMs: 5000 });
    expect(state).toBe('done');
    expect(second.kind).toBe('ok');
    expect(told).toHaveLength(1);
  });
});
