import type { DomainEvent } from './events.ts';
import type { Incident } from './incident.ts';
import type { Plan, Run } from './plan.ts';
import type { Severity } from './severity.ts';
import type { Silence } from './silence.ts';
import type { TemporaryChange } from './temporary-change.ts';

/** A value, or why there is none. */
export type Read<T> = { readonly kind: 'read'; readonly value: T } | { readonly kind: 'unknown'; readonly why: string };

/** The pool of requests that the pods of a workload serve, the route to it, and the other pools behind that route. */
export type RequestPool = {
  readonly pool: string;
  readonly route: string | undefined;
  readonly others: readonly string[];
};

/** Median and P99 prompt, in tokens. */
export type PromptLengths = { readonly median: number; readonly p99: number };

/** A setting of the engine when it failed and now; null where it is not known. */
export type HandedSetting = { readonly label: string; readonly before: string | null; readonly now: string | null };

/** Replicas of a workload now. */
export type ReplicasNow = { readonly ready: number; readonly all: number; readonly severity: Severity };

/** What was counted since a change, or since the incident opened (epoch ms). */
export type CountersSince = {
  readonly since: number;
  readonly ofChange: boolean;
  readonly ooms: Read<number>;
  readonly restarts: Read<number>;
  readonly rejected: Read<number>;
};

/** One incident for the next shift. Values of the workload are of `at`, when the handover was made. */
export type IncidentHandover = {
  readonly at: number;
  readonly incident: Incident;
  readonly settings: readonly HandedSetting[];
  /** Why the settings of now are not known; undefined where they are. */
  readonly settingsFault: string | undefined;
  readonly pool: Read<RequestPool | undefined>;
  readonly prompts: Read<PromptLengths>;
  readonly replicas: Read<ReplicasNow>;
  readonly counters: CountersSince;
  /** Open changes of the workload, the first to expire first. */
  readonly changes: readonly TemporaryChange[];
  /** The last run that ended, and its plan. */
  readonly last: { readonly run: Run; readonly plan: Plan } | undefined;
  readonly events: readonly DomainEvent[];
  readonly plans: readonly Plan[];
  /** What could still decide the cause. */
  readonly missing: readonly string[];
  readonly alternatives: string;
  /** Links to the finding and to the plans, by id. */
  readonly links: ReadonlyMap<string, string>;
};

/** The same failure again, at least twice within `days`. `fixed`: the last change that was verified, and how long it held. */
export type Recurrence = {
  readonly incident: Incident;
  readonly count: number;
  readonly days: number;
  readonly fixed: { readonly plan: Plan; readonly heldMs: number | null } | undefined;
};

/** What a channel hands to the next shift. Replicas are of `at`, when it was made. */
export type ShiftHandover = {
  readonly at: number;
  /** Open incidents that are not silenced, the most severe first, and how many more there are. */
  readonly open: readonly {
    readonly incident: Incident;
    readonly replicas: Read<ReplicasNow>;
    readonly link: string | undefined;
    /** Found by the watch and posted nowhere. */
    readonly quiet: boolean;
  }[];
  readonly moreOpen: number;
  /** The first to expire first. */
  readonly changes: readonly TemporaryChange[];
  readonly again: readonly Recurrence[];
  readonly plans: readonly Plan[];
  readonly runs: readonly Run[];
  readonly silences: readonly Silence[];
};
