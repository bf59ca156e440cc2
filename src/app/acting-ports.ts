import type { Click, ClickOutcome } from '../model/click.ts';
import type { GaugesRead } from '../model/gauges.ts';
import type { Incident } from '../model/incident.ts';
import type { ObjectRef, PatchOperation, Plan, PlanTarget, Run, StepRecord } from '../model/plan.ts';
import type { Baseline } from '../model/request-times.ts';
import type { LedgerEffect, LedgerStore } from './ledger-ports.ts';
import type { UnsentMessage } from './outbox-ports.ts';
import type { ReadContext } from './ports.ts';

export type { Click, ClickOutcome, Doubt } from '../model/click.ts';

/** A Kubernetes object as the API answers it: JSON that readers parse by narrow schemas. */
export type KubeObject = Readonly<Record<string, unknown>>;

/** What every call of the acting edge carries. `agent` is the User-Agent, which names incident and person in the audit log of the API server. */
export type ActContext = { readonly signal: AbortSignal; readonly agent: string };

export type ObjectRead =
  | { readonly kind: 'found'; readonly object: KubeObject }
  | { readonly kind: 'gone' }
  | { readonly kind: 'forbidden'; readonly rule: string }
  | { readonly kind: 'unavailable'; readonly why: string };

/** One write as it goes over the wire. A `patch` is a JSON Patch, a `manifest` is created. */
export type Write = {
  readonly object: ObjectRef;
  readonly subresource: 'none' | 'scale';
  readonly body:
    | { readonly kind: 'patch'; readonly patch: readonly PatchOperation[] }
    | { readonly kind: 'create'; readonly manifest: unknown };
  /** All of the API server's checks, nothing kept. */
  readonly dryRun: boolean;
};

export type WriteOutcome =
  | { readonly kind: 'written'; readonly object: KubeObject; readonly warnings: readonly string[] }
  /** A `test` failed or a path is not there (422 on a patch), or the name exists already (409 on a create): nothing was changed. */
  | { readonly kind: 'stale'; readonly message: string }
  /** Another writer was between (409); nothing was changed, and it is safe to try again. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** A schema or an admission webhook says no (400, 422 with a cause, 404 of the object). */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'forbidden'; readonly rule: string }
  /** 429, 5xx, a dropped connection, a deadline: whether it was written is not known; read back before anything else. */
  | { readonly kind: 'unavailable'; readonly why: string; readonly retryAfterMs: number | null };

/** A pod of a workload, as far as waits and verification need it. Times epoch ms. */
export type WorkloadPod = {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: number;
  readonly ready: boolean;
  readonly terminating: boolean;
  readonly scheduled: boolean;
  /** The container named by the plan's target, else the first. */
  readonly restarts: number;
  readonly startedAt: number | null;
  /** Since when it is ready; null or absent if it is not, or if unknown. */
  readonly readyAt?: number | null;
  readonly lastDeath: { readonly reason: string; readonly exitCode: number; readonly at: number | null } | null;
  readonly why: string | null;
  /** Where its engine is asked: the address of the pod, and the ports that the container declares. */
  readonly ip: string | null;
  readonly ports: readonly number[];
  /** It works for another pod of its group, which alone answers requests and has the engine's log. */
  readonly worker?: boolean;
};

/** What is counted of requests over time. All but `preemptions` and `requests.rejected` are histograms. */
export type HistoryId = 'ttft' | 'e2e.latency' | 'queue.time' | 'prompt.tokens' | 'preemptions' | 'requests.rejected';

/** One count of one engine process: `[epoch ms, count since the process began]`. A counter has one bucket, which is infinite. */
export type HistoryCount = {
  readonly pod: string;
  /** Parts the processes and models of a pod. */
  readonly source: string;
  /** Upper bound of the bucket, in the unit of the metric table. */
  readonly le: number;
  readonly points: readonly (readonly [number, number])[];
};

/** Counts of one metric, or why there are none. */
export type HistoryRead =
  | { readonly kind: 'read'; readonly counts: readonly HistoryCount[] }
  | { readonly kind: 'unknown'; readonly why: string };

export type HistoryAsk = {
  readonly cluster: string;
  readonly namespace: string;
  readonly pods: readonly Pick<WorkloadPod, 'name' | 'ip' | 'ports'>[];
  /** Epoch ms. The last point of a live counter is at `to`. */
  readonly from: number;
  readonly to: number;
};

/** What the engines of some pods have counted over a span of time. Never throws. */
export interface EngineHistory {
  read(ask: HistoryAsk, context: ReadContext): Promise<Readonly<Record<HistoryId, HistoryRead>>>;
}

/** How full many pods are now, at a cost that does not grow with them. Never throws. */
export interface PodGauges {
  read(ask: Omit<HistoryAsk, 'from'>, context: ReadContext): Promise<GaugesRead>;
}

/** One request to an engine: a GET, or a POST where there is a body of JSON. */
export type EngineCall = {
  readonly namespace: string;
  readonly pod: Pick<WorkloadPod, 'name' | 'ip'>;
  readonly port: number;
  readonly path: string;
  readonly body: string | null;
  readonly timeoutMs: number;
};

/** `silent`: it did not answer, cut the connection, or nothing listens. `no-way`: it cannot be reached from here, or may not be asked. */
export type EngineReply =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'silent'; readonly why: string }
  | { readonly kind: 'no-way'; readonly why: string };

/** Asks engines as their users do. Never throws; no answer contains what it sends or its key. */
export interface EngineCaller {
  call(call: EngineCall, context: Pick<ReadContext, 'signal' | 'agent'>): Promise<EngineReply>;
}

/** GPUs that no pod asks for, one number for each node that has any, and how many pods wait for one. */
export type GpuSupplyRead =
  | { readonly kind: 'read'; readonly free: readonly number[]; readonly waiting: number }
  | { readonly kind: 'unknown'; readonly why: string };

