import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countServing } from '../../../src/actions/owners/count-serving.ts';
import type { Owner } from '../../../src/actions/owners/owner.ts';
import { OWNER_KINDS, ownerAdapter } from '../../../src/actions/owners/owner-adapter.ts';
import * as given from '../objects.ts';

function read(object: unknown, surroundings: readonly unknown[] = []): Owner {
  const owner = ownerAdapter(object, { container: 'vllm', surroundings });
  if (owner.kind !== 'owner') throw new Error(owner.says);
  return owner;
}

const ENGINE = ['/spec/template/spec/containers/1'];
const AROUND = [given.aWorkspaceSet(), given.aConfigMap()];

describe('where a kind keeps what is written', () => {
  it.each<[name: string, owner: Owner, scale: string, roll: string, containers?: readonly string[], args?: string]>([
    ['Deployment', read(given.aDeployment()), 'Deployment /spec/replicas 3', 'broken-first'],
    ['StatefulSet', read(given.aStatefulSet()), 'StatefulSet /spec/replicas 3', 'from-the-top'],
    [
      'StatefulSet that waits for deletions',
      read(given.aStatefulSet({ spec: { updateStrategy: { type: 'OnDelete' } } })),
      'StatefulSet /spec/replicas 3',
      'none',
    ],
    [
      'LeaderWorkerSet',
      read(given.aGroupSet()),
      'LeaderWorkerSet /spec/replicas 2',
      'from-the-top',
      ['leader', 'worker'].map((one) => `/spec/leaderWorkerTemplate/${one}Template/spec/containers/0`),
    ],
    [
      'InferenceService',
      read(given.anInferenceService()),
      'InferenceService serving.kserve.io/stop 2',
      'none',
      ['/spec/predictor/model'],
    ],
    ['Workspace', read(given.aWorkspace(), AROUND), 'StatefulSet /spec/replicas 1', 'none', [], 'config-map'],
    ['Rollout', read(given.aRollout()), 'Rollout /spec/replicas 3', 'broken-first'],
    [
      'Rollout that is blue and green',
      read(given.aRollout({ spec: { strategy: { blueGreen: {} } } })),
      'Rollout /spec/replicas 3',
      'none',
    ],
  ])('%s', (_name, owner, scale, roll, containers = ENGINE, args = 'container') => {
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
    ['no count', read(given.aDeployment({ spec: { replicas: undefined } }))],
    [
      'volumes that a scale-down deletes',
      read(given.aStatefulSet({ spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } } })),
    ],
    ['a Workspace whose StatefulSet was not read', read(given.aWorkspace())],
  ])('is nowhere with %s', (_name, owner) => {
    expect(owner.scale.kind).toBe('none');
  });

  it.each([
    ['a command without --kaito-config-file', [given.aWorkspaceSet('python3 api.py'), given.aConfigMap()]],
    ['a ConfigMap that was not read', [given.aWorkspaceSet()]],
    ['a StatefulSet that was not read', [given.aConfigMap()]],
  ])('has no arguments with %s', (_name, surroundings) => {
    expect(read(given.aWorkspace(), surroundings).args.kind).toBe('none');
  });

  it('takes added arguments of a predictor only where nothing but the engine reads them', () => {
    const bare = { model: { runtime: 'vllm-runtime' } };
    const runtime = (command: string[]) => ({
      ...given.anObject('serving.kserve.io/v1alpha1', 'ClusterServingRuntime', 'vllm-runtime'),
      spec: { containers: [{ command }] },
    });

    const argsWith = (...runtimes: readonly object[]) => read(given.anInferenceService({ spec: bare }), runtimes).args;

    expect(argsWith()).toMatchObject({ mayAddArgs: false });
    expect(argsWith(runtime(['python', '-m', 'x']))).toMatchObject({ mayAddArgs: true });
    expect(argsWith(runtime(['/bin/bash', '-c', 'x']))).toMatchObject({ mayAddArgs: false });
  });

  it('is not told where the engine’s container is not certain', () => {
    const two = { spec: { template: { spec: { containers: [{ name: 'a' }, { name: 'b' }] } } } };

    expect(read(given.aDeployment(two)).containers).toEqual([]);
  });
});

