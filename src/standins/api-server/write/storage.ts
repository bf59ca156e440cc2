import { randomUUID } from 'node:crypto';
import { isSameJson } from '../../../model/json-patch.ts';
import { timeText } from '../objects/builders.ts';
import type { ApiWorld, KubeObject } from '../objects/world.ts';
import { type ChangeLog, createChangeLog } from './change-log.ts';
import { manageFields } from './managed-fields.ts';

type SaveOptions = {
  readonly manager: string;
  readonly subresource?: string | undefined;
  /** All is worked out, nothing is kept. */
  readonly dryRun?: boolean;
};

/** The objects of a world as the API server keeps them: versions, generations, and who set which field. */
export type Storage = {
  readonly world: ApiWorld;
  now(): number;
  /** Puts `after` in the place of `before`, or adds it; answers it as it is kept. What changes nothing is not kept. */
  save(before: KubeObject | undefined, after: KubeObject, options: SaveOptions): KubeObject;
  /** Set by a controller or a kubelet in addition to what people set: no new generation, no field changes its manager. */
  settle(before: KubeObject | undefined, after: KubeObject): KubeObject;
  remove(object: KubeObject): void;
  /** Called after each `save` that changed something. */
  onSaved: ((before: KubeObject | undefined, after: KubeObject) => void) | undefined;
  /** Ends an object that a client deletes; `cascades` ends what it owns as well. */
  onDeleted: ((object: KubeObject, cascades: boolean) => void) | undefined;
  /** What a watch sends. */
  readonly changes: ChangeLog;
};

export function createStorage(world: ApiWorld, now: () => number): Storage {
  const changes = createChangeLog();
  const put = (before: KubeObject | undefined, after: KubeObject): KubeObject => {
    const stored = { ...after, metadata: { ...after.metadata, resourceVersion: changes.next() } };
    const at = before === undefined ? -1 : world.objects.indexOf(before);
    if (at >= 0) world.objects[at] = stored;
    else world.objects.push(stored);
    changes.add({ type: at >= 0 ? 'MODIFIED' : 'ADDED', object: stored, before: at >= 0 ? before : undefined });
    return stored;
  };
  const storage: Storage = {
    world,
    now,
    changes,
    onSaved: undefined,
    onDeleted: undefined,
    save(before, after, { manager, subresource, dryRun = false }) {
      if (before !== undefined && isSameJson(before, after)) return before;
      const time = timeText(now());
      const managedFields = manageFields(before, after, { manager, subresource, time });
      const metadata = { ...after.metadata, ...bornAs(before, after, time), managedFields };
      const kept: KubeObject = { ...after, metadata };
      if (dryRun) return kept;
      const stored = put(before, kept);
      storage.onSaved?.(before, stored);
      return stored;
    },
    settle(before, after) {
      if (before !== undefined && isSameJson(before, after)) return before;
      return put(before, after);
    },
    remove({ metadata: { uid } }) {
      const at = world.objects.findIndex(({ metadata }) => metadata.uid === uid);
      const [gone] = at >= 0 ? world.objects.splice(at, 1) : [];
      if (gone === undefined) return;
      const object = { ...gone, metadata: { ...gone.metadata, resourceVersion: changes.next() } };
      changes.add({ type: 'DELETED', object, before: gone });
    },
  };
  return storage;
}

// Kinds without a generation.
const UNCOUNTED = ['ConfigMap', 'Lease'];

// The server keeps what clients may not set, and counts a new generation where more than metadata and status changes.
function bornAs(before: KubeObject | undefined, after: KubeObject, time: string) {
  if (before === undefined) {
    const counted = UNCOUNTED.includes(after.kind) ? {} : { generation: 1 };
    return { uid: after.metadata.uid || randomUUID(), creationTimestamp: time, ...counted };
  }
  const { metadata: _a, status: _b, ...old } = before;
  const { metadata: _c, status: _d, ...fresh } = after;
  const generation = Number(before.metadata.generation ?? Number.NaN);
  if (Number.isNaN(generation)) return {};
  return { generation: isSameJson(old, fresh) ? generation : generation + 1 };
}
