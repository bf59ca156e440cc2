import { describe, expect, it } from 'vitest';
import { figuresOf, type PodFigures, queueOf, sayPods, worstOf } from '../../src/actions/pod-figures.ts';
import type { GaugeId, GaugesRead } from '../../src/model/gauges.ts';

const none = { kind: 'unknown', why: 'not asked' } as const;
const samples = (...rows: readonly (readonly [pod: string, id: GaugeId, value: number, part?: string])[]) => ({
  kind: 'read' as const,
  samples: rows.map(([pod, id, value, part = '']) => ({ pod, id, part, value })),
});
const reads = (over: Partial<GaugesRead>): GaugesRead => ({ container: none, gpu: none, engine: none, ...over });

const WORKING = 'container.memory.working-set';
const LIMIT = 'container.memory.limit';
const USED = 'gpu.framebuffer.used';

describe('the figures of a pod', () => {
  it('are those of the container that is meant, and of the fullest where none is', () => {
    const container = samples(
      ['a', WORKING, 50, 'vllm'],
      ['a', LIMIT, 100, 'vllm'],
      ['a', WORKING, 9, 'proxy'],
      ['a', LIMIT, 10, 'proxy'],
    );

    expect(figuresOf(reads({ container }), 'vllm')).toEqual([{ pod: 'a', ramShare: 0.5 }]);
    expect(figuresOf(reads({ container }), null)).toEqual([{ pod: 'a', ramShare: 0.9 }]);
  });

  it('know no share of RAM without a limit', () => {
    expect(figuresOf(reads({ container: samples(['a', WORKING, 50, 'vllm']) }), 'vllm')).toEqual([{ pod: 'a' }]);
  });

  it.each([
    ['by what is free', [['a', 'gpu.framebuffer.free', 10, '0']], 0.1],
    ['by the whole', [['a', 'gpu.framebuffer.total', 120, '0']], 0.25],
    ['by nothing', [], undefined],
    ['by what is free of another GPU', [['a', 'gpu.framebuffer.free', 10, '1']], undefined],
  ] as const)('know what of a GPU is free: %s', (_, rows, expected) => {
    const [figures] = figuresOf(reads({ gpu: samples(['a', USED, 90, '0'], ...rows) }), null);

    expect(figures?.gpuFreeShare).toEqual(expected === undefined ? undefined : expect.closeTo(expected));
  });

  it('take the fullest GPU and the fullest pool, and add requests up', () => {
    const gpu = samples(
      ['a', USED, 50, '0'],
      ['a', 'gpu.framebuffer.total', 100, '0'],
      ['a', USED, 80, '1'],
      ['a', 'gpu.framebuffer.total', 100, '1'],
    );
    const engine = samples(
      ['a', 'kv-cache.used-share', 0.2, 'x'],
      ['a', 'kv-cache.used-share', 0.7, 'y'],
      ['a', 'requests.running', 1, 'x'],
      ['a', 'requests.running', 2, 'y'],
      ['a', 'requests.waiting', 0, 'x'],
    );

    expect(figuresOf(reads({ gpu, engine }), null)).toEqual([
      { pod: 'a', gpuFreeShare: expect.closeTo(0.2), kvShare: 0.7, running: 3, waiting: 0 },
    ]);
  });
});

const whyNot = (pod: string) => `${pod} does not tell`;

describe('the worst of several pods', () => {
  const figures: readonly PodFigures[] = [
    { pod: 'a', kvShare: 0.2, gpuFreeShare: 0.5 },
    { pod: 'b', kvShare: 0.9, gpuFreeShare: 0.1 },
    { pod: 'c' },
  ];

  it.each([
    ['kvShare', ['a', 'b'], { value: 0.9, of: 'b', lacks: null }],
    ['gpuFreeShare', ['a', 'b'], { value: 0.1, of: 'b', lacks: null }],
    ['kvShare', ['a'], { value: 0.2, of: null, lacks: null }],
    ['kvShare', ['a', 'c', 'd'], { value: 0.2, of: 'a', lacks: 'c, d (c does not tell)' }],
    ['kvShare', ['c'], { kind: 'unknown', why: 'c does not tell' }],
    ['kvShare', [], { kind: 'unknown', why: 'no pods to read' }],
  ] as const)('%s of %j', (id, pods, expected) => {
    expect(worstOf(figures, id, { pods, whyNot })).toMatchObject(expected);
  });
});

/** Requests that wait in each pod, and those that run. */
type Queues = Readonly<Record<string, readonly [waiting?: number, running?: number]>>;

it.each<[string, Queues, object, object]>([
  [
    'is that of the pod that waits most for what it runs, whatever another one runs',
    { a: [10, 2], b: [12, 50] },
    { value: 10, of: 'a' },
    { value: 2 },
  ],
  ['is longest where nothing runs', { a: [1, 0], b: [12, 2] }, { value: 1, of: 'a' }, { value: 0 }],
  [
    'lacks a pod that tells of those that wait alone',
    { a: [0], b: [3] },
    { value: 0, lacks: 'b (b does not tell)' },
    { value: 0 },
  ],
  ['is not known of nobody', { a: [] }, { kind: 'unknown' }, { kind: 'unknown' }],
])('the queue of several pods: %s', (_, queues, waiting, running) => {
  const figures = Object.entries(queues).map(([pod, [waits, runs]]) => ({
    pod,
    ...(waits !== undefined && { waiting: waits }),
    ...(runs !== undefined && { running: runs }),
  }));

  expect(queueOf(figures, { pods: Object.keys(queues), whyNot })).toMatchObject({ waiting, running });
});

it('names a few pods, and of many how many more', () => {
  expect(sayPods(['a', 'b', 'c', 'd'])).toBe('a, b, c, d');
  expect(sayPods(['a', 'b', 'c', 'd', 'e', 'f'])).toBe('a, b, c, d and 2 more');
});
