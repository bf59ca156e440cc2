import { OomError } from '../../../model/errors.ts';
import type { Clock } from '../../ports.ts';
import { type ActAnswer, ActInput, ActName } from '../act-answers.ts';
import type { ActBody, ActDeps, Work } from '../acts/act-work.ts';
import { watchForRevert } from '../acts/revert-watch.ts';
import { settleBack, waitForStep } from '../acts/wait-acts.ts';
import { applyStep, undoStep } from '../acts/write-acts.ts';
import { verifyStep } from '../verify/verify.ts';
import { checkStart, claim, compensate, handOver, report } from './end-acts.ts';

export type { ActDeps } from '../acts/act-work.ts';

/** Carries one act of the flow out. `execution` is the engine's own id of the run. */
export type Acts = (name: string, input: unknown, execution: { readonly id: string }) => Promise<ActAnswer>;

const BODIES: Readonly<Record<ActName, ActBody>> = {
  claim,
  check: checkStart,
  apply: applyStep,
  wait: waitForStep,
  verify: verifyStep,
  watch: watchForRevert,
  compensate,
  undo: undoStep,
  settle: settleBack,
  report,
  handover: handOver,
};

// Well under half of the engine's lease of 30 s.
const ACT_MS = 10_000;
const ASK_MS = 8000;

/** The bodies of the acts. What throws here is tried again by the engine; what may well happen is an answer. */
export function createActs(deps: ActDeps): Acts {
  return async (name, input, execution) => {
    const body = BODIES[ActName.parse(name)];
    const given = ActInput.parse(input);
    const until = deps.clock.monotonic() + ACT_MS;
    return within(deps.clock, async (signal) => {
      const work = await begin(deps, given, { executionId: execution.id, signal, until });
      return body(work);
    });
  };
}

type Begin = { readonly executionId: string; readonly signal: AbortSignal; readonly until: number };

async function begin(deps: ActDeps, input: ActInput, { executionId, signal, until }: Begin): Promise<Work> {
  const run = await deps.store.run(input.runId);
  const plan = run === undefined ? undefined : await deps.store.plan(run.planId);
  if (run === undefined || plan === undefined) {
    throw new OomError('internal', `Run ${input.runId} is not in the store.`, { next: 'List the runs: `oom status`.' });
  }
  const cluster = deps.clusters.get(run.target.cluster);
  if (cluster === undefined) {
    throw new OomError('bad-config', `Cluster ${run.target.cluster} of an active run is not configured.`, {
      next: 'Add it to the config again, or abort the run with `--without-rollback`.',
    });
  }
  const agent = `oombot/${deps.version} (incident ${run.incidentId}; by ${run.startedBy})`;
  const inTime = (): boolean => !signal.aborted && deps.clock.monotonic() < until;
  return { deps, run, plan, input, executionId, cluster, context: { signal, agent }, inTime };
}

// What is asked of the cluster is given up before the act is, so that an API server that hangs is an answer as well.
async function within<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const asking = new AbortController();
  const done = new AbortController();
  const deadline = new OomError('deadline', 'A step of a run took longer than 10 s.', { next: 'oombot retries it.' });
  const late = new Promise<never>((_, reject) => {
    wakeAfter(clock, { ms: ASK_MS, unless: done.signal }, () => asking.abort(deadline));
    wakeAfter(clock, { ms: ACT_MS, unless: done.signal }, () => reject(deadline));
  });
  try {
    return await Promise.race([work(asking.signal), late]);
  } finally {
    done.abort();
  }
}

function wakeAfter(clock: Clock, { ms, unless }: { ms: number; unless: AbortSignal }, wake: () => void): void {
  clock.sleep(ms, unless).then(wake, () => undefined);
}
