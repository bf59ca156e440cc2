import { describe, expect, it } from 'vitest';
import { valueAt } from '../../src/model/json-patch.ts';
import { type ClusterInMemory, createClusterInMemory } from '../../src/standins/api-server/cluster-in-memory.ts';
import type { CrashRule, LifeSettings } from '../../src/standins/api-server/life/settings.ts';
import { aDeployment, aPod, aStatefulSet } from '../../src/standins/api-server/objects/builders.ts';
import { aWorld, type KubeObject } from '../../src/standins/api-server/objects/world.ts';
import { kvRoomWorld } from '../../src/standins/scenarios/scenarios.ts';
import { aLog } from '../kubernetes/harness.ts';

const LIFE: Partial<LifeSettings> = { loadMs: 60_000, terminateMs: 5000 };

function aCluster(objects: readonly (KubeObject | readonly KubeObject[])[], life: Partial<LifeSettings> = {}) {
  return createClusterInMemory(aWorld({ objects }), { life: { ...LIFE, ...life } });
}

const withPods = (replicas: number, containers = [{}]) => {
  const { all, replicaSet } = aDeployment({ replicas });
  const pods = Array.from({ length: replicas }, (_, i) =>
    aPod({ name: `vllm-server-7d8f6f9c6b-${i}`, labels: { app: 'vllm-server' }, owner: replicaSet, containers }),
  );
  return [all, pods];
};

const objectsOf = ({ storage }: ClusterInMemory, kind: string) =>
  storage.world.objects.filter((object) => object.kind === kind);
const stays = (pod: KubeObject) => pod.metadata.deletionTimestamp === undefined;
const isReady = (pod: KubeObject) =>
  JSON.stringify(valueAt(pod, '/status/conditions')).includes('"Ready","status":"True"');
const standing = (cluster: ClusterInMemory) => {
  const pods = objectsOf(cluster, 'Pod');
  return { pods: pods.length, staying: pods.filter(stays).length, ready: pods.filter(stays).filter(isReady).length };
};
function setSpec({ storage }: ClusterInMemory, kind: string, change: (spec: Record<string, never>) => object) {
  const before = storage.world.objects.find((object) => object.kind === kind)!;
  storage.save(before, { ...before, spec: change(before.spec as never) }, { manager: 'someone' });
}
const scale = (cluster: ClusterInMemory, replicas: number, kind = 'Deployment') =>
  setSpec(cluster, kind, (spec) => ({ ...spec, replicas }));
const setArgs = (cluster: ClusterInMemory, args: readonly string[], kind = 'Deployment') =>
  setSpec(cluster, kind, (spec) => {
    const [first] = valueAt(spec, '/template/spec/containers') as object[];
    const template = { ...(valueAt(spec, '/template') as object), spec: { containers: [{ ...first, args }] } };
    return { ...spec, template };
  });
const argsOf = (pod: KubeObject) => valueAt(pod, '/spec/containers/0/args');
const statusOf = (cluster: ClusterInMemory, kind = 'Deployment') => objectsOf(cluster, kind)[0]?.status;

it('a world that nobody has touched stands as it was built, however long', () => {
  const cluster = createClusterInMemory(kvRoomWorld());
  const before = structuredClone(cluster.storage.world.objects);

  cluster.advance(600_000);

  expect(cluster.storage.world.objects).toEqual(before);
});

describe('a Deployment in the stand-in', () => {
  it('has no pod left after they had their time to end, and none of their logs', () => {
    const cluster = aCluster(withPods(2));
    cluster.storage.world.logs.push(aLog('vllm-server-7d8f6f9c6b-0'));

    scale(cluster, 0);
    cluster.advance(4000);
    const during = standing(cluster).pods;
    cluster.advance(2000);

    expect([during, standing(cluster).pods]).toEqual([2, 0]);
    expect(cluster.storage.world.logs).toEqual([]);
  });

  it('never ends a rolling update where no GPU is spare', () => {
    const cluster = aCluster(withPods(2), { gpus: 2 });
    setArgs(cluster, ['b']);

    cluster.advance(700_000);

    const waiting = objectsOf(cluster, 'Pod').filter((pod) => valueAt(pod, '/spec/nodeName') === undefined);
    expect(waiting.map((pod) => valueAt(pod, '/status/conditions/0/reason'))).toEqual(['Unschedulable']);
    const late = expect.objectContaining({ reason: 'ProgressDeadlineExceeded' });
    expect(statusOf(cluster)).toMatchObject({ conditions: expect.arrayContaining([late]) });
  });
});

const crash: CrashRule = {
  afterMs: 20_000,
  reason: 'Error',
  exitCode: 1,
  log: ['torch.OutOfMemoryError: CUDA out of memory.'],
  unlessArgs: '8192',
};

it('new pods that crash wait longer each time, with the log of their death', () => {
  const cluster = aCluster(withPods(1), { crash });
  setArgs(cluster, ['--max-model-len', '32768']);

  cluster.advance(21_000);
  const once = objectsOf(cluster, 'Pod').findLast((pod) => argsOf(pod) !== undefined);
  cluster.advance(120_000);
  const [often] = objectsOf(cluster, 'Pod').slice(-1);

  expect(valueAt(once, '/status/containerStatuses/0')).toMatchObject({
    ready: false,
    restartCount: 1,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated: { reason: 'Error', exitCode: 1 } },
  });
  expect(Number(valueAt(often, '/status/containerStatuses/0/restartCount'))).toBeGreaterThan(2);
  const log = cluster.storage.world.logs.find(
    ({ pod, instance }) => pod === once?.metadata.name && instance === 'previous',
  );
  expect(log?.lines).toMatchObject([{ text: crash.log[0] }]);
});

it('other workloads in the stand-in a StatefulSet goes by number, and one pod that never serves holds up its update', () => {
  const set = aStatefulSet({ replicas: 2 });
  const pod = (i: number, ready: boolean) =>
    aPod({ name: `vllm-server-${i}`, owner: set, containers: [ready ? {} : { waiting: 'CrashLoopBackOff' }] });
  const stuck = aCluster([set, pod(0, true), pod(1, false)]);
  const healthy = aCluster([set, pod(0, true), pod(1, true)]);

  for (const cluster of [stuck, healthy]) {
    setArgs(cluster, ['b'], 'StatefulSet');
    cluster.advance(300_000);
  }

  const changed = (cluster: ClusterInMemory) =>
    objectsOf(cluster, 'Pod').filter((one) => `${argsOf(one)}` === 'b').length;
  expect([changed(stuck), changed(healthy)]).toEqual([0, 2]);
  const names = objectsOf(healthy, 'Pod').map(({ metadata }) => metadata.name);
  expect(names.toSorted()).toEqual(['vllm-server-0', 'vllm-server-1']);
});
