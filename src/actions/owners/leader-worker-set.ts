import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { setField } from '../change.ts';
import { readWorkload } from './deployment.ts';
import { note } from './hazard.ts';
import type { ContainerPlace, Owner, OwnerKind, OwnerSource, RollWay } from './owner.ts';
import { findContainer } from './pod-template.ts';

const BASE = '/spec/leaderWorkerTemplate';
const ROLLING = '/spec/rolloutStrategy';

/** `leaderworkerset.x-k8s.io LeaderWorkerSet`: a replica is a group of pods; the leader is made as the workers where it has no template. */
export const LEADER_WORKER_SET: OwnerKind = {
  group: 'leaderworkerset.x-k8s.io',
  kind: 'LeaderWorkerSet',
  read: readLeaderWorkerSet,
};

function readLeaderWorkerSet(source: OwnerSource): Owner {
  const { ref, object, container } = source;
  const place = { ref, object };
  const paths = [`${BASE}/leaderTemplate`, `${BASE}/workerTemplate`].filter(
    (path) => valueAt(object, `${path}/spec`) !== undefined,
  );
  const size = valueAt(object, `${BASE}/size`);
  return {
    ...readWorkload(source),
    templates: paths.map((path) => ({ ...place, path })),
    containers: paths.flatMap((path, i) => containerOf({ ref, object, container, path }, i)),
    roll: rollOf(object),
    podsPerReplica: typeof size === 'number' && size > 0 ? size : 1,
    hazards: groupHazards(object),
  };
}

type In = Pick<OwnerSource, 'ref' | 'object' | 'container'> & { readonly path: string };

// The container of the workers need not have the name that the leader's has.
function containerOf({ ref, object, container, path }: In, i: number): ContainerPlace[] {
  const place = { ref, object };
  const found =
    findContainer(place, `${path}/spec`, container) ?? findContainer(place, `${path}/spec`, i === 0 ? container : null);
  return found === undefined ? [] : [{ ...found, role: i === 0 ? 'engine' : 'worker' }];
}

function rollOf(object: unknown): RollWay {
  const at = `${ROLLING}/rollingUpdateConfiguration`;
  const held = valueAt(object, `${at}/partition`) ?? 0;
  if (held !== 0)
    return { kind: 'none', why: `its rollout keeps groups below number ${held} on the old template (partition)` };
  const surge = valueAt(object, `${at}/maxSurge`) ?? 0;
  const missing = valueAt(object, `${at}/maxUnavailable`) ?? 1;
  const set = (more: { readonly partition?: number }) => {
    const rollingUpdateConfiguration = { ...more, maxSurge: 0, maxUnavailable: 1 };
    return setField(object, ROLLING, { type: 'RollingUpdate', rollingUpdateConfiguration });
  };
  const calm = surge === 0 && missing === 1 ? null : set({});
  // Releases without this field refuse it in the dry run.
  return { kind: 'from-the-top', calm, partition: (from) => set({ partition: from }) };
}

function groupHazards(object: unknown): Hazard[] {
  const policy = valueAt(object, `${BASE}/restartPolicy`) ?? 'RecreateGroupOnPodRestart';
  if (policy !== 'RecreateGroupOnPodRestart') return [];
  const says = 'A container restart restarts the whole group, and the group loses its logs.';
  return [note('group-restart', says, 'the incident evidence is stored first')];
}
