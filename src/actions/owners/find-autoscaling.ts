import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { note } from './hazard.ts';
import { findKind, type LiveRef, nameOf, type Place } from './read-object.ts';

/** What moves the count of a workload. */
export type Autoscaling = {
  /** ScaledObjects that would revert the count: while paused at a number, they set it themselves. */
  readonly keda: readonly Place[];
  /** Between what a HorizontalPodAutoscaler holds the count; at zero it rests. */
  readonly hpa: { readonly min: number; readonly max: number } | undefined;
};

export const KEDA_COUNT = 'autoscaling.keda.sh/paused-replicas';
const KEDA_FROZEN = 'autoscaling.keda.sh/paused';

/** Autoscalers that point at the workload. */
export function findAutoscaling(
  ref: LiveRef,
  surroundings: readonly unknown[],
): Autoscaling & { hazards: readonly Hazard[] } {
  const scaled = findKind(surroundings, 'ScaledObject').filter(({ object }) => isAimedAt(object, ref));
  const keda = scaled.filter(({ head }) => head.annotations[KEDA_FROZEN] !== 'true' || KEDA_COUNT in head.annotations);
  // The HPA of a ScaledObject is KEDA's own.
  const hpas =
    scaled.length > 0
      ? []
      : findKind(surroundings, 'HorizontalPodAutoscaler').filter(({ object }) => isAimedAt(object, ref));
  const [hpa] = hpas.map(({ object }) => rangeOf(object));
  return { keda, hpa, hazards: [...scaled.map(kedaHazard), ...hpas.map(hpaHazard)] };
}

// `maxReplicaCount` of a ScaledObject, where none is given.
const KEDA_MOST = 100;

/** The highest count that autoscalers leave standing; undefined where none moves it. */
export function highestCount({ keda, hpa }: Autoscaling): number | undefined {
  const most = keda.map(({ object }) => {
    const max = valueAt(object, '/spec/maxReplicaCount');
    return typeof max === 'number' ? max : KEDA_MOST;
  });
  const all = hpa === undefined ? most : [...most, hpa.max];
  return all.length === 0 ? undefined : Math.min(...all);
}

// KEDA takes a Deployment where no kind is given.
function isAimedAt(object: unknown, { kind, name }: LiveRef): boolean {
  const at = (key: string): unknown => valueAt(object, `/spec/scaleTargetRef/${key}`);
  return at('name') === name && (at('kind') ?? 'Deployment') === kind;
}

function kedaHazard({ ref, head }: ReturnType<typeof findKind>[number]): Hazard {
  const paused = head.annotations[KEDA_COUNT];
  if (paused !== undefined) {
    const says = `Someone else has paused KEDA at ${paused} replicas (${nameOf(ref)}).`;
    return note('keda', says, 'the pause follows the replica count and is restored at the end');
  }
  if (head.annotations[KEDA_FROZEN] === 'true') {
    return note('keda', `KEDA is paused by ${nameOf(ref)}: it does not change the replica count.`);
  }
  const says = `KEDA scales this workload (${nameOf(ref)}) and would revert the replica count.`;
  return note('keda', says, 'KEDA is paused before the replica count changes, and resumed at the end');
}

function hpaHazard({ ref, object }: Place): Hazard {
  const { min, max } = rangeOf(object);
  const says = `${nameOf(ref)} keeps this workload between ${min} and ${max} replicas.`;
  return note('hpa', says, 'it is inactive at zero; above zero it sets the replica count');
}

function rangeOf(object: unknown): { min: number; max: number } {
  const read = (key: string, other: number): number => {
    const value = valueAt(object, `/spec/${key}`);
    return typeof value === 'number' ? value : other;
  };
  return { min: read('minReplicas', 1), max: read('maxReplicas', Number.MAX_SAFE_INTEGER) };
}
