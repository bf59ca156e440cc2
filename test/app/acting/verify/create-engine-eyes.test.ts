import { describe, expect, it } from 'vitest';
import type { Look } from '../../../../src/app/acting/engine-eyes.ts';
import { createEngineEyes } from '../../../../src/app/acting/verify/create-engine-eyes.ts';
import type { EngineHistory, HistoryAsk, WorkloadPod } from '../../../../src/app/acting-ports.ts';
import type { Cluster } from '../../../../src/app/ports.ts';
import { createReadBudget } from '../../../../src/app/read-budget.ts';
import type { InvestigateDeps } from '../../../../src/app/triage/investigate.ts';
import { answerEach } from '../../../../src/metrics/engine-history.ts';
import type { Fact } from '../../../../src/model/fact.ts';
import type { GaugesRead } from '../../../../src/model/gauges.ts';
import { aMetricsTarget } from '../../../contracts/metrics.ts';
import { createFakeClock, START } from '../../../fakes/clock.ts';
import { createFakeIds } from '../../../fakes/ids.ts';
import { createFakeMetrics } from '../../../fakes/metrics.ts';
import { exampleDiagnosis, exampleIncident, exampleSnapshot } from '../../../model/examples.ts';
import { examplePlan } from '../../../model/plan-examples.ts';
import { aPod as servingPod } from '../pod-builder.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGUN = START - 10 * MINUTE;

const known = (value: string | number): Fact => ({
  kind: 'known',
  value,
  from: [{ kind: 'field', file: 'pod.json', path: '/status', text: '1' }],
});

const aPod = (over: Partial<WorkloadPod> = {}): WorkloadPod =>
  servingPod('vllm-0', {
    createdAt: BEGUN + MINUTE,
    startedAt: BEGUN + MINUTE,
    ip: '10.0.0.1',
    ports: [8000],
    ...over,
  });

const NOTHING_MORE = { capture: undefined, series: undefined };
const OLD_POD = aPod({ createdAt: BEGUN - HOUR, startedAt: BEGUN - HOUR });

const aLook = (pods: readonly WorkloadPod[]): Look => ({
  target: examplePlan.target,
  pods,
  since: BEGUN + 2 * MINUTE,
  begun: BEGUN,
  signal: new AbortController().signal,
});

/** Eyes that find these facts in every pod, and note what they ask of the past. */
function someEyes(facts: Readonly<Record<string, Fact>> = {}, over: { fails?: boolean; gauges?: GaugesRead } = {}) {
  const asked: HistoryAsk[] = [];
  const collected: { pod: string; brief: boolean | undefined }[] = [];
  const none = { kind: 'unknown', why: 'no such series' } as const;
  const history: EngineHistory = {
    async read(ask) {
      asked.push(ask);
      return answerEach(() => none);
    },
  };
  const { cluster: name } = examplePlan.target;
  const cluster: Cluster = {
    name,
    resolve: async ({ namespace = '', pod }) => {
      if (over.fails) throw new Error('ECONNREFUSED');
      const target = { cluster: name, namespace, pod, uid: 'uid', container: undefined, workload: 'w', replaced: null };
      return { kind: 'found', target };
    },
    collect: async ({ cluster: of, namespace, pod }, _context, { brief }) => {
      collected.push({ pod, brief });
      const metricsTarget = aMetricsTarget({ cluster: of, namespace, pod });
      return { files: {}, logs: [], notRead: [], container: null, workload: 'w', metricsTarget, chainMs: 0 };
    },
  };
  const clock = createFakeClock();
  const investigate: InvestigateDeps = {
    clusters: new Map([[name, { cluster, metrics: createFakeMetrics() }]]),
    defaultCluster: name,
    rights: { channels: {}, defaultChannel: null, act: [] },
    clock,
    ids: createFakeIds(),
    version: '0.0.0',
    deadlineMs: 20_000,
    budget: createReadBudget,
    scanner: () => ({ push: () => [], end: () => [] }) as never,
    build: () => exampleSnapshot,
    source: () => ({ id: 'x' }) as never,
    diagnose: async () => ({ ...NOTHING_MORE, diagnosis: exampleDiagnosis, facts: new Map(Object.entries(facts)) }),
  };
  const { gauges } = over;
  const past = {
    history: new Map([[name, history]]),
    ...(gauges && { gauges: new Map([[name, { read: async () => gauges }]]) }),
    clock,
    version: '0.0.0',
    shortTokens: 1000,
  };
  return { eyes: createEngineEyes(investigate, past), asked, collected };
}

const GPU = { 'evidence.plane': known('gpu') };

describe('a look for a signature', () => {
  it.each([
    ['in a pod of the change', aPod(), GPU, 'found'],
    ['in a pod that was made within the second of the start', aPod({ createdAt: BEGUN - 900 }), GPU, 'found'],
    ['of before, in a pod that stayed', OLD_POD, { ...GPU, 'death.at': known(BEGUN - MINUTE) }, 'none'],
    ['since, in a pod that stayed', OLD_POD, { ...GPU, 'death.at': known(BEGUN + MINUTE) }, 'found'],
    ['since, by the time of its line', OLD_POD, { ...GPU, 'gpu.oom-at': known(BEGUN + MINUTE) }, 'found'],
    ['without a time, in a pod that stayed', OLD_POD, GPU, 'could-not-tell'],
    ['of no memory', aPod(), { 'evidence.plane': known('none') }, 'none'],
    ['that is none', aPod(), {}, 'none'],
  ] as const)('%s', async (_, pod, facts, kind) => {
    const { eyes } = someEyes(facts);

    expect((await eyes.signature(aLook([pod]))).kind).toBe(kind);
  });

  it('could not tell where no pod is there, or none can be read', async () => {
    expect(await someEyes().eyes.signature(aLook([]))).toMatchObject({ kind: 'could-not-tell' });
    expect(await someEyes({}, { fails: true }).eyes.signature(aLook([aPod()]))).toMatchObject({
      kind: 'could-not-tell',
      why: 'ECONNREFUSED',
    });
  });
});

