import { describe, expect, it } from 'vitest';
import type { WorkloadPod } from '../../src/app/acting-ports.ts';
import { valueAt } from '../../src/model/json-patch.ts';
import type { ObjectRef, PlanTarget } from '../../src/model/plan.ts';
import {
  aDeployment,
  anOwner,
  aPod,
  aStatefulSet,
  NOW,
  type PodOptions,
} from '../../src/standins/api-server/objects/builders.ts';
import { anEvent, anHpa, aPdb } from '../../src/standins/api-server/objects/surroundings.ts';
import { type ApiWorld, aWorld, type KubeObject } from '../../src/standins/api-server/objects/world.ts';
import { anActContext } from '../contracts/acting-cluster.ts';
import { anActingEdge } from './acting-harness.ts';

const context = anActContext();

const refTo = ({ apiVersion, kind, metadata }: KubeObject): ObjectRef & { uid: string } => ({
  apiVersion,
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  uid: metadata.uid,
});

async function surroundingsIn(world: ApiWorld, target: KubeObject) {
  const { cluster } = await anActingEdge(world);
  const { objects, notRead } = await cluster.surroundings(refTo(target), context);
  return { names: objects.map((one) => `${one.kind}/${valueAt(one, '/metadata/name')}`), notRead };
}

async function podsIn(world: ApiWorld, target: KubeObject, container: string | null = 'vllm') {
  const { cluster, standin } = await anActingEdge(world);
  const plan: PlanTarget = { cluster: 'prod', object: refTo(target), container };
  return { read: await cluster.pods(plan, context), standin };
}

const numbered = (index: string) => ({ 'leaderworkerset.sigs.k8s.io/worker-index': index });

const scaledObject = (name: string, target: object): KubeObject => ({
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  metadata: { name, namespace: 'llm', uid: `uid-keda-${name}` },
  spec: { scaleTargetRef: target },
});

