import { isSameJson, valueAt } from '../../../model/json-patch.ts';
import type { KubeObject } from '../objects/world.ts';
import type { Storage } from '../write/storage.ts';
import { type ContainerRuntime, ruledRuntime } from './container-process.ts';
import { followOperators } from './operators.ts';
import { createPodLife, hasFailed, type PodLife } from './pod-life.ts';
import { isOwnedBy, keepReplicaSet, letters, replicaSetsOf } from './replica-sets.ts';
import { nextPods, type PodsOf } from './rollout.ts';
import type { LifeSettings } from './settings.ts';
import { type Shape, shapeOf } from './workload-shape.ts';
import { workloadStatus } from './workload-status.ts';

/** The controllers of a cluster. They look after a workload from its first change on; before, the world stands as it was built. */
type Life = {
  readonly settings: LifeSettings;
  /** Lets time pass: everything that is due happens. */
  step(): void;
  /** Called at each change. */
  noteChange(before: KubeObject | undefined, after: KubeObject): void;
  /** A client deletes an object. */
  end(object: KubeObject, cascades: boolean): void;
};

/** A workload under care. `made` says which template a pod has. */
type Cared = { readonly made: Map<string, unknown>; changedAt: number };

export const DEFAULT_LIFE: LifeSettings = {
  loadMs: 60_000,
  terminateMs: 5000,
  gpus: undefined,
  crash: undefined,
  log: ['INFO:     Application startup complete.'],
};

export function createLife(
  storage: Storage,
  settings: LifeSettings,
  runtime: ContainerRuntime = ruledRuntime(settings),
): Life {
  const cared = new Map<string, Cared>();
  const pods = createPodLife(storage, settings, runtime);
  const ownerOf = (object: KubeObject): KubeObject | undefined =>
    storage.world.objects.find(({ metadata }) => isOwnedBy(object, metadata.uid));
  // Whoever looks after a pod finds out that it differs.
  const alertOwner = (pod: KubeObject): void => {
    const owner = ownerOf(pod);
    const top = owner && (ownerOf(owner) ?? owner);
    if (top !== undefined) life.noteChange(top, top);
  };
  // A pod of other labels is its owner's no more; one past its deadline has failed, and makes room.
  const notePod = (pod: KubeObject): void => {
    const owner = ownerOf(pod);
    if (valueAt(pod, '/spec/activeDeadlineSeconds') !== undefined) pods.fail(pod);
    const now = storage.world.objects.find(({ metadata }) => metadata.uid === pod.metadata.uid);
    if (owner === undefined || now === undefined) return;
    const wanted = Object.entries((valueAt(owner, '/spec/selector/matchLabels') ?? {}) as object);
    if (wanted.some(([key, value]) => pod.metadata.labels?.[key] !== value)) {
      storage.settle(now, { ...now, metadata: { ...now.metadata, ownerReferences: [] } });
    }
    alertOwner(pod);
  };
  const life: Life = {
    settings,
    noteChange(before, after) {
      if (after.kind === 'Pod') return notePod(after);
      followOperators(storage, after);
      const shape = shapeOf(before ?? after);
      const { uid } = after.metadata;
      if (shape === undefined) return;
      const known = cared.get(uid) ?? { made: madeOf(storage, after, shape), changedAt: 0 };
      cared.set(uid, Object.assign(known, { changedAt: storage.now() }));
    },
    end(object, cascades) {
      if (object.kind === 'Pod') {
        alertOwner(object);
        pods.remove(object);
        return;
      }
      storage.remove(object);
      const owned = storage.world.objects.filter((one) => isOwnedBy(one, object.metadata.uid));
      if (cascades) for (const one of owned) life.end(one, true);
    },
    step() {
      for (const [uid, care] of cared) {
        const object = storage.world.objects.find(({ metadata }) => metadata.uid === uid);
        if (object !== undefined) lookAfter({ storage, pods }, object, care);
      }
      pods.step();
      for (const [uid, care] of cared) {
        const object = storage.world.objects.find(({ metadata }) => metadata.uid === uid);
        const shape = object && shapeOf(object);
        if (!object || !shape) continue;
        const standing = {
          pods: sortPods(storage, object, { shape, care }),
          changedAt: care.changedAt,
          now: storage.now(),
        };
        const status = JSON.parse(JSON.stringify(workloadStatus(object, shape, standing)));
        storage.settle(object, { ...object, status });
      }
    },
  };
  return life;
}

function madeOf(storage: Storage, object: KubeObject, { template }: Shape): Map<string, unknown> {
  return new Map(podsOf(storage, object).map(({ metadata }) => [metadata.uid, template]));
}

function podsOf(storage: Storage, object: KubeObject): KubeObject[] {
  const { name, namespace, uid } = object.metadata;
  const owners = [uid, ...replicaSetsOf(storage, object).map(({ metadata }) => metadata.uid)];
  const label = object.kind === 'InferenceService' ? 'serving.kserve.io/inferenceservice' : undefined;
  return storage.world.objects.filter(
    (one) =>
      one.kind === 'Pod' &&
      one.metadata.namespace === namespace &&
      (owners.some((owner) => isOwnedBy(one, owner)) || (label !== undefined && one.metadata.labels?.[label] === name)),
  );
}

function sortPods(storage: Storage, object: KubeObject, { shape, care }: { shape: Shape; care: Cared }): PodsOf {
  const all = podsOf(storage, object);
  const stays = all.filter((pod) => pod.metadata.deletionTimestamp === undefined && !hasFailed(pod));
  const isFresh = ({ metadata }: KubeObject): boolean => isSameJson(care.made.get(metadata.uid), shape.template);
  return {
    fresh: stays.filter(isFresh),
    old: stays.filter((pod) => !isFresh(pod)),
    leaving: all.filter((pod) => !stays.includes(pod)),
  };
}

function lookAfter({ storage, pods }: { storage: Storage; pods: PodLife }, object: KubeObject, care: Cared): void {
  const shape = shapeOf(object);
  if (shape === undefined) return;
  const sorted = sortPods(storage, object, { shape, care });
  const { remove, make } = nextPods(object, shape, sorted);
  for (const pod of remove) pods.remove(pod);
  const deployed = ['Deployment', 'Rollout'].includes(object.kind);
  const own = (set: KubeObject): number =>
    podsOf(storage, object).filter((pod) => isOwnedBy(pod, set.metadata.uid)).length;
  const owner = deployed ? keepReplicaSet(storage, object, { shape, countOf: own }) : object;
  for (const name of make) {
    const pod = storage.save(undefined, newPod(owner, shape, name ?? anyName(storage, owner)), { manager: MANAGER });
    care.made.set(pod.metadata.uid, shape.template);
    pods.adopt(pod);
  }
}

const MANAGER = 'kube-controller-manager';

function anyName({ world }: Storage, { metadata }: KubeObject): string {
  const used = new Set(world.objects.filter(({ kind }) => kind === 'Pod').map((pod) => pod.metadata.name));
  for (let i = 0; ; i++) {
    const name = `${metadata.name}-${letters(`${metadata.name} ${world.objects.length} ${i}`, 5)}`;
    if (!used.has(name)) return name;
  }
}

function newPod({ apiVersion, kind, metadata }: KubeObject, { labels, spec }: Shape, name: string): KubeObject {
  const hash = metadata.labels?.['pod-template-hash'];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: metadata.namespace,
      uid: '',
      labels: { ...labels, ...(hash !== undefined && { 'pod-template-hash': hash }) },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }],
    },
    spec,
    status: { phase: 'Pending' },
  };
}
