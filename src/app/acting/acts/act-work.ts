import { OomError } from '../../../model/errors.ts';
import type { Plan, PlanStep, Run, StepRecord } from '../../../model/plan.ts';
import type { ActContext, ActingCluster, ActStore } from '../../acting-ports.ts';
import type { Clock, Log } from '../../ports.ts';
import type { ActAnswer, ActInput } from '../act-answers.ts';
import type { EngineEyes, VerifySettings } from '../engine-eyes.ts';

export type ActDeps = {
  readonly store: ActStore;
  /** How long a change lasts before people are asked about it. */
  readonly changeMs: number;
  readonly clusters: ReadonlyMap<string, ActingCluster>;
  readonly clock: Clock;
  readonly log: Log;
  /** For the audit log of the API server. */
  readonly version: string;
  /** Whether what was seen of the incident is stored: scaling to zero deletes the logs. */
  readonly hasEvidence: (incidentId: string) => Promise<boolean>;
  readonly eyes: EngineEyes;
  readonly verify: VerifySettings;
  /** When to check for reverted values after the last write; default 10 s, 60 s and 5 min. */
  readonly watchMs?: readonly number[];
  /** Posts the result of a run. May be called again for the same run after a crash, so it first checks for an earlier post. */
  readonly report: (runId: string) => Promise<void>;
  /** Shows what the run has made of its incident. Never rejects. */
  readonly afterRun?: (incidentId: string) => Promise<void>;
  /** Posts the handover of a run that has ended. */
  readonly handOver?: ((run: Run, signal: AbortSignal) => Promise<void>) | undefined;
  /** Redraws the run wherever it is shown; never waited for. */
  readonly progress: (runId: string) => void;
};

/** One act in progress. Its answers are bound to the run and plan as of its start. */
export type Work = {
  readonly deps: ActDeps;
  readonly run: Run;
  readonly plan: Plan;
  readonly input: ActInput;
  readonly executionId: string;
  readonly cluster: ActingCluster;
  readonly context: ActContext;
  /** False once the act has had its time: a process that was frozen must not write what it has read before. */
  readonly inTime: () => boolean;
};

export type ActBody = (work: Work) => Promise<ActAnswer>;

type Stop = Extract<ActAnswer, { kind: 'stop' }>;

/** Why a person asked to end the run; undefined if nobody did. */
export function stopWanted({ run }: Work): Stop | undefined {
  const { command } = run;
  if (command !== 'abort' && command !== 'abandon' && command !== 'roll-back') return undefined;
  return { kind: 'stop', why: command, says: `requested by ${run.commandBy ?? 'someone'}` };
}

const MOST_OF_REASON = 200;
const FIRST_HOLDS = 4;

/** While all acting is paused nothing is written; the run asks again. */
export async function heldByPause({ deps, input }: Work): Promise<ActAnswer | undefined> {
  const paused = await deps.store.paused();
  if (paused === undefined) return undefined;
  const why = paused.reason.replace(/\s+/g, ' ').trim().slice(0, MOST_OF_REASON);
  const says = `changes are paused by ${paused.by}${why === '' ? '' : `: ${why}`}`;
  return { kind: 'wait', inMs: input.i < FIRST_HOLDS ? 15_000 : 60_000, says };
}

/** The plan's step that the act is about. */
export function stepOf({ plan, input }: Work): PlanStep {
  const step = plan.steps.find(({ n }) => n === input.n);
  if (step !== undefined) return step;
  throw new OomError('internal', `The plan ${plan.id} has no step ${input.n}.`, {
    next: 'Abort the run with `--without-rollback`.',
  });
}

/** What is written of a step so far. */
export function recordOf({ run }: Pick<Work, 'run'>, n: number): StepRecord {
  const none = { n, phase: 'pending', attempts: 0, startedAt: null, endedAt: null, message: '' } as const;
  return run.steps.find((record) => record.n === n) ?? none;
}

type StepChange = { readonly phase: StepRecord['phase']; readonly message: string; readonly attempt?: boolean };

/** Writes what has become of a step, and has it drawn. */
export async function noteStep(
  { deps, run }: Work,
  record: StepRecord,
  { phase, message, attempt = false }: StepChange,
): Promise<StepRecord> {
  const at = deps.clock.now();
  const next: StepRecord = {
    n: record.n,
    phase,
    attempts: record.attempts + (attempt ? 1 : 0),
    startedAt: record.startedAt ?? at,
    endedAt: phase === 'running' ? null : at,
    message,
  };
  await deps.store.saveStep(run.id, next);
  deps.progress(run.id);
  return next;
}

/** The step has failed for good. */
export async function failStep(work: Work, record: StepRecord, stop: Omit<Stop, 'kind'>): Promise<ActAnswer> {
  await noteStep(work, record, { phase: 'failed', message: stop.says });
  return { kind: 'stop', ...stop };
}

export function ok(says = ''): ActAnswer {
  return { kind: 'ok', says };
}
