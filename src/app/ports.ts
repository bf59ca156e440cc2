import type { DomainEvent } from '../model/events.ts';
import type { Incident, MessageKind, MessageRef, TriageRun } from '../model/incident.ts';
import type { CauseFinder } from '../model/log-reading.ts';
import type { Attachment, Message } from '../model/message.ts';
import type { LogRead, NotRead, ReadCost, Snapshot } from '../model/snapshot.ts';
import type { IdleWorkload, PodCandidate } from '../model/unresolved.ts';
import type { Diagnosis, Verdict } from '../model/verdict.ts';

export type { MessageKind };

/** Time. Nothing else calls Date.now() or setTimeout. Times and durations are ms; `sleep` rejects with the signal's reason on abort. */
export interface Clock {
  now(): number;
  /** Ms that have passed since some moment; no setting of the clock moves it. For all that expires, is redrawn or cached. */
  monotonic(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** To be awaited before work of some milliseconds: the process looks at its sockets first, and one who waits goes on at a time. */
  breathe(): Promise<void>;
  /** A limit for one answer, in ms, that counts the time in which this process could have read it. Its bearer ends it. */
  limit(ms: number): Limit;
}

export type Limit = { readonly signal: AbortSignal; readonly end: () => void };

/** Ids that cannot be guessed: `ids.next('inc')` -> `inc_` and 20 characters. */
export interface Ids {
  next(prefix: string): string;
}

/** One static message per event, the rest as fields. Secrets, log lines and prompts never. */
export interface Log {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What a triage may still spend. `take` answers false when the budget is gone; what is then not read is a finding, not an error. */
export interface ReadBudget {
  take(kind: 'call' | 'log'): boolean;
  addBytes(bytes: number): void;
  readonly bytesLeft: number;
  /** Raises the byte budget for the whole-log scan, once HEAD and CRASH held no signature. */
  allowDeepScan(): void;
  cost(): Omit<ReadCost, 'wallMs' | 'chainMs'>;
}

export type ProgressStep = 'find-pod' | 'read-status' | 'read-logs' | 'read-metrics' | 'judge';
export type Progress = (step: ProgressStep, status: 'running' | 'done' | 'failed' | 'skipped', detail?: string) => void;

/** What every read carries: deadline, budget, progress, and who asks (for the audit log of the API server). */
export type ReadContext = {
  readonly signal: AbortSignal;
  readonly budget: ReadBudget;
  readonly progress: Progress;
  readonly agent: string;
};

/** A pod as asked for: exact name, prefix, workload name or replaced pod. `namespace` undefined = all that configuration allows. */
export type PodQuery = {
  readonly cluster: string | undefined;
  readonly namespace: string | undefined;
  readonly pod: string;
  readonly container: string | undefined;
};

export type PodTarget = {
  readonly cluster: string;
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly container: string | undefined;
  /** `Deployment/vllm-server`, as far as the pod itself shows; the top owner follows with the evidence. */
  readonly workload: string;
  /** Set when the asked pod is gone and this is its successor. */
  readonly replaced: string | null;
};

/** `searchedPods` is how many pods were looked at, where there are more. */
export type PodResolution =
  | { readonly kind: 'found'; readonly target: PodTarget }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly PodCandidate[]; readonly searchedPods?: number }
  | {
      readonly kind: 'not-found';
      readonly nearest: readonly PodCandidate[];
      readonly searched: readonly string[];
      readonly searchedPods?: number;
    }
  | ({ readonly kind: 'no-pods' } & IdleWorkload)
  /** The configuration leaves the namespace out. */
  | { readonly kind: 'outside'; readonly namespace: string }
  /** `rule` is the missing right in words; `manifest` the Role and RoleBinding that would grant it, to be pasted. */
  | {
      readonly kind: 'forbidden';
      readonly searched: readonly string[];
      readonly rule: string;
      readonly manifest?: string | undefined;
    };

/** Files read from a cluster, not yet redacted. `gpuPod` is what the metrics edge needs to find the series. */
export type ClusterEvidence = {
  readonly files: Readonly<Record<string, string>>;
  readonly logs: readonly LogRead[];
  readonly notRead: readonly NotRead[];
  readonly container: string | null;
  readonly workload: string;
  readonly metricsTarget: MetricsTarget;
  readonly chainMs: number;
};

/** `scanner` makes a scanner for a log that is read; `onMetricsTarget` is called once, as soon as the pod is known, so that metrics are read meanwhile. */
export type CollectOptions = {
  readonly scanner: () => CauseFinder;
  readonly onMetricsTarget?: (target: MetricsTarget) => void;
  /** The pod, its logs and its usage alone: for a caller that reads many pods and knows the objects around them. */
  readonly brief?: boolean;
};

/** One cluster. Throws OomError `cluster-unreachable`, `cluster-refused`, `forbidden` or `deadline`; all else is a value. */
export interface Cluster {
  readonly name: string;
  resolve(query: PodQuery, context: ReadContext): Promise<PodResolution>;
  collect(target: PodTarget, context: ReadContext, options: CollectOptions): Promise<ClusterEvidence>;
}

export type MetricsTarget = {
  readonly cluster: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string | null;
  readonly node: string | null;
  readonly podIP: string | null;
  readonly ports: readonly number[];
  readonly image: string | null;
  /** The death looked at, epoch ms; null when the container runs. Series end shortly after it. */
  readonly diedAt: number | null;
};

/** Files `metrics.txt` (Prometheus text) and `series.json`, as far as they could be had. */
export type MetricsEvidence = {
  readonly files: Readonly<Record<string, string>>;
  readonly notRead: readonly NotRead[];
};

/** Metrics of one cluster. Never throws: failures are in `notRead`. */
export interface Metrics {
  collect(target: MetricsTarget, context: ReadContext): Promise<MetricsEvidence>;
}

/** A snapshot to read from: small files whole, logs as streams of bytes. */
export interface SnapshotSource {
  readonly id: string;
  list(): Promise<readonly string[]>;
  read(file: string): Promise<string>;
  open(file: string): AsyncIterable<Uint8Array>;
  /** The name under which it lies there, where that is another. */
  nameOf?(file: string): string;
}

export type PostOutcome =
  | { readonly kind: 'posted'; readonly ref: MessageRef; readonly plain: boolean }
  /** `retryMs`: it may be taken later, so long from now. Whether a post arrived is then not known. */
  | { readonly kind: 'refused'; readonly code: string; readonly next: string; readonly retryMs?: number | undefined };

/** Who asked, and how they can be answered alone; `kept` is the stored request, while it stands for what they asked. */
export type Asker = {
  readonly user: string;
  readonly conversation: string;
  readonly responseUrl: string | undefined;
  readonly kept?: string | undefined;
};

/** Groups that a person is in, of those that may act. `unknown` is the reason why not all of them could be looked up. */
export type Groups = { readonly in: readonly string[]; readonly unknown: string | undefined };

/** A chat. No method throws for what the chat answers: a message it refuses is sent again as plain text and counted; what cannot be sent at all is `refused`. A message that can be changed no more is posted again, and `posted` says where, or it is left alone. */
export interface Chat {
  post(conversation: string, message: Message, thread?: MessageRef): Promise<PostOutcome>;
  update(ref: MessageRef, message: Message, ifGone?: 'post' | 'leave'): Promise<PostOutcome>;
  attach(thread: MessageRef, files: readonly Attachment[]): Promise<PostOutcome>;
  whisper(asker: Asker, message: Message): Promise<PostOutcome>;
  permalink(ref: MessageRef): Promise<string | undefined>;
}

export type IncidentDraft = {
  readonly key: string;
  /** Which death was looked at; looks at the same one count once. */
  readonly death?: string | undefined;
  readonly cluster: string;
  readonly namespace: string;
  readonly pod: string;
  readonly workload: string;
  readonly verdict: Verdict;
  /** Nothing failed: it is stored, but opens no incident. */
  readonly isHealthy?: boolean;
};

export type IncidentPlace = Pick<Incident, 'id' | 'cluster' | 'namespace' | 'workload'>;

/** `reopened` is the incident as it was while it was closed. */
export type OpenedIncident = { readonly incident: Incident; readonly isNew: boolean; readonly reopened?: Incident };
export type RecordedFinding = OpenedIncident & { readonly findingId: string };

export type StoredFinding = {
  readonly id: string;
  readonly incidentId: string;
  readonly snapshotId: string;
  readonly at: number;
  readonly diagnosis: Diagnosis;
};

/** Durable state. Every writing method is one transaction that also writes its domain event and audit row. */
export interface Store {
  /** `request`: the kept request that it carries out, and which ends with this. False where another process has taken that over. */
  startTriage(run: TriageRun, request?: string): Promise<boolean>;
  holdsTriage(id: string): Promise<boolean>;
  retryTriage(id: string): Promise<void>;
  placeTriage(id: string, ref: MessageRef): Promise<void>;
  endTriage(
    id: string,
    end: { state: 'done' | 'failed' | 'interrupted'; outcome: string; incidentId: string | null; at: number },
  ): Promise<void>;
  unfinishedTriages(): Promise<readonly TriageRun[]>;
  /** Finds the incident with this key that was seen or closed within `windowMs` and reopens it for a new death, or opens one; saves snapshot and verdict with it. */
  recordFinding(input: {
    draft: IncidentDraft;
    snapshot: Snapshot;
    diagnosis: Diagnosis;
    actor: string;
    at: number;
    windowMs: number;
  }): Promise<RecordedFinding>;
  /** The same for what a triage found. Undefined, and nothing is stored, where another process has taken that over. */
  recordFindingOf(triage: string, ...of: Parameters<Store['recordFinding']>): Promise<RecordedFinding | undefined>;
  incident(id: string): Promise<Incident | undefined>;
  /** Open incidents, the one seen last first; of `ids` alone where they are given. */
  openIncidents(ids?: readonly string[]): Promise<readonly Incident[]>;
  /** Where each open incident is, in the same order: enough to count them and to choose a page of them. */
  openPlaces(): Promise<readonly IncidentPlace[]>;
  openIncidentOf(
    workload: { cluster: string; namespace: string; workload: string },
    sinceMs: number,
  ): Promise<Incident | undefined>;
  findings(incidentId: string): Promise<readonly StoredFinding[]>;
  snapshot(id: string): Promise<Snapshot | undefined>;
  messages(incidentId: string, kind: MessageKind): Promise<readonly MessageRef[]>;
  events(incidentId: string): Promise<readonly DomainEvent[]>;
  /** Deletes what is older than the marks; answers how many rows went. */
  sweep(marks: { snapshotsBefore: number; incidentsBefore: number }): Promise<{ snapshots: number; incidents: number }>;
  close(): Promise<void>;
}