describe('the surroundings of a workload', () => {
  const { deployment, all } = aDeployment();

  it('are its owners from itself up, and what is aimed at one of them', async () => {
    const isvc = anOwner('serving.kserve.io/v1beta1', 'InferenceService', 'llama');
    const child = aDeployment({ name: 'llama-predictor', owner: isvc });
    const hpa = anHpa(child.deployment);

    const found = await surroundingsIn(
      aWorld({ objects: [isvc, child.all, hpa, all, anHpa(deployment)] }),
      child.deployment,
    );

    expect(found).toEqual({
      names: ['Deployment/llama-predictor', 'InferenceService/llama', 'HorizontalPodAutoscaler/llama-predictor-hpa'],
      notRead: [],
    });
  });

  it.each([
    ['by name alone, which means a Deployment', { name: 'vllm-server' }, true],
    ['by kind and name', { kind: 'Deployment', name: 'vllm-server' }, true],
    ['at another kind', { kind: 'StatefulSet', name: 'vllm-server' }, false],
  ])('hold a ScaledObject aimed %s', async (_what, target, is) => {
    const { names } = await surroundingsIn(aWorld({ objects: [all, scaledObject('keda', target)] }), deployment);

    expect(names.includes('ScaledObject/keda')).toBe(is);
  });

  it('hold the budgets that cover its pods, by the labels of real pods where a kind has no template', async () => {
    const isvc = anOwner('serving.kserve.io/v1beta1', 'InferenceService', 'llama');
    const labels = { 'serving.kserve.io/inferenceservice': 'llama', component: 'predictor' };
    const pod = aPod({ name: 'llama-1', labels });
    const budgets = [aPdb('covers', { component: 'predictor' }), aPdb('elsewhere', { component: 'transformer' })];

    const found = await surroundingsIn(aWorld({ objects: [isvc, pod, budgets] }), isvc);
    const none = await surroundingsIn(aWorld({ objects: [isvc, budgets] }), isvc);

    expect(found.names).toContain('PodDisruptionBudget/covers');
    expect(found.names).not.toContain('PodDisruptionBudget/elsewhere');
    expect(none.notRead).toEqual(['pod disruption budgets: pod labels unknown']);
  });

  it('hold a runtime of the whole cluster, and do without it where it may not be read', async () => {
    const isvc = {
      ...anOwner('serving.kserve.io/v1beta1', 'InferenceService', 'llama'),
      spec: { predictor: { model: { runtime: 'vllm-runtime' } } },
    };
    const runtime: KubeObject = {
      apiVersion: 'serving.kserve.io/v1alpha1',
      kind: 'ClusterServingRuntime',
      metadata: { name: 'vllm-runtime', uid: 'uid-runtime' },
    };

    const denied = [{ verb: 'get', resource: 'clusterservingruntimes' }];

    const found = await surroundingsIn(aWorld({ objects: [isvc, runtime] }), isvc);
    const { names } = await surroundingsIn(aWorld({ objects: [isvc, runtime], denied }), isvc);

    expect(found).toEqual({ names: ['InferenceService/llama', 'ClusterServingRuntime/vllm-runtime'], notRead: [] });
    expect(names).toEqual(['InferenceService/llama']);
  });

  it('hold the StatefulSet that a Workspace scales by', async () => {
    const workspace = anOwner('kaito.sh/v1beta1', 'Workspace', 'phi');
    const set = aStatefulSet({ name: 'phi', owner: workspace });

    const found = await surroundingsIn(aWorld({ objects: [workspace, set] }), workspace);
    const alone = await surroundingsIn(aWorld({ objects: [workspace] }), workspace);

    expect(found.names).toEqual(['Workspace/phi', 'StatefulSet/phi']);
    expect(alone.notRead).toEqual(['StatefulSet/phi: it does not exist']);
  });

  it.each([
    ['shop:apps/Deployment:llm/vllm-server', 'argocd', 'shop'],
    ['team_shop:apps/Deployment:llm/vllm-server', 'team', 'shop'],
  ])('hold the Argo CD application that tracks it: %s', async (id, namespace, name) => {
    const tracked = aDeployment({ annotations: { 'argocd.argoproj.io/tracking-id': id } });
    const app = { ...anOwner('argoproj.io/v1alpha1', 'Application', name, namespace) };

    const found = await surroundingsIn(aWorld({ objects: [tracked.all, app] }), tracked.deployment);
    const denied = [{ resource: 'applications' }];
    const hidden = await surroundingsIn(aWorld({ objects: [tracked.all, app], denied }), tracked.deployment);

    expect(found.names).toContain('Application/shop');
    expect(hidden.notRead).toEqual([
      `Argo CD application ${namespace}/${name}: missing right: applications.argoproj.io get in namespace ${namespace}`,
    ]);
  });

  it.each([
    ['Kustomization', 'kustomize.toolkit.fluxcd.io', 'v1', 'kustomizations'],
    ['HelmRelease', 'helm.toolkit.fluxcd.io', 'v2', 'helmreleases'],
  ])('hold the %s of Flux that it is applied from', async (kind, mark, version, resource) => {
    const marks = { [`${mark}/name`]: 'models', [`${mark}/namespace`]: 'flux-system' };
    const applied = aDeployment({ labels: { app: 'llama' } });
    Object.assign(applied.deployment.metadata, { labels: { ...applied.deployment.metadata.labels, ...marks } });
    const flux = anOwner(`${mark}/${version}`, kind, 'models', 'flux-system');
    const other = anOwner(`${mark}/${version}`, kind, 'models', 'llm');
    const objects = [applied.all, flux, other];

    const found = await surroundingsIn(aWorld({ objects }), applied.deployment);
    const hidden = await surroundingsIn(aWorld({ objects, denied: [{ resource }] }), applied.deployment);

    expect(found).toEqual({ names: ['Deployment/vllm-server', `${kind}/models`], notRead: [] });
    expect(hidden.notRead).toEqual([
      `Flux ${kind} flux-system/models: missing right: ${resource}.${mark} get in namespace flux-system`,
    ]);
  });

  it('name what could not be read', async () => {
    const denied = [{ resource: 'horizontalpodautoscalers' }, { resource: 'scaledobjects' }];
    const { names, notRead } = await surroundingsIn(aWorld({ objects: [all, anHpa(deployment)], denied }), deployment);

    expect(names).toEqual(['Deployment/vllm-server']);
    expect(notRead).toEqual([
      'horizontalpodautoscalers: missing right: horizontalpodautoscalers.autoscaling list in namespace llm',
      'scaledobjects: missing right: scaledobjects.keda.sh list in namespace llm',
    ]);
  });
});

