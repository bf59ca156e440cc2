import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countServing } from '../../../src/actions/owners/count-serving.ts';
import type { Owner } from '../../../src/actions/owners/owner.ts';
import { OWNER_KINDS, ownerAdapter } from '../../../src/actions/owners/owner-adapter.ts';
import * as given from '../objects.ts';

function read(object: unknown, beside: readonly unknown[] = []): Owner {
  const owner = ownerAdapter(object, { container: 'vllm', beside });
  if (owner.kind !== 'owner') throw new Error(owner.says);
  return owner;
}

const AROUND = [given.aWorkspaceSet(), given.aConfigMap()];

describe('where a kind keeps what is written', () => {
  it.each<{ name: string; owner: Owner; scale: string; containers: string[]; args: string; roll: string }>([
    {
      name: 'Deployment',
      owner: read(given.aDeployment()),
      scale: 'Deployment /spec/replicas 3',
      containers: ['/spec/template/spec/containers/1'],
      args: 'container',
      roll: 'broken-first',
    },
    {
      name: 'StatefulSet',
      owner: read(given.aStatefulSet()),
      scale: 'StatefulSet /spec/replicas 3',
      containers: ['/spec/template/spec/containers/1'],
      args: 'container',
      roll: 'from-the-top',
    },
    {
      name: 'StatefulSet that waits for deletions',
      owner: read(given.aStatefulSet({ spec: { updateStrategy: { type: 'OnDelete' } } })),
      scale: 'StatefulSet /spec/replicas 3',
      containers: ['/spec/template/spec/containers/1'],
      args: 'container',
      roll: 'none',
    },
    {
      name: 'LeaderWorkerSet',
      owner: read(given.aGroupSet()),
      scale: 'LeaderWorkerSet /spec/replicas 2',
      containers: [
        '/spec/leaderWorkerTemplate/leaderTemplate/spec/containers/0',
        '/spec/leaderWorkerTemplate/workerTemplate/spec/containers/0',
      ],
      args: 'container',
      roll: 'from-the-top',
    },
    {
      name: 'InferenceService',
      owner: read(given.anInferenceService()),
      scale: 'InferenceService serving.kserve.io/stop 2',
      containers: ['/spec/predictor/model'],
      args: 'container',
      roll: 'none',
    },
    {
      name: 'Workspace',
      owner: read(given.aWorkspace(), AROUND),
      scale: 'StatefulSet /spec/replicas 1',
      containers: [],
      args: 'config-map',
      roll: 'none',
    },
    {
      name: 'Rollout',
      owner: read(given.aRollout()),
      scale: 'Rollout /spec/replicas 3',
      containers: ['/spec/template/spec/containers/1'],
      args: 'container',
      roll: 'broken-first',
    },
    {
      name: 'Rollout that is blue and green',
      owner: read(given.aRollout({ spec: { strategy: { blueGreen: {} } } })),
      scale: 'Rollout /spec/replicas 3',
      containers: ['/spec/template/spec/containers/1'],
      args: 'container',
      roll: 'none',
    },
  ])('$name', ({ owner, scale, containers, args, roll }) => {
    const at = owner.scale;
    const place = at.kind === 'count' ? at.path : at.kind === 'stop' ? at.annotation : '';

    expect(at.kind === 'none' ? at.why : `${at.ref.kind} ${place} ${at.now}`).toBe(scale);
    expect(owner.containers.map(({ path }) => path)).toEqual(containers);
    expect(owner.args.kind).toBe(args);
    expect(owner.roll.kind).toBe(roll);
  });

  it('covers every kind with a row', () => {
    expect(OWNER_KINDS.map(({ kind }) => kind).toSorted()).toEqual(
      ['Deployment', 'InferenceService', 'LeaderWorkerSet', 'Rollout', 'StatefulSet', 'Workspace'].toSorted(),
    );
  });

  it('of a Rollout with a reference is the Deployment that it names', () => {
    const rollout = given.aRollout({
      spec: { template: undefined, workloadRef: { kind: 'Deployment', name: 'vllm' } },
    });

    expect(read(rollout, [given.aDeployment()]).containers[0]?.ref.kind).toBe('Deployment');
    expect(read(rollout).args).toMatchObject({ kind: 'none' });
  });

  it.each([
    { name: 'no count', owner: read(given.aDeployment({ spec: { replicas: undefined } })) },
    {
      name: 'volumes that a scale-down deletes',
      owner: read(given.aStatefulSet({ spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } } })),
    },
    { name: 'a Workspace whose StatefulSet was not read', owner: read(given.aWorkspace()) },
  ])('is nowhere with $name', ({ owner }) => {
    expect(owner.scale.kind).toBe('none');
  });

  it.each([
    {
      name: 'a command without --kaito-config-file',
      beside: [given.aWorkspaceSet('python3 api.py'), given.aConfigMap()],
    },
    { name: 'a ConfigMap that was not read', beside: [given.aWorkspaceSet()] },
    { name: 'a StatefulSet that was not read', beside: [given.aConfigMap()] },
  ])('has no arguments with $name', ({ beside }) => {
    expect(read(given.aWorkspace(), beside).args.kind).toBe('none');
  });

  it('takes added arguments of a predictor only where nothing but the engine reads them', () => {
    const bare = { model: { runtime: 'vllm-runtime' } };
    const runtime = (command: string[]) => ({
      ...given.anObject('serving.kserve.io/v1alpha1', 'ClusterServingRuntime', 'vllm-runtime'),
      spec: { containers: [{ command }] },
    });

    expect(read(given.anInferenceService({ spec: bare })).args).toMatchObject({ mayAddArgs: false });
    expect(read(given.anInferenceService({ spec: bare }), [runtime(['python', '-m', 'x'])]).args).toMatchObject({
      mayAddArgs: true,
    });
    expect(read(given.anInferenceService({ spec: bare }), [runtime(['/bin/bash', '-c', 'x'])]).args).toMatchObject({
      mayAddArgs: false,
    });
  });

  it('is not told where the engine’s container is not certain', () => {
    const two = { spec: { template: { spec: { containers: [{ name: 'a' }, { name: 'b' }] } } } };

    expect(read(given.aDeployment(two)).containers).toEqual([]);
  });
});