it('the readings of a look take shares from the facts, and what is counted from the past since the last write', async () => {
  const { eyes, asked } = someEyes({ 'gpu.used-share': known(0.9), 'kv-cache.used-share': known(0.4) });
  const look = aLook([aPod(), aPod({ name: 'vllm-1', ready: false }), aPod({ name: 'vllm-2', terminating: true })]);

  const { gpuFreeShare, kvShare, ramShare, times } = await eyes.readings(look);

  expect(gpuFreeShare).toMatchObject({ value: expect.closeTo(0.1) });
  expect(kvShare).toMatchObject({ kind: 'known', value: 0.4 });
  expect([ramShare.kind, times.ttftP99.kind]).toEqual(['unknown', 'unknown']);
  expect(asked).toMatchObject([{ from: look.since, to: START }]);
  expect(asked[0]?.pods.map(({ name }) => name)).toEqual(['vllm-0']);
});

describe('a look at more pods than are read one by one', () => {
  const ten = Array.from({ length: 10 }, (_, i) => aPod({ name: `vllm-${i}`, createdAt: BEGUN + i * MINUTE }));
  const none = { kind: 'unknown', why: 'Prometheus answered 503' } as const;
  const kvOf = (values: Readonly<Record<string, number>>): GaugesRead => ({
    container: none,
    gpu: none,
    engine: {
      kind: 'read',
      samples: Object.entries(values).map(([pod, value]) => ({ pod, id: 'kv-cache.used-share', part: '', value })),
    },
  });
  const all = Object.fromEntries(ten.map(({ name }) => [name, 0.1]));

  it('takes the worst of all of them, not of the newest alone', async () => {
    const { eyes } = someEyes({}, { gauges: kvOf({ ...all, 'vllm-0': 0.97 }) });

    const worst = { kind: 'known', value: 0.97, of: 'vllm-0', lacks: null };
    expect((await eyes.readings(aLook(ten))).kvShare).toEqual(worst);
  });

  it('names those of whom nothing is known, and why', async () => {
    const { 'vllm-0': _, ...most } = all;
    const { eyes } = someEyes({ 'ram.used-share': known(0.3) }, { gauges: kvOf(most) });

    const { kvShare, ramShare, waiting } = await eyes.readings(aLook(ten));

    expect(kvShare).toMatchObject({ value: 0.1, lacks: 'vllm-0 (no such metric)' });
    expect(ramShare).toMatchObject({ value: 0.3, lacks: 'vllm-0, vllm-1 (Prometheus answered 503)' });
    expect(waiting.kind).toBe('unknown');
  });

  it('asks no worker of a group for its engine', async () => {
    const pods = [aPod({ name: 'g-0' }), aPod({ name: 'g-0-1', worker: true })];
    const { eyes, asked } = someEyes({}, { gauges: kvOf({ 'g-0': 0.2 }) });

    expect((await eyes.readings(aLook(pods))).kvShare).toMatchObject({ value: 0.2, lacks: null });
    expect(asked[0]?.pods.map(({ name }) => name)).toEqual(['g-0']);
  });

  it('reads the logs of eight, briefly, those that have died before the newest, and says whose it did not read', async () => {
    const died = { ...ten[0], restarts: 1, lastDeath: { reason: 'Error', exitCode: 1, at: BEGUN + MINUTE } };
    const { eyes, collected } = someEyes();

    const found = await eyes.signature(aLook([died as WorkloadPod, ...ten.slice(1)]));

    expect(collected.map(({ pod }) => pod)).toEqual(['vllm-0', ...[9, 8, 7, 6, 5, 4, 3].map((i) => `vllm-${i}`)]);
    expect(collected.every(({ brief }) => brief === true)).toBe(true);
    expect(found).toMatchObject({
      kind: 'could-not-tell',
      why: expect.stringMatching(/^none in the logs of vllm-0, .* and 4 more .*; logs of vllm-2, vllm-1 not read/),
    });
  });

  it('finds a signature in one of them', async () => {
    const { eyes } = someEyes(GPU);

    expect((await eyes.signature(aLook(ten))).kind).toBe('found');
  });
});

it('a look back is of the hour before the incident: the pods that were there, and the one that died', async () => {
  const { eyes, asked } = someEyes();
  const incident = { ...exampleIncident, openedAt: START - 20 * MINUTE, pod: 'vllm-gone' };
  const pods = [OLD_POD, aPod({ name: 'vllm-later' })];

  const found = await eyes.lookBack({ ...aLook(pods), incident });

  expect(found).toMatchObject({ from: incident.openedAt - HOUR, to: incident.openedAt });
  expect(asked[0]?.pods.map(({ name }) => name)).toEqual(['vllm-0', 'vllm-gone']);
});
