import type { Check, EngineReadings, Reading, VerifyMarks } from '../../actions/verify-checks.ts';
import type { Incident } from '../../model/incident.ts';
import type { PlanTarget } from '../../model/plan.ts';
import type { Baseline } from '../../model/request-times.ts';
import type { WorkloadPod } from '../acting-ports.ts';

/** Which pods are looked at, and since when, epoch ms: `since` is the last write, `begun` the start of the run. */
export type Look = {
  readonly target: PlanTarget;
  readonly pods: readonly WorkloadPod[];
  readonly since: number;
  readonly begun: number;
  /** Whose request is to be sent again. */
  readonly incidentId?: string;
  readonly signal: AbortSignal;
};

/** Whose hour before which incident. */
export type LookBack = Pick<Look, 'target' | 'pods' | 'signal'> & { readonly incident: Incident };

export type SignatureLook =
  | { readonly kind: 'none'; readonly says: string }
  | { readonly kind: 'found'; readonly says: string }
  | { readonly kind: 'could-not-tell'; readonly why: string };

/** Whether a question to the engine was answered, and how. */
export type EngineAnswer =
  | { readonly kind: 'answered'; readonly ms: number; readonly says?: string }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'could-not-tell'; readonly why: string };

/** What a verification looks with. No method throws for what could not be read. */
export interface EngineEyes {
  /** Metrics of the pods now, and since the change. */
  readings(look: Look): Promise<EngineReadings>;
  /** The hour before the incident, which these are measured against. */
  lookBack(look: LookBack): Promise<Baseline>;
  /** Requests in flight in all of the pods together; unknown if one of them has no data. Absent: that of `readings`. */
  readonly inFlight?: (look: Look) => Promise<Reading>;
  /** Looks for a signature of an OOM in what the pods have logged since. */
  signature(look: Look): Promise<SignatureLook>;
  /** One token asked of the engine; absent where it is not allowed. */
  readonly probe?: (look: Look) => Promise<EngineAnswer>;
  /** The shape of the requests that killed it, with synthetic text; absent unless the config switches it on. */
  readonly replay?: Replay;
}

type OfRun = Pick<Look, 'target' | 'begun'>;

/** Sends the killing shape in the background of the looks of one run. */
export interface Replay {
  /** Starts it if it has not started, and returns its state. */
  look(look: Look): Promise<EngineAnswer>;
  /** Whether this process has begun it. */
  knows(run: OfRun): boolean;
  /** Breaks it off. */
  stop(run: OfRun): void;
}

export type VerifySettings = { readonly marksOf: (target: PlanTarget) => VerifyMarks };

/** Could not tell, and why. */
export function notTold(why: string): { readonly kind: 'unknown'; readonly why: string } {
  return { kind: 'unknown', why };
}

/** What an answer of an engine says to a check; `what` was asked. */
export function answerOf(answer: EngineAnswer | undefined, what: string): Check | undefined {
  if (answer === undefined) return undefined;
  if (answer.kind === 'could-not-tell') return notTold(answer.why);
  if (answer.kind === 'failed') return { kind: 'bad', says: `${what}: ${answer.why}` };
  return { kind: 'good', says: answer.says ?? `${what} answered in ${Math.round(answer.ms)} ms` };
}

/** Pods that answer requests, so they have an engine. */
export function servingOf(pods: readonly WorkloadPod[]): readonly WorkloadPod[] {
  return pods.filter(({ ready, terminating, worker }) => ready && !terminating && worker !== true);
}
