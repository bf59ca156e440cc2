import { createActs } from '../../../../src/app/acting/run/acts.ts';
import { runPlan } from '../../../../src/app/acting/run/flow.ts';
import { createActingCluster } from '../../../../src/kubernetes/acting/acting-cluster.ts';
import { createSession } from '../../../../src/kubernetes/api/session.ts';
import { createOpenWorkflowRunner, type DurableRunner } from '../../../../src/steps/create-open-workflow-runner.ts';
import { openBackend } from '../../../../src/steps/open-backend.ts';
import { createSystemClock } from '../../../../src/system/clock.ts';
import { createSystemIds } from '../../../../src/system/ids.ts';
import { openStore } from '../../../../src/wire/open-store.ts';
import { repeat } from '../../../../src/wire/repeat.ts';
import { plainCredentials } from '../../../kubernetes/plain-credentials.ts';
import { someActDeps, someEyes, WELL } from '../bench.ts';

export type Errand = {
  readonly store: string;
  readonly api: string;
  readonly runId: string;
  /** The verification finds a new signature, and the run goes back by itself. */
  readonly bad: boolean;
  /** How long it stays once the run is over for the engine too: what it does behind the back of another is to be seen. */
  readonly lingerMs: number;
};

const LOOK_MS = 100;

/** A bot reduced to its runs: carries the open run of a store to its end, as it is for the store, the chat and the engine. */
export async function carryRun(errand: Errand, onBegun?: (runner: DurableRunner) => void): Promise<void> {
  const clock = createSystemClock();
  const log = {
    info: () => {},
    warn: (event: string, fields?: object) => console.error(event, fields),
    error: (event: string, fields?: object) => console.error(event, fields),
  };
  const store = await openStore(errand.store, { clock, ids: createSystemIds() });
  const session = createSession(async () => plainCredentials(errand.api), clock);
  const reports = `${errand.api}/report/${errand.runId}`;
  const isTold = async (): Promise<boolean> => (await fetch(reports)).status === 200;
  // As a chat is told: it is looked first whether it knows already.
  const report = async (runId: string): Promise<void> => {
    const run = await store.run(runId);
    if (!(await isTold())) await fetch(reports, { method: 'POST', body: `${run?.state}: ${run?.outcome}` });
  };
  const found = { kind: 'found', says: 'CUDA out of memory' } as const;
  const cluster = createActingCluster({ clusterName: 'prod', session, clock });
  const eyes = someEyes({ ...(errand.bad && { signature: async () => found }), readings: async () => IDLE });
  const acts = createActs(someActDeps({ store, cluster, clock, log, eyes, watchMs: [100], report }));
  const url = errand.store;
  const keeper = { url, clock, log, store, flow: runPlan, acts, onLost: report };
  const runner = await createOpenWorkflowRunner({ ...keeper, rollBack: () => 'automatic' });
  await runner.begin();
  const sweeping = repeat(1000, clock, runner.sweep);
  onBegun?.(runner);
  const isOver = async (): Promise<boolean> => {
    const run = await store.run(errand.runId);
    return run?.outcome != null && (await isTold()) && (await isEngineDone(url));
  };
  // The store may be away for a while.
  while (!(await isOver().catch(() => false))) await clock.sleep(LOOK_MS);
  await clock.sleep(errand.lingerMs);
  await sweeping.stop();
  await runner.stop();
  await session.close();
  await store.close();
}

async function isEngineDone(url: string): Promise<boolean> {
  const engine = await openBackend(url);
  const { data } = await engine.listWorkflowRuns({ limit: 10 });
  await engine.stop();
  return data.length > 0 && data.every(({ finishedAt }) => finishedAt !== null);
}

// Nothing is in flight, so that a restart need not wait.
const IDLE = { ...WELL, running: { kind: 'known', value: 0 } } as const;
