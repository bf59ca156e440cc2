import { z } from 'zod';
import { valueAt } from '../../../model/json-patch.ts';
import type { Work } from './act-work.ts';

// An Argo Rollout has its generation as a string.
const Generation = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).optional();
const Rollout = z.looseObject({
  metadata: z.looseObject({ generation: z.number().optional() }),
  spec: z.looseObject({ replicas: z.number().optional() }).optional(),
  status: z
    .looseObject({
      observedGeneration: Generation.catch(undefined),
      replicas: z.number().optional(),
      updatedReplicas: z.number().optional(),
      readyReplicas: z.number().optional(),
    })
    .optional(),
});

/** A replica of these is a group of pods and is ready only as a whole, so single pods do not count. */
export const GROUPS: readonly string[] = ['LeaderWorkerSet'];
// Their controllers count the replicas of the newest template; a count of zero is left out of the status.
const COUNTING: readonly string[] = ['Deployment', 'StatefulSet', 'Rollout', ...GROUPS];
// During a surge these run old replicas next to all the new ones.
const SURGING: readonly string[] = ['Deployment', 'Rollout'];

export type RolloutSeen = {
  /** What is still to come, in words; null where nothing is, or where only replicas lack the template. */
  readonly pending: string | null;
  /** `1 of 3`, where not all have the template that the owner holds. */
  readonly missing: string | null;
  /** Ready groups; null if a replica is a pod. */
  readonly groups: number | null;
  /** Ready replicas; null if the owner does not count them. */
  readonly ready: number | null;
  /** Whether the status may be about an earlier change. */
  readonly isBlind: boolean;
};

const NOTHING: RolloutSeen = { pending: null, missing: null, groups: null, ready: null, isBlind: false };

/** How far the owner's own status says that its template is rolled out; `replicas` null: as many as it holds. */
export async function readRollout({ cluster, plan, context }: Work, replicas: number | null): Promise<RolloutSeen> {
  const { object: target } = plan.target;
  const read = await cluster.read(target, context);
  if (read.kind !== 'found') return { ...NOTHING, pending: 'the workload could not be read' };
  const parsed = Rollout.safeParse(read.object);
  if (!parsed.success) return NOTHING;
  const { metadata, spec, status } = parsed.data;
  const { observedGeneration: seen, readyReplicas = 0 } = status ?? {};
  if (seen !== undefined && metadata.generation !== undefined && seen < metadata.generation) {
    return { ...NOTHING, pending: 'the controller has not picked up the change yet' };
  }
  const isGroup = GROUPS.includes(target.kind);
  const count = replicas ?? spec?.replicas ?? plan.serving.total;
  return {
    pending: isGroup && replicas !== null && readyReplicas < count ? `${readyReplicas} of ${count} groups ready` : null,
    missing: missingOf(target.kind, status, { count, wanted: Math.max(0, count - heldBack(read.object)) }),
    groups: isGroup ? readyReplicas : null,
    ready: isCounted(target.kind, status) ? readyReplicas : null,
    isBlind: isGroup && seen === undefined,
  };
}

type Status = NonNullable<z.infer<typeof Rollout>['status']> | undefined;

function isCounted(kind: string, status: Status): boolean {
  return COUNTING.includes(kind) && (status?.observedGeneration ?? status?.replicas) !== undefined;
}

function missingOf(
  kind: string,
  status: Status,
  { count, wanted }: { readonly count: number; readonly wanted: number },
): string | null {
  const updated = status?.updatedReplicas ?? (isCounted(kind, status) ? 0 : undefined);
  if (updated === undefined) return null;
  if (updated < wanted) return `${updated} of ${wanted}`;
  const surplus = SURGING.includes(kind) ? (status?.replicas ?? 0) - updated : 0;
  return surplus > 0 ? `${updated} of ${Math.max(count, updated + surplus)}` : null;
}

// Where a partition holds replicas below a number back, these keep the old template.
const PARTITIONS = [
  '/spec/updateStrategy/rollingUpdate/partition',
  '/spec/rolloutStrategy/rollingUpdateConfiguration/partition',
];

function heldBack(object: unknown): number {
  const held = PARTITIONS.map((path) => valueAt(object, path)).find((value) => typeof value === 'number');
  return typeof held === 'number' ? held : 0;
}
