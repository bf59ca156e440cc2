import type { Feedback } from '../model/feedback.ts';
import type { Read, RequestPool } from '../model/handover.ts';
import type { Incident } from '../model/incident.ts';
import type { MeasuredStart } from '../model/measured-start.ts';
import type { Silence } from '../model/silence.ts';
import type { IncidentPlace, ReadContext } from './ports.ts';

/** An answer with the place of its incident. */
export type PlacedFeedback = Feedback & Pick<Incident, 'cluster' | 'namespace'>;

/** What incidents are searched by: enough to count them and to choose a page of them. */
export type IncidentEntry = IncidentPlace & Pick<Incident, 'plane' | 'phase' | 'cause' | 'openedAt' | 'lastSeenAt'>;

/** What becomes of an incident after its finding. Every writing method is one transaction with its domain event and audit row. */
export interface IncidentStore {
  /** Where, when and what each incident is, open or closed, the one seen last first. */
  incidentPlaces(): Promise<readonly IncidentEntry[]>;
  /** Those of `ids`, in the same order. */
  incidents(ids: readonly string[]): Promise<readonly Incident[]>;
  /** Incidents closed at `sinceMs` or later. */
  closedSince(sinceMs: number): Promise<readonly Incident[]>;
  /** Closes an open one; with `seenAt` only if it was not seen since. Answers the incident as it was before. */
  closeIncident(id: string, input: { actor: string; why: string; at: number; seenAt?: number }): Promise<Incident>;
  /** Notes who is on an open incident. Answers the incident as it was before. */
  acknowledge(id: string, input: { by: string; at: number }): Promise<Incident>;
  saveFeedback(feedback: Feedback): Promise<void>;
  feedback(): Promise<readonly PlacedFeedback[]>;
  /** A new silence ends an earlier one of its workload. */
  silence(silence: Silence): Promise<void>;
  /** Answers whether the workload was silenced. */
  unsilence(
    place: Pick<Silence, 'cluster' | 'namespace' | 'workload'>,
    end: { readonly by: string; readonly at: number },
  ): Promise<boolean>;
  /** Those in force at `at`, epoch ms, the first to end first. */
  silences(at: number): Promise<readonly Silence[]>;
}

/** Starts of engines whose printed KV pool was compared with its estimate: the next estimate of a cluster learns from them. */
export interface StartStore {
  /** Of one pod the last counts. */
  keepStart(start: MeasuredStart): Promise<void>;
  /** The last first. */
  measuredStarts(of: Pick<MeasuredStart, 'cluster' | 'engine'>): Promise<readonly MeasuredStart[]>;
}

/** A pod of a workload; times are epoch ms, `restartedAt` undefined where no container was restarted. */
export type PodState = {
  readonly name: string;
  readonly ready: boolean;
  readonly createdAt: number;
  readonly restartedAt: number | undefined;
  /** Restarts of all its containers. */
  readonly restarts: number;
};

/** The pods of one workload as they are now. Never throws. */
export interface WorkloadPods {
  read(
    of: {
      readonly namespace: string;
      readonly workload: string /** One of its pods, of now or of before. */;
      readonly pod: string;
    },
    context: ReadContext,
  ): Promise<
    { readonly kind: 'read'; readonly pods: readonly PodState[] } | { readonly kind: 'unknown'; readonly why: string }
  >;
}

/** How requests reach the pods of a workload: the pool that selects these labels, if any. Never throws. */
export interface RequestPools {
  read(
    of: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> },
    context: ReadContext,
  ): Promise<Read<RequestPool | undefined>>;
}