describe('a kind that nobody writes', () => {
  it.each<[apiVersion: string, kind: string, command: string]>([
    [
      'apps.nvidia.com/v1alpha1',
      'NIMService',
      `patch nimservice.apps.nvidia.com/vllm --type=merge -p='{"spec":{"replicas":0}}'`,
    ],
    ['ray.io/v1', 'RayCluster', `patch raycluster.ray.io/vllm --type=merge -p='{"spec":{"suspend":true}}'`],
    ['ray.io/v1', 'RayService', 'edit rayservice.ray.io/vllm'],
    [
      'production-stack.vllm.ai/v1alpha1',
      'VLLMRuntime',
      'scale vllmruntime.production-stack.vllm.ai/vllm --replicas=0',
    ],
    ['kaito.sh/v1alpha1', 'InferenceSet', 'scale inferenceset.kaito.sh/vllm --replicas=0'],
    ['apps/v1', 'ReplicaSet', 'scale replicaset.apps/vllm --replicas=0'],
    ['batch/v1', 'Job', `patch job.batch/vllm --type=merge -p='{"spec":{"suspend":true}}'`],
    [
      'apps/v1',
      'DaemonSet',
      `patch daemonset.apps/vllm --type=merge -p='{"spec":{"template":{"spec":{"nodeSelector":{"oombot.dev/stopped":"true"}}}}}'`,
    ],
    ['v1', 'Pod', 'get pod/vllm -o yaml > pod.yaml && kubectl -n llm delete pod/vllm'],
    ['llm.example.com/v1', 'ModelPool', 'get modelpool.llm.example.com/vllm -o yaml'],
    // The same name in another group is another kind.
    ['example.com/v1', 'Deployment', 'get deployment.example.com/vllm -o yaml'],
    ['example.com/v1', 'RayCluster', 'get raycluster.example.com/vllm -o yaml'],
    ['example.com/v1', 'constructor', 'get constructor.example.com/vllm -o yaml'],
  ])('%s %s gets what to type', (apiVersion, kind, command) => {
    expect(ownerAdapter(given.anObject(apiVersion, kind))).toMatchObject({
      kind: 'paste',
      command: `kubectl -n llm ${command}`,
    });
  });

  it('has its name quoted, whatever stands in it', () => {
    const odd = given.anObject('batch/v1', 'Job', `x'; rm -rf / #`);

    expect(ownerAdapter(odd)).toMatchObject({ command: expect.stringContaining(`'job.batch/x'\\''; rm -rf / #'`) });
  });
});

it.each<[name: string, owner: Owner, pods: { ready: number; total: number } | undefined, serving: object]>([
  [
    'the pods tell',
    read(given.aDeployment({ ready: 1 })),
    { ready: 2, total: 3 },
    { ready: 2, total: 3, isKnown: true },
  ],
  ['else the status tells', read(given.aDeployment({ ready: 1 })), undefined, { ready: 1, total: 3, isKnown: true }],
  [
    'a status without the field is none',
    read(given.aDeployment({ ready: 0 })),
    undefined,
    { ready: 0, total: 3, isKnown: true },
  ],
  ['nothing known is all', read(given.aDeployment({ ready: null })), undefined, { ready: 3, total: 3, isKnown: false }],
  [
    'of groups the status tells',
    read(given.aGroupSet({ ready: 1 })),
    { ready: 4, total: 4 },
    { ready: 1, total: 2, isKnown: true },
  ],
  [
    'a stopped service has none',
    read(given.anInferenceService({ meta: { annotations: { 'serving.kserve.io/stop': 'true' } } })),
    { ready: 0, total: 0 },
    { ready: 0, total: 0, isKnown: true },
  ],
])('what serves: %s', (_name, owner, pods, serving) => {
  expect(countServing(owner, pods)).toEqual(serving);
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
      (head, spec, status, surroundings) => {
        const owner = ownerAdapter({ ...head, metadata: meta, spec, status, inference: spec }, { surroundings });
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
    ['nothing tells its mode', firstOf({}), /has no deployment mode/],
    ['Knative runs it', firstOf({ [MODE]: 'Serverless' }), /an extra revision, on extra GPUs/],
    [
      'another sets the number',
      firstOf({ [MODE]: 'Standard', 'serving.kserve.io/autoscalerClass': 'external' }),
      /external autoscaler/,
    ],
    ['it is one engine over nodes', firstOf({ [MODE]: 'Standard' }, { workerSpec: {} }), /one engine across several/],
  ])('not where %s, and says so', (_, first, why) => {
    expect(first).toEqual({ kind: 'together', why: expect.stringMatching(why) });
  });
});
