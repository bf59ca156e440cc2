import { describe, expect, it } from 'vitest';
import type { PodResolution } from '../../src/app/ports.ts';
import { aDeployment, anOwner, aPod, aStatefulSet, NOW } from '../../src/standins/api-server/objects/builders.ts';
import { anEvent } from '../../src/standins/api-server/objects/surroundings.ts';
import { aWorld, type KubeObject } from '../../src/standins/api-server/objects/world.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { anEdge, aQuery, type Edge } from './harness.ts';

const labels = { app: 'vllm-server' };

function aReplica(name: string, over: Parameters<typeof aPod>[0] = {}): KubeObject {
  const { replicaSet } = aDeployment({ labels });
  return aPod({ name, labels: { ...labels, 'pod-template-hash': '7d8f6f9c6b' }, owner: replicaSet, ...over });
}

const crashing = { containers: [{ waiting: 'CrashLoopBackOff', restarts: 3 }] };

async function resolve(edge: Edge, pod: string, over: Parameters<typeof aQuery>[1] = {}) {
  const context = aReadContext();
  const found = await edge.cluster.resolve(aQuery(pod, over), context);
  return { found, calls: context.budget.cost().calls };
}

function nameIn(found: PodResolution): string {
  return found.kind === 'found' ? `${found.target.namespace}/${found.target.pod}` : found.kind;
}

