import type { DomainEvent } from '../../model/events.ts';
import type { Recurrence } from '../../model/handover.ts';
import { type Incident, isHealthyReading } from '../../model/incident.ts';
import type { Plan, Run } from '../../model/plan.ts';
import type { ActStore } from '../acting-ports.ts';
import type { IncidentStore } from '../incident-ports.ts';
import type { Store } from '../ports.ts';

type RecurrenceDeps = {
  readonly store: Pick<Store, 'events'> & Pick<IncidentStore, 'incidentPlaces' | 'incidents'>;
  readonly acts: Pick<ActStore, 'plansOf' | 'runsOf'>;
};

const DAYS = 14;
const DAY_MS = 24 * 3_600_000;
const FAILED: ReadonlySet<DomainEvent['kind']> = new Set([
  ...(['incident-opened', 'incident-seen-again', 'incident-reopened'] as const),
]);

/** Which of these incidents failed before with the same cause, and what fixed that last time. */
export async function readRecurrences(
  deps: RecurrenceDeps,
  incidents: readonly Incident[],
  now: number,
): Promise<readonly Recurrence[]> {
  const places = await deps.store.incidentPlaces();
  const found: Recurrence[] = [];
  for (const incident of incidents) {
    const { cluster, namespace, workload } = incident;
    const ids = places
      .filter((one) => one.cluster === cluster && one.namespace === namespace && one.workload === workload)
      .map(({ id }) => id);
    const same = (await deps.store.incidents(ids)).filter(
      (one) => one.cause === incident.cause && !isHealthyReading(one),
    );
    const again = await recurrenceOf(deps, incident, same, now);
    if (again !== undefined) found.push(again);
  }
  return found;
}

async function recurrenceOf(
  { store, acts }: RecurrenceDeps,
  incident: Incident,
  same: readonly Incident[],
  now: number,
): Promise<Recurrence | undefined> {
  const events = await Promise.all(same.map(({ id }) => store.events(id)));
  const failures = events
    .flat()
    .filter(({ kind }) => FAILED.has(kind))
    .map(({ at }) => at)
    .toSorted((a, b) => a - b);
  const count = failures.filter((at) => at > now - DAYS * DAY_MS).length;
  if (count < 2) return undefined;
  const verified = new Set(
    events.flat().flatMap((event) => (event.kind === 'verified' && event.answer === 'yes' ? [event.runId] : [])),
  );
  const runs = (await Promise.all(same.map(({ id }) => acts.runsOf(id)))).flat();
  const plans = (await Promise.all(same.map(({ id }) => acts.plansOf(id)))).flat();
  return {
    incident,
    count,
    days: DAYS,
    fixed: lastFix(
      runs.filter(({ id }) => verified.has(id)),
      plans,
      failures,
    ),
  };
}

function lastFix(runs: readonly Run[], plans: readonly Plan[], failures: readonly number[]): Recurrence['fixed'] {
  const run = runs
    .filter(({ state }) => state === 'done')
    .toSorted((a, b) => a.updatedAt - b.updatedAt)
    .at(-1);
  const plan = plans.find(({ id }) => id === run?.planId);
  if (run === undefined || plan === undefined) return undefined;
  const next = failures.find((at) => at > run.updatedAt);
  return { plan, heldMs: next === undefined ? null : next - run.updatedAt };
}
