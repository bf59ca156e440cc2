import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { setField } from '../change.ts';
import { readCount } from './deployment.ts';
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

function readLeaderWorkerSet({ head, ref, object, container }: OwnerSource): Owner {
  const place = { ref, object };
  const paths = [`${BASE}/leaderTemplate`, `${BASE}/workerTemplate`].filter(
    (path) => valueAt(object, `${path}/spec`) !== undefined,
  );
  const size = valueAt(object, `${BASE}/size`);
  return {
    kind: 'owner',
    head,
    object,
    scale: readCount(place, '/spec/replicas'),
    templates: paths.map((path) => ({ ...place, path })),
    containers: paths.flatMap((path, i) => containerOf({ ref, object, container, path }, i)),
    args: { kind: 'container', entrypoint: 'unknown', mayAddArgs: false },
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
  if (held !== 0) return { kind: 'none', why: `its roll-out holds groups below number ${held} back (partition)` };
  const surge = valueAt(object, `${at}/maxSurge`) ?? 0;
  const missing = valueAt(object, `${at}/maxUnavailable`) ?? 1;
  const calm = setField(object, ROLLING, {
    type: 'RollingUpdate',
    rollingUpdateConfiguration: { maxSurge: 0, maxUnavailable: 1 },
  });
  // Releases without this field refuse it in the dry run.
  const partition = (from: number) =>
    setField(object, ROLLING, {
      type: 'RollingUpdate',
      rollingUpdateConfiguration: { partition: from, maxSurge: 0, maxUnavailable: 1 },
    });
  return { kind: 'from-the-top', calm: surge === 0 && missing === 1 ? null : calm, partition };
}

function groupHazards(object: unknown): Hazard[] {
  const policy = valueAt(object, `${BASE}/restartPolicy`) ?? 'RecreateGroupOnPodRestart';
  if (policy !== 'RecreateGroupOnPodRestart') return [];
  const says = 'One container that restarts takes its whole group with it, and the logs of the group go.';
  return [{ id: 'group-restart', says, done: 'the evidence of the incident is stored first', blocks: false }];
}