/** Reads the GPUs of a whole cluster. Never throws. */
export interface GpuSupply {
  read(context: ReadContext): Promise<GpuSupplyRead>;
}

/** Why the pods of a workload could not be created, in the words of the API server, and when last, epoch ms. */
export type FailedCreate = { readonly at: number; readonly why: string };

/** Writes, and the reads around them, in the acting identity. No method throws for what the API server answers. */
export interface ActingCluster {
  readonly name: string;
  read(ref: ObjectRef, context: ActContext): Promise<ObjectRead>;
  /** SelfSubjectAccessReview; `rule` is what is missing, ready to be granted. */
  mayWrite(
    write: Pick<Write, 'object' | 'subresource' | 'body'>,
    context: ActContext,
  ): Promise<{ kind: 'yes' } | { kind: 'no'; rule: string } | { kind: 'could-not-tell'; why: string }>;
  write(write: Write, context: ActContext): Promise<WriteOutcome>;
  /** All pods behind the target's selector; unknown above 500, since a partial list would miscount. */
  pods(
    target: PlanTarget,
    context: ActContext,
  ): Promise<{ kind: 'read'; pods: readonly WorkloadPod[] } | { kind: 'could-not-tell'; why: string }>;
  /** The last FailedCreate event of a workload whose status does not say it (StatefulSet, LeaderWorkerSet and what stands on them). */
  failedCreate(target: ObjectRef, context: ActContext): Promise<FailedCreate | undefined>;
  /** Objects around the target: owners (the target first), autoscalers, disruption budgets; as JSON of the snapshot's files. */
  surroundings(
    target: ObjectRef,
    context: ActContext,
  ): Promise<{ readonly objects: readonly KubeObject[]; readonly notRead: readonly string[] }>;
}

export type PlanRequested = { readonly request?: string | undefined; readonly card?: UnsentMessage | undefined };

export type Paused = { readonly by: string; readonly at: number; readonly reason: string };

/** The durable half of acting. Every writing method is one transaction with its domain event and audit row. */
export interface ActStore extends LedgerStore {
  /** The time that all who share this store go by, epoch ms: plans are made and clicks are taken by it. */
  now(): Promise<number>;
  /**
   * Saves a new plan, with the card that shows it; an open plan of the same incident and action is `replaced`. Returns the
   * ids of those. `request`: the kept request that asked for it, which ends with a stored card. Undefined, and nothing is
   * stored, where another process has taken that over.
   */
  savePlan(plan: Plan, by?: PlanRequested): Promise<readonly string[] | undefined>;
  plan(id: string): Promise<Plan | undefined>;
  plansOf(incidentId: string): Promise<readonly Plan[]>;
  /** Plans that can still be approved at this time, the oldest first. */
  openPlans(at: number): Promise<readonly Plan[]>;
  approvals(planId: string): Promise<readonly { who: string; decision: 'approve' | 'reject'; at: number }[]>;
  /**
   * The one transaction of a click: lock the plan, check, count, and where enough have said yes make the run `queued`.
   * Where it decides the plan, `notices` are stored with it, to be sent.
   */
  click(click: Click, notices?: readonly UnsentMessage[]): Promise<ClickOutcome>;
  /** Runs made but never started, or started and not ended: what a sweeper looks at. */
  openRuns(): Promise<readonly Run[]>;
  run(id: string): Promise<Run | undefined>;
  runsOf(incidentId: string): Promise<readonly Run[]>;
  /** Binds a run to one execution of the flow for good; a second execution is told `duplicate`. */
  claimRun(id: string, executionId: string, at: number): Promise<'ok' | 'duplicate'>;
  saveStep(id: string, record: StepRecord): Promise<void>;
  saveChecks(id: string, checks: Run['checks'], at: number): Promise<void>;
  /** Keeps what the run will be measured against; the first one stays. */
  saveBaseline(id: string, baseline: Baseline, at: number): Promise<void>;
  baseline(id: string): Promise<Baseline | undefined>;
  setRunState(
    id: string,
    change: {
      readonly state: Run['state'];
      readonly outcome: string | null;
      readonly actor: string;
      readonly at: number;
      /** It was verified, so the incident is closed with it. */
      readonly isVerified?: boolean;
      readonly ledger?: LedgerEffect;
    },
  ): Promise<void>;
  /** Stores a person's command for an active run (or, for `roll-back`, one that is done); answers false when it is too late. */
  commandRun(
    id: string,
    command: { readonly command: Run['command']; readonly by: string; readonly at: number },
  ): Promise<boolean>;
  /** An audit row before a cluster write; no write goes out without it. */
  recordWrite(
    id: string,
    write: { readonly n: number; readonly object: string; readonly says: string; readonly at: number },
  ): Promise<void>;
  /** A refused attempt to act: who, what, why. */
  recordRefusal(refusal: {
    readonly who: string;
    readonly verb: string;
    readonly subject: string;
    readonly why: string;
    readonly at: number;
  }): Promise<void>;
  pause(pause: Paused): Promise<void>;
  resume(by: string, at: number): Promise<void>;
  paused(): Promise<Paused | undefined>;
  incident(id: string): Promise<Incident | undefined>;
}

/** Starts durable flows and lets them go on after a restart. */
export interface Runner {
  /** Starts the flow of a run; asking twice is safe. */
  start(runId: string): Promise<void>;
  /** Ends new work, lets acts in flight end, and waits for them. */
  stop(): Promise<void>;
}

/** Durable steps of a run: all that a flow may touch. */
export interface Steps {
  run(name: string, input: unknown): Promise<unknown>;
  sleep(ms: number): Promise<void>;
}
