// A bot reduced to its runs, as a process that can be killed: carries all open runs of a store to their end, then exits.
import { DEFAULT_MARKS } from '../../../../src/actions/verify-checks.ts';
import { createActs } from '../../../../src/app/acting/run/acts.ts';
import { runPlan } from '../../../../src/app/acting/run/flow.ts';
import { createActingCluster } from '../../../../src/kubernetes/acting/create-acting-cluster.ts';
import { createSession } from '../../../../src/kubernetes/session.ts';
import { createOpenWorkflowRunner } from '../../../../src/steps/create-open-workflow-runner.ts';
import { migrateEngine } from '../../../../src/steps/open-backend.ts';
import { createSystemClock } from '../../../../src/system/clock.ts';
import { createSystemIds } from '../../../../src/system/ids.ts';
import { openStore } from '../../../../src/wire/open-store.ts';
import { someEyes } from '../bench.ts';

export type Errand = {
  readonly store: string;
  readonly api: string;
  readonly runId: string;
  /** The verification finds a new signature, and the run goes back by itself. */
  readonly bad: boolean;
};

const LINGER_MS = 700;

const errand = JSON.parse(process.argv[2] ?? '') as Errand;
const clock = createSystemClock();
const log = {
  info: () => {},
  warn: (event: string, fields?: object) => console.error(event, fields),
  error: (event: string, fields?: object) => console.error(event, fields),
};
const store = await openStore(errand.store, {
  clock,
  ids: createSystemIds(),
  alsoMigrate: () => migrateEngine(errand.store),
});
const material = {
  ca: undefined,
  cert: undefined,
  key: undefined,
  servername: undefined,
  rejectUnauthorized: true,
  headers: {},
};
const session = createSession(
  async () => ({ server: errand.api, proxy: undefined, namespace: undefined, material: async () => material }),
  clock,
);
const cluster = createActingCluster({ clusterName: 'prod', session, clock });

// As a chat is told: it is looked first whether it knows already.
async function report(runId: string): Promise<void> {
  const place = `${errand.api}/report/${runId}`;
  const run = await store.run(runId);
  if ((await fetch(place)).status === 200) return;
  await fetch(place, { method: 'POST', body: `${run?.state}: ${run?.outcome}` });
}

const acts = createActs({
  store,
  clusters: new Map([['prod', cluster]]),
  clock,
  log,
  version: '0.0.0',
  hasEvidence: async () => true,
  eyes: someEyes(errand.bad ? { signature: async () => ({ kind: 'found', says: 'CUDA out of memory' }) } : {}),
  verify: { marksOf: () => DEFAULT_MARKS },
  watchMs: [100, 200, 400],
  report,
  progress: () => {},
});
const runner = await createOpenWorkflowRunner({
  url: errand.store,
  clock,
  log,
  store,
  flow: runPlan,
  acts,
  rollBack: () => 'automatic',
  onLost: report,
  sweepMs: 1000,
});
await runner.begin();
process.on('SIGTERM', () => {
  void runner.stop().then(() => process.exit(0));
});
for (;;) {
  const run = await store.run(errand.runId).catch(() => undefined);
  const told = run?.outcome != null && (await fetch(`${errand.api}/report/${errand.runId}`)).status === 200;
  if (told) break;
  await clock.sleep(50);
}
// Whatever a run that was cut off at its very end still does is to be seen.
await clock.sleep(LINGER_MS);
await runner.stop();
await session.close();
await store.close();