describe('a kind that nobody writes', () => {
  it.each<{ apiVersion: string; kind: string; command: string }>([
    {
      apiVersion: 'apps.nvidia.com/v1alpha1',
      kind: 'NIMService',
      command: `kubectl -n llm patch nimservice.apps.nvidia.com/vllm --type=merge -p='{"spec":{"replicas":0}}'`,
    },
    {
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      command: `kubectl -n llm patch raycluster.ray.io/vllm --type=merge -p='{"spec":{"suspend":true}}'`,
    },
    { apiVersion: 'ray.io/v1', kind: 'RayService', command: 'kubectl -n llm edit rayservice.ray.io/vllm' },
    {
      apiVersion: 'production-stack.vllm.ai/v1alpha1',
      kind: 'VLLMRuntime',
      command: 'kubectl -n llm scale vllmruntime.production-stack.vllm.ai/vllm --replicas=0',
    },
    {
      apiVersion: 'kaito.sh/v1alpha1',
      kind: 'InferenceSet',
      command: 'kubectl -n llm scale inferenceset.kaito.sh/vllm --replicas=0',
    },
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', command: 'kubectl -n llm scale replicaset.apps/vllm --replicas=0' },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      command: `kubectl -n llm patch job.batch/vllm --type=merge -p='{"spec":{"suspend":true}}'`,
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      command: `kubectl -n llm patch daemonset.apps/vllm --type=merge -p='{"spec":{"template":{"spec":{"nodeSelector":{"oombot.dev/stopped":"true"}}}}}'`,
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      command: 'kubectl -n llm get pod/vllm -o yaml > pod.yaml && kubectl -n llm delete pod/vllm',
    },
    {
      apiVersion: 'llm.example.com/v1',
      kind: 'ModelPool',
      command: 'kubectl -n llm get modelpool.llm.example.com/vllm -o yaml',
    },
    // The same name in another group is another kind.
    {
      apiVersion: 'example.com/v1',
      kind: 'Deployment',
      command: 'kubectl -n llm get deployment.example.com/vllm -o yaml',
    },
    {
      apiVersion: 'example.com/v1',
      kind: 'RayCluster',
      command: 'kubectl -n llm get raycluster.example.com/vllm -o yaml',
    },
    {
      apiVersion: 'example.com/v1',
      kind: 'constructor',
      command: 'kubectl -n llm get constructor.example.com/vllm -o yaml',
    },
  ])('$apiVersion $kind gets what to type', ({ apiVersion, kind, command }) => {
    expect(ownerAdapter(given.anObject(apiVersion, kind))).toMatchObject({ kind: 'paste', command });
  });

  it('has its name quoted, whatever stands in it', () => {
    const odd = given.anObject('batch/v1', 'Job', `x'; rm -rf / #`);

    expect(ownerAdapter(odd)).toMatchObject({ command: expect.stringContaining(`'job.batch/x'\\''; rm -rf / #'`) });
  });
});