describe('finding a pod', () => {
  it('takes the very name in one call', async () => {
    const pod = 'vllm-server-7d8f6f9c6b-4mnl2';
    const edge = await anEdge(aWorld({ objects: [aReplica(pod)] }));

    const { found, calls } = await resolve(edge, pod, { container: 'vllm' });

    expect(calls).toBe(1);
    const place = { cluster: 'prod', namespace: 'llm', pod, container: 'vllm', workload: 'Deployment/vllm-server' };
    expect(found).toEqual({ kind: 'found', target: { ...place, uid: `uid-llm-${pod}`, replaced: null } });
  });

  const replicas = [
    aReplica('vllm-server-7d8f6f9c6b-aaaaa', { createdAt: NOW - 1000 }),
    aReplica('vllm-server-7d8f6f9c6b-bbbbb', { createdAt: NOW - 9000, ...crashing }),
    aReplica('vllm-server-7d8f6f9c6b-ccccc', { createdAt: NOW - 5000, ...crashing }),
  ];
  const set = aStatefulSet({ name: 'llama', labels: { app: 'llama' } });
  const member = aPod({ name: 'llama-0', labels: { app: 'llama' }, owner: set });
  const group = anOwner('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'big');
  const worker = aPod({ name: 'big-0-1', labels: { 'leaderworkerset.sigs.k8s.io/name': 'big' } });
  const job = anOwner('batch/v1', 'Job', 'bench');
  const runner = aPod({ name: 'bench-x7k2p', owner: job });
  const all = [...aDeployment({ labels }).all, ...replicas, set, member, group, worker, job, runner];

  it.each([
    ['a replaced pod of a Deployment', 'vllm-server-66c9d8f7bb-x2x2x', 'llm/vllm-server-7d8f6f9c6b-ccccc', true],
    ['a Deployment, its newest bad pod', 'vllm-server', 'llm/vllm-server-7d8f6f9c6b-ccccc', false],
    ['a prefix', 'vllm-server-7d8f', 'llm/vllm-server-7d8f6f9c6b-ccccc', false],
    ['a member beyond the present size', 'llama-3', 'llm/llama-0', true],
    ['a StatefulSet', 'llama', 'llm/llama-0', false],
    ['a lost worker of a group', 'big-0-7', 'llm/big-0-1', true],
    ['a Job', 'bench', 'llm/bench-x7k2p', false],
  ])('answers %s', async (_what, name, expected, replaced) => {
    const edge = await anEdge(aWorld({ objects: all }));

    const { found, calls } = await resolve(edge, name);

    expect(nameIn(found)).toBe(expected);
    expect(found.kind === 'found' && found.target.replaced).toBe(replaced ? name : null);
    expect(calls).toBeLessThanOrEqual(3);
  });

  it('gives candidates for a prefix of several workloads, the bad ones first', async () => {
    const others = Array.from({ length: 12 }, (_, i) =>
      aPod({ name: `vllm-chat-${i}`, owner: aStatefulSet({ name: `vllm-chat-${i}` }) }),
    );
    const edge = await anEdge(aWorld({ objects: [...replicas, ...others] }));

    const { found } = await resolve(edge, 'vllm');

    const candidates = found.kind === 'ambiguous' ? found.candidates : [];
    expect(candidates).toHaveLength(8);
    expect(candidates.slice(0, 2)).toEqual([
      { namespace: 'llm', pod: 'vllm-server-7d8f6f9c6b-ccccc', state: 'CrashLoopBackOff, 0/1 ready, 3 restarts' },
      { namespace: 'llm', pod: 'vllm-server-7d8f6f9c6b-bbbbb', state: 'CrashLoopBackOff, 0/1 ready, 3 restarts' },
    ]);
  });

  it.each([
    ['nope', []],
    ['llama-9', []],
    ['vlm', ['vllm-server']],
    ['server', ['vllm-server']],
    ['vllm-serer-7d8f6f9c6b-zzzzz', ['vllm-server']],
    ['big-server', ['vllm-server']],
  ])('suggests for %s only what is close: %j', async (typed, workloads) => {
    const pods = ['vllm-server-7d8f6f9c6b-ccccc', 'other-5f6d7c8b9d-00000'].map((name) => aPod({ name }));
    const { found } = await resolve(await anEdge(aWorld({ objects: pods })), typed);

    const near =
      found.kind === 'not-found' ? found.nearest.map(({ pod }) => pod.split('-').slice(0, -2).join('-')) : [];
    expect([found.kind, near]).toEqual(['not-found', workloads]);
  });

  it('gives the nearest names when there is none, from one list', async () => {
    const edge = await anEdge(
      aWorld({ objects: [...all, aPod({ name: 'postgres-0', owner: aStatefulSet({ name: 'postgres' }) })] }),
    );

    const { found, calls } = await resolve(edge, 'vlm-servr');

    expect(found).toMatchObject({ kind: 'not-found', searched: ['llm'] });
    expect(found.kind === 'not-found' && found.nearest[0]?.pod).toBe('vllm-server-7d8f6f9c6b-ccccc');
    expect(found.kind === 'not-found' && found.nearest.length).toBeLessThanOrEqual(5);
    expect(calls).toBeLessThanOrEqual(5);
    expect(edge.standin.requests.map(({ query }) => query.limit)).toContain('250');
  });
});

describe('finding a workload without pods', () => {
  const QUOTA =
    'pods "x" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, used: 8, limited: 8';
  const { all, deployment } = aDeployment({ labels });
  const failing = {
    ...deployment,
    status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: QUOTA }] },
  };
  const set = aStatefulSet({ name: 'llama', labels: { app: 'llama' } });
  const { deployment: idle } = aDeployment({ name: 'idle', replicas: 0 });
  const world = aWorld({
    objects: [
      failing,
      all.slice(1),
      set,
      anEvent({ about: set, reason: 'FailedCreate', message: `create Pod llama-0 failed error: ${QUOTA}` }),
      idle,
    ],
  });

  it.each([
    ['a Deployment that cannot create them', 'vllm-server', 'Deployment/vllm-server', 1, /exceeded quota/],
    ['a pod of it that is gone', 'vllm-server-7d8f6f9c6b-4mnl2', 'Deployment/vllm-server', 1, /exceeded quota/],
    ['a StatefulSet that cannot create them', 'llama', 'StatefulSet/llama', 1, /exceeded quota/],
    ['a member of it', 'llama-0', 'StatefulSet/llama', 1, /exceeded quota/],
    ['a ReplicaSet', 'vllm-server-7d8f6f9c6b', 'ReplicaSet/vllm-server-7d8f6f9c6b', 1, undefined],
    ['one that is scaled to 0', 'idle', 'Deployment/idle', 0, undefined],
  ])('says so: %s', async (_what, name, workload, replicas, why) => {
    const { found, calls } = await resolve(await anEdge(world), name);

    const words = why === undefined ? undefined : expect.stringMatching(why);
    expect(found).toEqual({ kind: 'no-pods', namespace: 'llm', workload, replicas, why: words });
    expect(calls).toBeLessThanOrEqual(6);
  });
});

