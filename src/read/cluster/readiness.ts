import { known, type Reading, unknown } from '../reading.ts';
import type { ContainerDeath } from './death.ts';
import { firstOf, type PodEvidence } from './gather.ts';

/** Of the instance that died: it never became ready, it was ready until it died, or it lost readiness first and then died. */
export type Readiness = 'before-ready' | 'after-ready' | 'lost-ready-first';

// The condition is set within seconds: of the pod's creation at first, of the death later.
const AT_CREATION_MS = 30_000;
const AT_DEATH_MS = 10_000;

/**
 * Whether the instance that died had been ready, from one reading of the pod: the condition Ready turned False about the
 * pod's creation (never ready), about the death (it served), or clearly between. `started` and `ready` of a container
 * describe the instance that runs now and are not used.
 */
export function readReadiness(evidence: PodEvidence, death: ContainerDeath | undefined): Reading<Readiness> {
  if (death === undefined) return unknown('not-in-snapshot', 'no termination is known');
  const ready = firstOf(evidence, (view) => view.conditions.find((condition) => condition.type === 'Ready'));
  if (ready?.status === undefined) return unknown('not-in-snapshot', 'the condition Ready is not in the snapshot');
  if (ready.status.value === 'True')
    return unknown('stale', 'the pod is ready again, which hides the instance that died');
  const created = firstOf(evidence, (view) => view.createdAt);
  const { changedAt } = ready;
  if (changedAt === undefined || created === undefined) {
    return unknown('not-in-snapshot', 'the time at which the pod lost readiness is not in the snapshot');
  }
  if (Math.abs(changedAt.value - created.value) <= AT_CREATION_MS) {
    return known('before-ready', changedAt.from, created.from);
  }
  if (death.at.kind === 'unknown') return death.at;
  const before = death.at.value - changedAt.value;
  if (Math.abs(before) <= AT_DEATH_MS) return known('after-ready', changedAt.from, ...death.at.from);
  if (before > 0 && changedAt.value > created.value) {
    return isOfEarlierInstance(death, changedAt.value)
      ? known('before-ready', changedAt.from, ...death.at.from)
      : known('lost-ready-first', changedAt.from, ...death.at.from);
  }
  return unknown('contradictory', 'the pod lost readiness at a time that fits neither its creation nor the death');
}

// Ready turned False before this instance even started and has stayed so: an earlier one served, this one never did.
function isOfEarlierInstance(death: ContainerDeath, changedAt: number): boolean {
  const { startedAt } = death.end;
  return startedAt !== undefined && changedAt < startedAt.value;
}
