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

/** An alert with the triage that it starts where it can join none. */
export type OfferedAlert = { readonly alert: TakenAlert; readonly run: TriageRun };

/** `seen`: it was stored before. */
export type OfferAnswer = 'started' | 'joined' | 'seen';

/** Alerts and deaths that were taken up. Every writing method is one transaction with its audit row. */
export interface AlertStore {
  /**
   * Stores alerts. Each joins a recent triage of its workload and channel, or starts its own: of all replicas that get
   * alerts of one workload at once, one starts a triage. Answers what became of each, in order.
   */
  takeAlerts(offered: readonly OfferedAlert[], by: AutomaticUser): Promise<readonly OfferAnswer[]>;
  /** Answers the keys that were firing until now. One that comes before its alert is kept: that one is resolved when it comes. */
  resolveAlerts(alerts: readonly Pick<TakenAlert, 'key' | 'name'>[], at: number): Promise<readonly string[]>;
  untoldAlerts(): Promise<readonly UntoldAlert[]>;
  tellAlerts(keys: readonly string[], at: number): Promise<void>;
  /** Those of open incidents, without deaths: that one is over says nothing about what is well now. */
  incidentAlerts(): Promise<readonly IncidentAlert[]>;
}
