import { describe, expect, it } from 'vitest';
import { countSpare, learn, readStartup, sayGpus } from '../../../../src/app/acting/plan/plan-knowledge.ts';
import type { EngineHistory, HistoryCount, PodGauges, WorkloadPod } from '../../../../src/app/acting-ports.ts';
import type { SeriesFile } from '../../../../src/model/snapshot.ts';
import { createFakeClock } from '../../../fakes/clock.ts';
import { exampleCapture, exampleDiagnosis } from '../../../model/examples.ts';
import { examplePlan } from '../../../model/plan-examples.ts';
import { aPod as servingPod } from '../pod-builder.ts';

const clock = createFakeClock();
const NOW = clock.now();
const MINUTE = 60_000;
const INF = Number.POSITIVE_INFINITY;

const aPod = (over: Partial<WorkloadPod> = {}): WorkloadPod =>
  servingPod('vllm-a', {
    createdAt: NOW - 600 * MINUTE,
    startedAt: NOW - 500 * MINUTE,
    readyAt: NOW - 497 * MINUTE,
    ...over,
  });

function anAsk(over: object = {}) {
  return {
    target: examplePlan.target,
    finding: {
      diagnosis: exampleDiagnosis,
      capture: exampleCapture,
      series: undefined,
      facts: new Map([['engine.name', { kind: 'known' as const, value: 'vllm', from: [] }]]),
    },
    pods: [aPod()],
    engine: undefined,
    edits: [{ flag: '--max-model-len', from: '8192', to: '2048', why: '', facts: [] }],
    context: { signal: AbortSignal.timeout(5000), agent: 'test' },
    ...over,
  };
}

const crashed = aPod({ ready: false, readyAt: null });
it.each([
  ['a pod that became ready', [aPod()], undefined, 180_000, /^last start of vllm-a$/],
  [
    'the start that was last',
    [aPod(), aPod({ name: 'vllm-b', startedAt: NOW - 9 * MINUTE, readyAt: NOW - 4 * MINUTE })],
    undefined,
    300_000,
    /vllm-b/,
  ],
  ['the log, where no pod is ready', [crashed], { seconds: 95, isWhole: true }, 95_000, /^last startup log$/],
  [
    'a log that ends before',
    [crashed],
    { seconds: 95, isWhole: false },
    null,
    /no pod is ready.*ends during startup, after 95 s/,
  ],
  ['nothing', [crashed], undefined, null, /no pod is ready, the log shows no start/],
  [
    'a pod that was ready before its container began again',
    [aPod({ readyAt: NOW - 501 * MINUTE })],
    undefined,
    null,
    /shows no startup/,
  ],
  ['pods that could not be read', undefined, undefined, null, /pods not readable/],
] as const)('how long a start takes is told by %s', (_, pods, start, ms, says) => {
  const known = readStartup(pods, start);

  expect(known.startupMs).toBe(ms);
  expect(known.startup).toMatch(says);
});

