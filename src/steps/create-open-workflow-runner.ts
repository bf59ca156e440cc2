import { OpenWorkflow } from 'openworkflow';
import type { Backend, WorkflowRun } from 'openworkflow/internal';
import type { ActStore, Runner, Steps } from '../app/acting-ports.ts';
import type { Clock, Log } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { type Run, withoutValues } from '../model/plan.ts';
import { createSweeper, type EngineRun } from './create-sweeper.ts';
import { openBackend } from './open-backend.ts';
import { watchBackend } from './watch-backend.ts';

type RunnerOptions = {
  /** `sqlite:./data/oom.db` or `postgres://…`: the database of our own tables. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Pick<ActStore, 'openRuns' | 'run' | 'plan' | 'setRunState' | 'now'>;
  /** How soon after the start it goes on with what a process that has died was doing; undefined: when its lease ends. */
  readonly takeOverMs?: number | undefined;
  /** The flow, and what its steps do. `execution` is the engine's id of the run, for the claim. */
  readonly flow: (steps: Steps, input: FlowInput) => Promise<unknown>;
  readonly acts: (name: string, input: unknown, execution: { readonly id: string }) => Promise<unknown>;
  /** Whether a failed run rolls back by itself. */
  readonly rollBack: (run: Run) => 'automatic' | 'ask';
  /** Tells people of a run that the sweeper has ended, because the engine lost it or it did not end when abandoned. */
  readonly onLost: (runId: string) => Promise<void>;
};

/** What a flow is given, without the values that are written; the plan does not change any more once it is used. */
type FlowInput = {
  readonly runId: string;
  readonly plan: NonNullable<Awaited<ReturnType<ActStore['plan']>>>;
  readonly from: 'start' | 'roll-back';
  readonly rollBack: 'automatic' | 'ask';
};

/** A runner that works once it has begun. */
export type DurableRunner = Runner & {
  /** Goes on with runs as their steps are due, until `stop`. */
  begin(): Promise<void>;
  /** One look for runs to start or to adopt: to be repeated. Never rejects. */
  sweep(): Promise<void>;
  /** One look of the engine for steps that are due; answers how many runs it went on with. */
  tick(): Promise<number>;
};

const FLOW = 'run-plan';
// The last release's flow stays registered for one release: a run that was begun by it is ended by it.
const VERSION = '1';
const SLOTS = 4;
const FIRST_POLL_MS = 100;
const POLL_MS = 1000;
const TAKEN_OVER = 1000;

// A fault in an act: the store or the network. Acts themselves give up before this does.
const STEP_RETRIES = {
  initialInterval: '1s',
  backoffCoefficient: 2,
  maximumInterval: '30s',
  maximumAttempts: 60,
} as const;
// A fault between two acts: the database is away. The engine counts every waking of a run as an attempt, so no limit.
const RUN_RETRIES = {
  initialInterval: '1s',
  backoffCoefficient: 2,
  maximumInterval: '15s',
  maximumAttempts: 0,
} as const;

/** Runs flows on openworkflow, in SQLite or PostgreSQL. Its tables have to be there: see migrateEngine. */
export async function createOpenWorkflowRunner(options: RunnerOptions): Promise<DurableRunner> {
  const { url, clock, log, store, flow, acts } = options;
  const backend = watchBackend(await openBackend(url), { clock, log });
  const engine = new OpenWorkflow({ backend });
  // Flows are registered before the worker is made: it does not know those that come later.
  const workflow = engine.defineWorkflow<FlowInput, string>(
    { name: FLOW, version: VERSION, retryPolicy: RUN_RETRIES },
    async ({ input, step, run }) => {
      const steps: Steps = {
        run: (name, given) =>
          step.run({ name: nameStep(name, given), retryPolicy: STEP_RETRIES }, () => acts(name, given, { id: run.id })),
        sleep: (ms) => step.sleep('sleep', `${Math.max(1, Math.ceil(ms))}ms`),
      };
      return String(await flow(steps, input));
    },
  );
  const worker = engine.newWorker({ concurrency: SLOTS });
  const open = async (run: Run, key: string, from: FlowInput['from']): Promise<EngineRun> => {
    const input = await inputFor(options, run, from);
    const handle = await workflow.run(input, { idempotencyKey: key });
    return { ...toEngineRun(handle.workflowRun), cancel: () => handle.cancel() };
  };
  const over = new AbortController();
  let polling: Promise<void> | undefined;
  // Not the engine's own loop, whose sleeps end neither by our clock nor when they are told to.
  const poll = async (): Promise<void> => {
    let waitMs = FIRST_POLL_MS;
    while (!over.signal.aborted) {
      const claimed = await worker.tick().catch((error: unknown) => {
        log.warn('workflow engine failed', { error });
        return 0;
      });
      waitMs = claimed > 0 ? FIRST_POLL_MS : Math.min(2 * waitMs, POLL_MS);
      if (claimed === 0) await clock.sleep(waitMs, over.signal).catch(() => undefined);
    }
  };
  const sweeper = createSweeper({ clock, log, store, open, onLost: options.onLost });
  return {
    async start(runId) {
      const run = await store.run(runId);
      if (run !== undefined) await sweeper.adopt(run);
    },
    async begin() {
      if (polling === undefined) await takeOver(backend, options);
      polling ??= poll();
    },
    sweep: sweeper.sweep,
    tick: () => worker.tick(),
    async stop() {
      over.abort();
      await polling;
      await worker.stop();
      await backend.stop();
    },
  };
}

// Before the first look for work, so that no lease is of this process. What is not taken over waits for its lease.
async function takeOver(backend: Backend, { store, log, takeOverMs }: RunnerOptions): Promise<void> {
  if (takeOverMs === undefined) return;
  try {
    const availableAt = new Date((await store.now()) + takeOverMs);
    const { data } = await backend.listWorkflowRuns({ status: 'running', limit: TAKEN_OVER });
    for (const { id, workerId } of data) {
      if (workerId !== null) await backend.sleepWorkflowRun({ workflowRunId: id, workerId, availableAt });
    }
  } catch (error) {
    log.warn('runs of a process that died not taken over', { error });
  }
}

async function inputFor({ store, rollBack }: RunnerOptions, run: Run, from: FlowInput['from']): Promise<FlowInput> {
  const plan = await store.plan(run.planId);
  // The engine keeps its input in tables of its own. Acts read the plan from ours.
  if (plan !== undefined) return { runId: run.id, plan: withoutValues(plan), from, rollBack: rollBack(run) };
  throw new OomError('internal', `The run ${run.id} has no plan.`, { next: 'Abort the run.' });
}

function toEngineRun({ status, output, finishedAt }: WorkflowRun): Omit<EngineRun, 'cancel'> {
  const isLive = status === 'pending' || status === 'running' || status === 'sleeping';
  return { isLive, status, isDuplicate: output === 'duplicate', endedAt: finishedAt?.getTime() ?? null };
}

/** `apply.3.0`: the act, the step of the plan and the attempt, so that the engine's tables can be read by people. */
export function nameStep(name: string, input: unknown): string {
  const { n, i } = typeof input === 'object' && input !== null ? (input as { n?: unknown; i?: unknown }) : {};
  return [name, n, i].filter((part) => part !== undefined).join('.');
}
