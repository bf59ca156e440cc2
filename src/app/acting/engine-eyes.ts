import type { EngineReadings, Reading, VerifyMarks } from '../../actions/verify-checks.ts';
import type { PlanTarget } from '../../model/plan.ts';
import type { WorkloadPod } from '../acting-ports.ts';

/** Which pods are looked at, and since when, epoch ms. */
export type Look = {
  readonly target: PlanTarget;
  readonly pods: readonly WorkloadPod[];
  readonly since: number;
  readonly signal: AbortSignal;
};

export type SignatureLook =
  | { readonly kind: 'none'; readonly says: string }
  | { readonly kind: 'found'; readonly says: string }
  | { readonly kind: 'could-not-tell'; readonly why: string };

/** Whether a question to the engine was answered, and how. */
export type EngineAnswer =
  | { readonly kind: 'answered'; readonly ms: number }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'could-not-tell'; readonly why: string };

/** What a verification looks with. No method throws for what could not be read. */
export interface EngineEyes {
  /** Metrics of the pods now, and of the hour before `since` where there is a comparison. */
  readings(look: Look): Promise<EngineReadings>;
  /** Requests in flight in all of the pods together; unknown where one of them does not tell. Absent: that of `readings`. */
  readonly inFlight?: (look: Look) => Promise<Reading>;
  /** Looks for a signature of an OOM in what the pods have logged since. */
  signature(look: Look): Promise<SignatureLook>;
  /** One token asked of the engine; absent where it is not allowed. */
  readonly probe?: (look: Look) => Promise<EngineAnswer>;
  /** The shape of the request that killed it, with synthetic text; absent unless somebody has switched it on. */
  readonly replay?: (look: Look) => Promise<EngineAnswer>;
}

export type VerifySettings = { readonly marks: VerifyMarks };