describe('what a plan knows of requests', () => {
  const unknown = { kind: 'unknown', why: 'Prometheus has no such series of these pods' } as const;
  const history = (counts: readonly HistoryCount[] | undefined): EngineHistory => ({
    read: async () => ({
      ttft: unknown,
      'e2e.latency': unknown,
      'queue.time': unknown,
      preemptions: unknown,
      'requests.rejected': unknown,
      'prompt.tokens': counts === undefined ? unknown : { kind: 'read', counts },
    }),
  });
  const grew = (le: number, by: number): HistoryCount => ({
    pod: 'vllm-a',
    source: 'a',
    le,
    points: [
      [NOW - 50 * MINUTE, 1000],
      [NOW, 1000 + by],
    ],
  });
  const series: SeriesFile = {
    from: NOW - 60 * MINUTE,
    to: NOW,
    stepMs: MINUTE,
    unknown: [],
    series: [
      ['requests.running', [4, 8]],
      ['requests.waiting', [0, 8]],
    ].map(([id, values]) => ({
      id: id as string,
      unit: '',
      labels: {},
      query: '',
      points: (values as number[]).map((value, i): [number, number] => [NOW - (10 - 10 * i) * MINUTE, value]),
    })),
  };
  const of = (source: EngineHistory | undefined, over?: object) =>
    learn({ history: new Map(source === undefined ? [] : [['prod', source]]), clock }, anAsk(over));

  it('is counted by the increase of the last hour', async () => {
    const known = await of(history([grew(2048, 150), grew(INF, 200)]));

    expect(known.requests).toMatch(/over 2,048 tokens will get HTTP 400: 25% of the last hour's 200/);
  });

  it.each([
    ['no metrics', undefined, {}, /no metrics configured/],
    ['no such series', history(undefined), {}, /has no such series/],
    ['no pod', history([]), { pods: [] }, /unknown: no pods/],
    ['pods that could not be read', history([]), { pods: undefined }, /unknown: no pods/],
  ])('is not known with %s', async (_, source, over, why) => {
    expect((await of(source, over)).requests).toMatch(why);
  });

  it('counts running and waiting together, by the samples of the pod', async () => {
    const edits = [{ flag: '--max-num-seqs', from: '256', to: '8', why: '', facts: [] }];
    const finding = { ...anAsk().finding, series };

    expect((await of(undefined, { edits, finding })).requests).toMatch(
      /above 8 concurrent requests waits: 40% of requests in flight in the 10 min before the triage \(peak 16\)/,
    );
  });

  it('asks nobody where no limit of requests changes', async () => {
    expect((await of(undefined, { edits: [] })).requests).toBeNull();
  });
});

const gpus = (waiting: number, ...free: number[]) => ({ kind: 'read', free, waiting }) as const;
const HIDDEN = { kind: 'unknown', why: 'nodes: forbidden' } as const;

it.each([
  ['one', gpus(0, 0, 1), /^1 GPU is free now, at most 1 on one node.* No pod is waiting for a GPU\.$/],
  ['none, and others wait', gpus(2, 0), /^No GPU is free now\. 2 pods are waiting for a GPU and may take/],
  ['no node with a GPU', gpus(1), /^No GPU is free now\. 1 pod is waiting/],
  ['no right', HIDDEN, /^Free GPUs unknown: nodes: forbidden\.$/],
])('what a plan says of free GPUs tells of %s', (_, read, says) => {
  expect(sayGpus(read)).toMatch(says);
});

describe('GPUs that one more pod could have', () => {
  it.each([
    ['of one node', gpus(0, 1, 2), 2],
    ['that others wait for', gpus(1, 4), 0],
    ['of no node', gpus(0), 0],
    ['that nobody could count', HIDDEN, null],
    ['where nobody asked', undefined, null],
  ])('are counted: those %s', (_, read, spare) => {
    expect(countSpare(read)).toBe(spare);
  });

  it('reach the plan', async () => {
    const supply = new Map([['prod', { read: async () => gpus(0, 1) }]]);
    const known = await learn({ supply, clock }, anAsk());

    expect(known).toMatchObject({ freeGpus: 1, gpus: expect.stringMatching(/^1 GPU is free now/) });
  });
});

const none = { kind: 'unknown', why: 'not asked' } as const;
const running = (...of: (readonly [pod: string, value: number])[]): ReadonlyMap<string, PodGauges> => {
  const samples = of.map(([pod, value]) => ({ pod, id: 'requests.running' as const, part: 'engine', value }));
  return new Map([['prod', { read: async () => ({ container: none, gpu: none, engine: { kind: 'read', samples } }) }]]);
};
const both = [aPod(), aPod({ name: 'vllm-b' }), aPod({ name: 'vllm-c', ready: false, readyAt: null })];

it.each([
  ['are added up', running(['vllm-a', 3], ['vllm-b', 4]), both, 7],
  ['are not known where one replica does not tell', running(['vllm-a', 3]), both, null],
  ['are none where all are idle', running(['vllm-a', 0], ['vllm-b', 0]), both, 0],
  ['are not known without metrics', undefined, both, null],
  ['are not known where the pods could not be read', running(['vllm-a', 3]), undefined, null],
] as const)('requests in flight in the replicas that serve: %s', async (_, gauges, pods, inFlight) => {
  expect(await learn({ gauges, clock }, anAsk({ pods }))).toMatchObject({ inFlight });
});
