import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createActs } from '../../../src/app/acting/run/acts.ts';
import { createSqliteAccess } from '../../../src/store/database/access.ts';
import { verifyAudit } from '../../../src/store/database/audit-chain.ts';
import { migrate } from '../../../src/store/database/migrate.ts';
import type { Tables } from '../../../src/store/database/tables.ts';
import { createKyselyStore, type DurableStore } from '../../../src/store/kysely-store.ts';
import { createNodeSqliteDialect } from '../../../src/store/node-sqlite-dialect.ts';
import { createFakeClock } from '../../fakes/clock.ts';
import { createFakeIds } from '../../fakes/ids.ts';
import { createFakeLog } from '../../fakes/log.ts';
import { DEFAULT_MARKS } from '../../fakes/verify-marks.ts';
import { exampleDiagnosis, exampleIncident } from '../../model/examples.ts';
import { someEyes } from './bench.ts';
import { aStopBleed } from './plans.ts';
import { createSmallCluster } from './small-cluster.ts';

type Ill = { readonly name: string; readonly fall: string; readonly heal: string; readonly words: RegExp };
// As SQLite itself answers on a full disk and on a file that may not be written.
const ILLS: readonly Ill[] = [
  {
    name: 'a full disk',
    fall: 'pragma max_page_count = 1',
    heal: 'pragma max_page_count = 1000000',
    words: /disk of the store is full/,
  },
  {
    name: 'a read-only file',
    fall: 'pragma query_only = on',
    heal: 'pragma query_only = off',
    words: /cannot be written/,
  },
];

async function openStore() {
  const folder = mkdtempSync(join(tmpdir(), 'oom-ill-'));
  const database = new DatabaseSync(join(folder, 'oom.db'), { enableForeignKeyConstraints: true });
  onTestFinished(() => {
    if (database.isOpen) database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const clock = createFakeClock();
  const ids = createFakeIds();
  const db = new Kysely<Tables>({ dialect: createNodeSqliteDialect(database, { clock, busyTimeoutMs: 50 }) });
  const added = await migrate(db as unknown as Kysely<unknown>, { dialect: 'sqlite', at: clock.now() });
  const store = createKyselyStore(createSqliteAccess(db, clock), { clock, ids, added });
  return { store, clock, database };
}

async function openRun() {
  const { store, clock, database } = await openStore();
  const { incident } = await store.recordFinding({
    draft: { ...exampleIncident, verdict: exampleDiagnosis.verdict },
    snapshot: { id: 'snap_1', files: { 'args.txt': '--model m' } },
    diagnosis: exampleDiagnosis,
    actor: 'U_ONCALL',
    at: clock.now(),
    windowMs: 60_000,
  });
  const plan = { ...aStopBleed(), incidentId: incident.id, proposedAt: clock.now(), expiresAt: clock.now() + 900_000 };
  await store.savePlan(plan);
  const click = {
    planId: plan.id,
    hash: plan.hash,
    who: 'U_APPROVER',
    decision: 'approve' as const,
    barRequester: false,
    breakGlass: null,
  };
  const cluster = createSmallCluster();
  const acts = createActs({
    store,
    clusters: new Map([[cluster.name, cluster]]),
    clock,
    log: createFakeLog(),
    version: '0.0.0',
    hasEvidence: async () => true,
    eyes: someEyes(),
    verify: { marksOf: () => DEFAULT_MARKS },
    report: async () => {},
    progress: () => {},
  });
  const approve = () => store.click({ ...click, at: clock.now() });
  const ask = (runId: string, name: string, n: number, i = 0) => acts(name, { runId, i, n }, { id: 'execution-1' });
  return { store, clock, database, cluster, approve, ask, plan };
}

const rowsOf = async (store: DurableStore, action: string) =>
  (await store.auditRows(1, 1000)).filter((row) => row.action === action);

// What is free in the pages that are there takes some small rows before the disk is full.
async function untilItFails(work: () => Promise<unknown>): Promise<unknown> {
  for (let i = 0; i < 400; i += 1) {
    try {
      await work();
    } catch (thrown) {
      return thrown;
    }
  }
  throw new Error('it never failed');
}

describe.each(ILLS)('a store that fails by $name', ({ fall, heal, words }) => {
  it('counts no click, and says why', async () => {
    const { store, database, approve, plan, clock } = await openRun();
    database.exec(fall);
    await untilItFails(() =>
      store.recordRefusal({ who: 'U_STRANGER', verb: 'approve', subject: 'x'.repeat(200), why: 'no', at: clock.now() }),
    );

    const failed = await approve().catch((thrown: unknown) => thrown);
    database.exec(heal);

    expect(failed).toMatchObject({ code: 'store-failed', message: expect.stringMatching(words) });
    expect(await store.approvals(plan.id)).toEqual([]);
    expect(await store.openRuns()).toEqual([]);
    expect((await store.plan(plan.id))?.state).toBe('proposed');
    expect((await approve()).kind).toBe('run');
    expect((await verifyAudit(store)).kind).toBe('intact');
  });

  it('sends no write without its audit row, and makes it once when it can be kept again', async () => {
    const { store, database, approve, ask, cluster, clock } = await openRun();
    const clicked = await approve();
    if (clicked.kind !== 'run') throw new Error(clicked.kind);
    const { id } = clicked.run;
    database.exec(fall);
    await untilItFails(() =>
      store.recordRefusal({ who: 'U_STRANGER', verb: 'approve', subject: 'x'.repeat(200), why: 'no', at: clock.now() }),
    );

    const failed = await ask(id, 'apply', 1).catch((thrown: unknown) => thrown);
    const rowsThen = await rowsOf(store, 'write');
    const writtenThen = [...cluster.log];
    database.exec(heal);
    const again = await ask(id, 'apply', 1);

    expect(failed).toMatchObject({ code: 'store-failed', message: expect.stringMatching(words) });
    expect(rowsThen).toEqual([]);
    expect(writtenThen).toEqual([]);
    expect(again.kind).toBe('ok');
    expect(cluster.log).toEqual(['replicas=0']);
    expect(await rowsOf(store, 'write')).toHaveLength(1);
  });

  it('after the write went out: it is not made again, and the step is done', async () => {
    const { store, database, approve, ask, cluster, clock } = await openRun();
    const clicked = await approve();
    if (clicked.kind !== 'run') throw new Error(clicked.kind);
    const { id } = clicked.run;
    const write = cluster.write.bind(cluster);
    cluster.write = async (...args) => {
      const outcome = await write(...args);
      database.exec(fall);
      await untilItFails(() =>
        store.recordRefusal({ who: 'U_STRANGER', verb: 'plan', subject: 'x'.repeat(200), why: 'no', at: clock.now() }),
      );
      return outcome;
    };

    const failed = await ask(id, 'apply', 1).catch((thrown: unknown) => thrown);
    database.exec(heal);
    cluster.write = write;
    const again = await ask(id, 'apply', 1);

    expect(failed).toMatchObject({ code: 'store-failed' });
    expect(again).toMatchObject({ kind: 'ok', says: 'was written already' });
    expect(cluster.log).toEqual(['replicas=0']);
    expect((await store.run(id))?.steps[0]).toMatchObject({ phase: 'done' });
    expect((await verifyAudit(store)).kind).toBe('intact');
  });
});