it('a kind that is not installed is no missing right, though the API server refuses to list it', async () => {
  const { deployment, all } = aDeployment();
  const { cluster, standin } = await anActingEdge(aWorld({ objects: [all] }));
  standin.faults.on('/verticalpodautoscalers', { kind: 'refuse', status: 403 });
  standin.faults.on('/apis/autoscaling.k8s.io/v1', { kind: 'refuse', status: 404 });
  standin.faults.on('/scaledobjects', { kind: 'refuse', status: 403 });

  const { notRead } = await cluster.surroundings(refTo(deployment), context);

  expect(notRead).toEqual(['scaledobjects: missing right: scaledobjects.keda.sh list in namespace llm']);
});

describe('the pods of a workload', () => {
  const { deployment, all } = aDeployment({ labels: { app: 'llama' } });
  const onePod = async (options: PodOptions, container: string | null = 'vllm'): Promise<WorkloadPod> => {
    const pod = aPod({ labels: { app: 'llama' }, ...options });
    const { read } = await podsIn(aWorld({ objects: [all, pod] }), deployment, container);
    if (read.kind !== 'read' || read.pods[0] === undefined) throw new Error(JSON.stringify(read));
    return read.pods[0];
  };
  const death = { reason: 'OOMKilled', exitCode: 137, startedAt: NOW - 60_000, finishedAt: NOW - 30_000 };

  const lastDeath = { reason: 'OOMKilled', exitCode: 137, at: NOW - 30_000 };
  const beside = [
    { name: 'proxy', restarts: 9 },
    { name: 'vllm', restarts: 1 },
  ];
  it.each<[string, PodOptions, Partial<WorkloadPod>]>([
    ['one that serves', {}, { ready: true, scheduled: true, terminating: false, lastDeath: null, why: null }],
    [
      'one in a crash loop',
      { containers: [{ waiting: 'CrashLoopBackOff', restarts: 4, lastDeath: death }] },
      { ready: false, restarts: 4, startedAt: null, why: 'CrashLoopBackOff', lastDeath },
    ],
    [
      'one that has ended and is not yet started again',
      { containers: [{ ended: death, lastDeath: { ...death, reason: 'Error', exitCode: 1 } }] },
      { why: 'OOMKilled', lastDeath },
    ],
    ['the leader of a group', { labels: { app: 'llama', ...numbered('0') } }, { worker: false }],
    ['a worker of a group', { labels: { app: 'llama', ...numbered('1') } }, { worker: true }],
    ['one that is asked to go', { deletedAt: NOW }, { terminating: true }],
    ['one that was evicted', { phase: 'Failed', reason: 'Evicted' }, { why: 'Evicted' }],
    ['one that waits for room', { node: null, containers: [] }, { scheduled: false }],
    ['the named container, not the one beside it', { containers: beside }, { restarts: 1 }],
  ])('tell %s', async (_what, options, expected) => {
    expect(await onePod(options)).toMatchObject(expected);
  });

  it.each([
    ['leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'leaderworkerset.sigs.k8s.io/name'],
    ['serving.kserve.io/v1beta1', 'InferenceService', 'serving.kserve.io/inferenceservice'],
    ['kaito.sh/v1beta1', 'Workspace', 'kaito.sh/workspace'],
  ])('are found by the label that %s puts on them', async (apiVersion, kind, label) => {
    const owner = anOwner(apiVersion, kind, 'llama');
    const pods = [aPod({ name: 'a', labels: { [label]: 'llama' } }), aPod({ name: 'b', labels: { [label]: 'other' } })];

    const { read } = await podsIn(aWorld({ objects: [owner, pods] }), owner);

    expect(read).toMatchObject({ kind: 'read', pods: [{ name: 'a' }] });
  });

  const hidden = aWorld({ objects: [all], denied: [{ resource: 'pods' }] });
  const bare = aWorld({ objects: [{ ...deployment, spec: {} }] });
  it.each<[string, ApiWorld, string]>([
    ['the workload is gone', aWorld({}), 'Deployment/vllm-server: it does not exist'],
    ['they may not be listed', hidden, 'pods: missing right: pods list in namespace llm'],
    ['it has no selector', bare, 'Deployment/vllm-server has no pod selector'],
  ])('cannot be told where %s', async (_what, world, why) => {
    const { read } = await podsIn(world, deployment);

    expect(read).toEqual({ kind: 'could-not-tell', why });
  });
});

describe('many pods of a workload', () => {
  const many = (count: number) => {
    const { deployment, all } = aDeployment({ replicas: count });
    const labels = { app: 'vllm-server' };
    const pods = Array.from({ length: count }, (_, i) =>
      aPod({ name: `vllm-server-${String(i).padStart(3, '0')}`, labels }),
    );
    return { deployment, world: aWorld({ objects: [all, pods] }) };
  };

  it.each([60, 100, 500])('are all read, %i of them', async (count) => {
    const { deployment, world } = many(count);

    const { read } = await podsIn(world, deployment);

    expect(new Set(read.kind === 'read' ? read.pods.map(({ name }) => name) : []).size).toBe(count);
  });

  it('are told as too many, not as those that were read', async () => {
    const { deployment, world } = many(501);

    const why = 'more than 500 pods';
    expect((await podsIn(world, deployment)).read).toEqual({ kind: 'could-not-tell', why });
  });
});

describe('pods that cannot be created', () => {
  const QUOTA = 'pods "llama-0" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=1';
  const set = aStatefulSet({ name: 'llama' });
  const group = anOwner('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'llama');
  const failing = (kind: string, name: string, at: number) =>
    anEvent({
      about: anOwner('apps/v1', kind, name),
      reason: 'FailedCreate',
      message: `create Pod ${name}-0 in ${kind} ${name} failed error: ${QUOTA}`,
      at,
    });
  const read = async (target: KubeObject, objects: ApiWorld['objects'], options = {}) => {
    const { cluster, standin } = await anActingEdge(aWorld({ objects, ...options }), {
      impersonate: 'system:serviceaccount:oombot:oombot-act',
    });
    return { last: await cluster.failedCreate(refTo(target), context), standin };
  };

  it.each([
    ['a StatefulSet', set, 'llama', NOW],
    ['the leaders of a LeaderWorkerSet', group, 'llama', NOW],
    ['its workers', group, 'llama-1', NOW],
    ['a StatefulSet of a longer name', set, 'llama-1', undefined],
    ['another workload', group, 'llama-chat', undefined],
  ])('are told by the newest event of %s', async (_what, target, name, at) => {
    const old = failing('StatefulSet', name, NOW - 60_000);

    const { last } = await read(target, [set, group, failing('StatefulSet', name, NOW), old]);

    expect(last).toEqual(at === undefined ? undefined : { at, why: QUOTA });
  });

  it('are read as the reader, and unknown where that may not', async () => {
    const event = failing('StatefulSet', 'llama', NOW);

    const { standin } = await read(set, [set, event]);
    const { last } = await read(set, [set, event], { denied: [{ resource: 'events' }] });

    expect(standin.requests.map(({ headers }) => headers['impersonate-user'])).toEqual([undefined]);
    expect(last).toBeUndefined();
  });
});