describe('finding a pod among many', () => {
  const nth = (i: number) => String(i).padStart(4, '0');
  const bare = (count: number) =>
    Array.from({ length: count }, (_, i): KubeObject => {
      const name = `batch-${nth(i)}`;
      return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'llm', uid: `uid-${name}` } };
    });
  const safe = 'bcdfghjklmnpqrstvwxz';
  const suffix = (i: number) =>
    [8000, 400, 20, 1].map((unit) => safe[Math.floor(i / unit) % 20]).join('') + (safe[i % 20] ?? '');

  it.each([60, 700, 2000])('takes the crashing one of %i replicas by its state, at the same cost', async (count) => {
    const replicas = Array.from({ length: count }, (_, i) =>
      aReplica(`vllm-server-7d8f6f9c6b-${suffix(i)}`, {
        createdAt: NOW - i,
        ...(i === count - 2 && crashing),
        ...(i === 3 && { containers: [{ restarts: 1 }] }),
        ...(i === 4 && { containers: [{ waiting: 'ContainerCreating' }] }),
      }),
    );
    const edge = await anEdge(aWorld({ objects: [...aDeployment({ labels }).all, ...replicas] }));

    const { found, calls } = await resolve(edge, 'vllm-server');

    expect(found.kind === 'found' && found.target).toMatchObject({
      pod: replicas[count - 2]?.metadata.name,
      uid: replicas[count - 2]?.metadata.uid,
      workload: 'Deployment/vllm-server',
    });
    expect(calls).toBe(5);
    expect(edge.standin.requests.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(600_000);
  });

  it('finds the end of a long list by its prefix, and asks which one where several fit', async () => {
    const edge = await anEdge(aWorld({ objects: [...bare(2000), aReplica('zeta-7d8f6f9c6b-4mnl2')] }));

    const [one, last, several, none] = [
      await resolve(edge, 'zeta-7d8'),
      await resolve(edge, 'batch-1999'),
      await resolve(edge, 'batch-19'),
      await resolve(edge, 'zeta-9'),
    ];

    expect([nameIn(one.found), nameIn(last.found)]).toEqual(['llm/zeta-7d8f6f9c6b-4mnl2', 'llm/batch-1999']);
    expect(several.found).toMatchObject({ kind: 'ambiguous' });
    expect(none.found).toEqual(expect.not.objectContaining({ searchedPods: expect.anything() }));
    expect(Math.max(...[one, last, several, none].map(({ calls }) => calls))).toBeLessThanOrEqual(7);
  });

  it('never says that there is none, or only one, of a list that was cut', async () => {
    const edge = await anEdge(aWorld({ objects: [...bare(10_050), aPod({ name: 'aaa-0' })] }));

    const [unique, unseen] = [await resolve(edge, 'aaa'), await resolve(edge, 'zeta')];
    const wide = await resolve(edge, 'aaa', { namespace: undefined });

    expect(unique.found).toMatchObject({ kind: 'ambiguous', candidates: [{ pod: 'aaa-0' }], searchedPods: 10_000 });
    expect(unseen.found).toMatchObject({ kind: 'not-found', searchedPods: 10_000 });
    expect(wide.found).toMatchObject({ kind: 'ambiguous', searchedPods: 250 });
  });
});

