import type { Facts, FactValue, Unit } from '../../model/fact.ts';
import { formatFact } from '../../model/format-value.ts';
import type { Incident } from '../../model/incident.ts';
import type { Capture, SeriesFile, Snapshot } from '../../model/snapshot.ts';
import type { Diagnosis } from '../../model/verdict.ts';

export type ReportInput = {
  readonly diagnosis: Diagnosis;
  readonly facts: Facts;
  readonly capture: Capture | undefined;
  readonly series: SeriesFile | undefined;
  readonly incident?: Incident | undefined;
  readonly snapshot?: Snapshot | undefined;
  /** The folder that `oom explain` reads again where no incident is kept. */
  readonly folder?: string | undefined;
  /** Where changes are allowed: the card then offers a plan, if the finding has something to plan. */
  readonly mayPlan?: boolean | undefined;
  /** The dashboard that shows the workload, where there is one. */
  readonly dashboard?: string | undefined;
  /** `verdict-only` where another organization reads along: no evidence, no figures. */
  readonly evidence: 'full' | 'verdict-only';
};

export function knownValue(facts: Facts, id: string): FactValue | undefined {
  const fact = facts.get(id);
  return fact?.kind === 'known' ? fact.value : undefined;
}

export function knownNumber(facts: Facts, id: string): number | undefined {
  const value = knownValue(facts, id);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A fact in the words of its unit; undefined where it is not known, or empty. */
export function shownValue(facts: Facts, id: string, unit: Unit): string | undefined {
  const value = knownValue(facts, id);
  return value === undefined || value === '' ? undefined : formatFact(unit, facts.get(id));
}
