import type { TakenAlert } from '../model/alert.ts';
import type { TriageRun } from '../model/incident.ts';
import type { AutomaticUser } from '../model/started-by.ts';

/** A resolved alert that no thread was told about yet. `incidentId` is null while its triage runs, and where that found nothing. */
export type UntoldAlert = {
  readonly alert: TakenAlert;
  readonly incidentId: string | null;
  readonly triage: TriageRun['state'] | 'gone';
};

/** An alert of an open incident. */
export type IncidentAlert = Pick<TakenAlert, 'seenAt' | 'resolvedAt'> & { readonly incidentId: string };

export type RecentTriage = Pick<TriageRun, 'id' | 'asker' | 'startedAt'>;

/** Alerts and deaths that were taken up. Every writing method is one transaction with its audit row. */
export interface AlertStore {
  /**
   * Stores alerts and starts those of `runs` that one of them needs; what is stored already is only seen again. Answers the
   * keys that are new.
   */
  takeAlerts(alerts: readonly TakenAlert[], runs: readonly TriageRun[], by: AutomaticUser): Promise<readonly string[]>;
  /** The triages that alerts and deaths of this workload started at `sinceMs` or later, the last first. */
  recentTriages(
    of: Pick<TakenAlert, 'cluster' | 'namespace' | 'workload' | 'conversation'>,
    sinceMs: number,
  ): Promise<readonly RecentTriage[]>;
  /** Answers the keys that were firing until now. */
  resolveAlerts(keys: readonly string[], at: number): Promise<readonly string[]>;
  untoldAlerts(): Promise<readonly UntoldAlert[]>;
  tellAlerts(keys: readonly string[], at: number): Promise<void>;
  /** Those of open incidents, without deaths: that one is over says nothing about what is well now. */
  incidentAlerts(): Promise<readonly IncidentAlert[]>;
}