describe('what serves', () => {
  it.each<{ name: string; owner: Owner; pods: { ready: number; total: number } | undefined; serving: object }>([
    {
      name: 'the pods tell',
      owner: read(given.aDeployment({ ready: 1 })),
      pods: { ready: 2, total: 3 },
      serving: { ready: 2, total: 3, isKnown: true },
    },
    {
      name: 'else the status tells',
      owner: read(given.aDeployment({ ready: 1 })),
      pods: undefined,
      serving: { ready: 1, total: 3, isKnown: true },
    },
    {
      name: 'a status without the field is none',
      owner: read(given.aDeployment({ ready: 0 })),
      pods: undefined,
      serving: { ready: 0, total: 3, isKnown: true },
    },
    {
      name: 'nothing known is all',
      owner: read(given.aDeployment({ ready: null })),
      pods: undefined,
      serving: { ready: 3, total: 3, isKnown: false },
    },
    {
      name: 'of groups the status tells',
      owner: read(given.aGroupSet({ ready: 1 })),
      pods: { ready: 4, total: 4 },
      serving: { ready: 1, total: 2, isKnown: true },
    },
    {
      name: 'a stopped service has none',
      owner: read(given.anInferenceService({ meta: { annotations: { 'serving.kserve.io/stop': 'true' } } })),
      pods: { ready: 0, total: 0 },
      serving: { ready: 0, total: 0, isKnown: true },
    },
  ])('$name', ({ owner, pods, serving }) => {
    expect(countServing(owner, pods)).toEqual(serving);
  });
});

it('reads whatever JSON there is without a throw', () => {
  const kinds = [
    ...OWNER_KINDS.map(({ group, kind }) => ({ apiVersion: `${group}/v1`, kind })),
    { apiVersion: 'v1', kind: 'Pod' },
  ];
  const meta = { name: 'x', namespace: 'y', uid: 'z' };
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds),
      fc.jsonValue(),
      fc.jsonValue(),
      fc.array(fc.jsonValue()),
      (head, spec, status, beside) => {
        const owner = ownerAdapter({ ...head, metadata: meta, spec, status, inference: spec }, { beside });
        if (owner.kind === 'owner') countServing(owner, undefined);
        ownerAdapter(spec);
      },
    ),
    { seed: 4, numRuns: 300 },
  );
});

describe('how an InferenceService starts one replica first', () => {
  const firstOf = (annotations: Record<string, string>, spec: object = {}, status?: object) => {
    const object = {
      ...given.anInferenceService({ meta: { annotations }, spec: { maxReplicas: 4, ...spec } }),
      status,
    };
    const { scale } = read(object) as Owner;
    return scale.kind === 'stop' ? scale.first : undefined;
  };
  const MODE = 'serving.kserve.io/deploymentMode';
  const [MIN, MAX] = ['/spec/predictor/minReplicas', '/spec/predictor/maxReplicas'];

  it.each([
    ['the older word', firstOf({ [MODE]: 'RawDeployment' }), [MIN, MAX]],
    ['the newer word', firstOf({ [MODE]: 'Standard' }), [MIN, MAX]],
    ['the word of its status', firstOf({}, {}, { deploymentMode: 'RawDeployment' }), [MIN, MAX]],
    ['no maximum', firstOf({ [MODE]: 'Standard' }, { maxReplicas: undefined }), [MIN]],
  ])('by its range: %s', (_, first, paths) => {
    expect(first).toEqual({ kind: 'by-range', paths });
  });

  it.each([
    ['nothing tells its mode', firstOf({}), /cannot be told/],
    ['Knative runs it', firstOf({ [MODE]: 'Serverless' }), /a revision of its own/],
    [
      'another sets the number',
      firstOf({ [MODE]: 'Standard', 'serving.kserve.io/autoscalerClass': 'external' }),
      /external autoscaler/,
    ],
    ['it is one engine over nodes', firstOf({ [MODE]: 'Standard' }, { workerSpec: {} }), /one engine over several/],
  ])('not where %s, and says so', (_, first, why) => {
    expect(first).toEqual({ kind: 'together', why: expect.stringMatching(why) });
  });
});
