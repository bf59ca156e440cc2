import type { EngineReadings, Reading } from '../../../src/actions/verify-checks.ts';
import type { EngineEyes } from '../../../src/app/acting/engine-eyes.ts';
import type { ActDeps } from '../../../src/app/acting/run/acts.ts';
import { type Acts, createActs } from '../../../src/app/acting/run/acts.ts';
import type { ActingCluster } from '../../../src/app/acting-ports.ts';
import type { Clock } from '../../../src/app/ports.ts';
import type { Plan, Run } from '../../../src/model/plan.ts';
import type { Baseline, RequestTimes } from '../../../src/model/request-times.ts';
import { createFakeClock, type FakeClock } from '../../fakes/clock.ts';
import { createFakeLog, type FakeLog } from '../../fakes/log.ts';
import { createMemoryStore, type MemoryStore } from '../../fakes/memory-store.ts';
import { aClick } from '../../fakes/plans.ts';
import { DEFAULT_MARKS } from '../../fakes/verify-marks.ts';
import { exampleIncident } from '../../model/examples.ts';
import { aStopBleed } from './plans.ts';
import { createSmallCluster, type SmallCluster } from './small-cluster.ts';

const known = (value: number): Reading => ({ kind: 'known', value });

/** An engine that is well. */
export const WELL: EngineReadings = {
  ramShare: known(0.5),
  gpuFreeShare: known(0.1),
  kvShare: known(0.4),
  preemptions: known(0),
  waiting: known(0),
  running: known(3),
  times: someTimes(200, 2000),
};

/** Times of 400 requests, and an hour of them. */
export function someTimes(ttft: number, latency: number): RequestTimes {
  const time = (ms: number) => ({ kind: 'known', ms, atLeast: false, requests: 400, lacks: null }) as const;
  const shortWait = { kind: 'known', lowMs: 10, highMs: 20, share: 0.8, requests: 400, lacks: null } as const;
  return { ttftP99: time(ttft), latencyP99: time(latency), shortWait };
}

export const HOUR_BEFORE: Baseline = { from: 0, to: 3_600_000, times: someTimes(190, 2100) };

export function someEyes(over: Partial<EngineEyes> = {}): EngineEyes {
  return {
    readings: async () => WELL,
    lookBack: async () => HOUR_BEFORE,
    signature: async () => ({ kind: 'none', says: 'no signature in 120 lines' }),
    ...over,
  };
}

/** All that acts need over one cluster: an engine that is well, evidence that is stored, and nobody who is told. */
export function someActDeps({ cluster, ...over }: ActsOver): ActDeps {
  return {
    clusters: new Map([[cluster.name, cluster]]),
    log: createFakeLog(),
    version: '0.0.0',
    changeMs: 86_400_000,
    hasEvidence: async () => true,
    eyes: someEyes(),
    verify: { marksOf: () => DEFAULT_MARKS },
    report: async () => {},
    progress: () => {},
    ...over,
  };
}

type ActsOver = Partial<ActDeps> & Pick<ActDeps, 'store' | 'clock'> & { readonly cluster: ActingCluster };

export type Bench = {
  readonly acts: Acts;
  readonly store: MemoryStore;
  readonly cluster: SmallCluster;
  readonly clock: FakeClock;
  readonly log: FakeLog;
  readonly reports: string[];
  readonly run: () => Promise<Run>;
  /** Asks one act about the run. */
  readonly ask: (name: string, n?: number, more?: object) => ReturnType<Acts>;
};

/** A plan that was approved, its run, and the acts over a small cluster. */
export async function openBench(over: { plan?: Plan; deps?: Partial<ActDeps>; clock?: Clock } = {}): Promise<Bench> {
  const fakeClock = createFakeClock();
  const clock = over.clock ?? fakeClock;
  const store = createMemoryStore({ clock, incidents: [exampleIncident] });
  const plan = { ...(over.plan ?? aStopBleed()), proposedAt: clock.now(), expiresAt: clock.now() + 900_000 };
  await store.savePlan(plan);
  const clicked = await store.click(aClick(plan, { at: clock.now() }));
  if (clicked.kind !== 'run') throw new Error(JSON.stringify(clicked));
  const cluster = createSmallCluster();
  const log = createFakeLog();
  const reports: string[] = [];
  const report = async (runId: string): Promise<void> => void reports.push(runId);
  const acts = createActs(someActDeps({ store, cluster, clock, log, report, ...over.deps }));
  const { id } = clicked.run;
  const run = async (): Promise<Run> => {
    const found = await store.run(id);
    if (found === undefined) throw new Error('the run is gone');
    return found;
  };
  const ask: Bench['ask'] = (name, n, more = {}) =>
    acts(name, { runId: id, i: 0, ...(n === undefined ? {} : { n }), ...more }, { id: 'execution-1' });
  return { acts, store, cluster, clock: fakeClock, log, reports, run, ask };
}