describe('finding a pod without a namespace', () => {
  const twins = [aPod({ name: 'llama-0', namespace: 'team-a' }), aPod({ name: 'llama-0', namespace: 'team-b' })];

  it('asks each of a few namespaces, or the whole cluster at once', async () => {
    const world = aWorld({ objects: [aPod({ name: 'llama-0', namespace: 'team-b' })] });
    const few = await anEdge(world, { namespaces: ['team-a', 'team-b'] });
    const wide = await anEdge(world, { namespaces: ['*'] });

    const answers = [
      await resolve(few, 'llama-0', { namespace: undefined }),
      await resolve(wide, 'llama-0', { namespace: undefined }),
    ];

    expect(answers.map(({ found }) => nameIn(found))).toEqual(['team-b/llama-0', 'team-b/llama-0']);
    expect(answers.map(({ calls }) => calls)).toEqual([2, 1]);
  });

  it('asks which one when two namespaces have it', async () => {
    const edge = await anEdge(aWorld({ objects: twins }));

    const { found } = await resolve(edge, 'llama-0', { namespace: undefined });

    expect(found.kind === 'ambiguous' && found.candidates.map(({ namespace }) => namespace).toSorted()).toEqual([
      'team-a',
      'team-b',
    ]);
  });

  it('never looks into a namespace that configuration leaves out', async () => {
    const edge = await anEdge(aWorld({ objects: twins }), { namespaces: ['team-*'] });
    const narrow = await anEdge(aWorld({ objects: twins }), { namespaces: ['other-*'] });

    const out = await resolve(narrow, 'llama-0', { namespace: 'team-a' });
    const none = await resolve(narrow, 'llama-0', { namespace: undefined });

    expect((await resolve(edge, 'llama-0', { namespace: 'team-a' })).found.kind).toBe('found');
    expect(out.found).toEqual({ kind: 'outside', namespace: 'team-a' });
    expect(out.calls).toBe(0);
    expect(none.found).toMatchObject({ kind: 'not-found', nearest: [] });
  });

  it('finds a workload anywhere in three calls, whatever the size of the cluster', async () => {
    const crowd = Array.from({ length: 600 }, (_, i) =>
      aPod({ name: `a-${i}`, namespace: 'aaa', owner: aStatefulSet({ name: `a${i}` }) }),
    );
    const edge = await anEdge(
      aWorld({ objects: [...crowd, aReplica('vllm-server-7d8f6f9c6b-aaaaa'), ...aDeployment({ labels }).all] }),
    );

    const { found, calls } = await resolve(edge, 'vllm-server-5f5f5f5f5f-zzzzz', { namespace: undefined });

    expect(nameIn(found)).toBe('llm/vllm-server-7d8f6f9c6b-aaaaa');
    expect(calls).toBe(3);
  });

  it('falls back to the namespace of the context where the whole cluster may not be listed', async () => {
    const world = aWorld({
      objects: [aPod({ name: 'llama-0', namespace: 'default' })],
      denied: [{ verb: 'list', resource: 'pods' }],
    });
    const edge = await anEdge(world);

    const { found } = await resolve(edge, 'llama-0', { namespace: undefined });

    expect(nameIn(found)).toBe('default/llama-0');
  });
});

it('finding a pod without the right to names the missing rule and gives the role to paste', async () => {
  const edge = await anEdge(aWorld({ objects: [aPod()], denied: [{ resource: 'pods', namespace: 'llm' }] }));

  const { found } = await resolve(edge, 'vllm-server-7d8f6f9c6b-4mnl2');

  expect(found).toMatchObject({ kind: 'forbidden', searched: ['llm'], rule: 'pods get in namespace llm' });
  const manifest = found.kind === 'forbidden' ? (found.manifest ?? '') : '';
  expect(manifest).toContain('kind: RoleBinding');
  expect(manifest).toContain('resources: ["pods"], verbs: ["get"]');
});

it.each([
  ['overloaded', 429, 'cluster-refused', '429'],
  ['broken', 503, 'cluster-refused', '503'],
  ['unwilling', 401, 'cluster-refused', '401'],
])('finding a pod in a cluster that fails throws when it is %s', async (_what, status, code, word) => {
  const edge = await anEdge(aWorld({ objects: [aPod()] }));
  edge.standin.faults.on('/pods', { kind: 'refuse', status });

  const answer = resolve(edge, 'vllm-server-7d8f6f9c6b-4mnl2');

  await expect(answer).rejects.toMatchObject({ code, message: expect.stringContaining(word) });
  await expect(answer).rejects.not.toMatchObject({ message: expect.stringContaining('refused by the stand-in') });
});
