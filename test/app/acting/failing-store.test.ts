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
import { aFinding } from '../../contracts/store.ts';
import { createFakeClock } from '../../fakes/clock.ts';
import { createFakeIds } from '../../fakes/ids.ts';
import { aClick } from '../../fakes/plans.ts';
import { someActDeps } from './bench.ts';
import { aStopBleed } from './plans.ts';
import { createSmallCluster } from './small-cluster.ts';

// As SQLite itself answers on a full disk and on a file that may not be written.
const ILLS = [
  ['a full disk', 'pragma max_page_count = 1', 'pragma max_page_count = 1000000', /disk is full/],
  ['a read-only file', 'pragma query_only = on', 'pragma query_only = off', /Cannot write/],
] as const;

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
  const { incident } = await store.recordFinding(aFinding());
  const plan = { ...aStopBleed(), incidentId: incident.id, proposedAt: clock.now(), expiresAt: clock.now() + 900_000 };
  await store.savePlan(plan);
  const cluster = createSmallCluster();
  const acts = createActs(someActDeps({ store, cluster, clock }));
  const approve = () => store.click(aClick(plan, { at: clock.now() }));
  const apply = (runId: string) => acts('apply', { runId, i: 0, n: 1 }, { id: 'execution-1' });
  // What is free in the pages that are there takes some small rows before the disk is full.
  const fallIll = (statement: string) => {
    database.exec(statement);
    const refusal = {
      who: 'U_STRANGER',
      verb: 'approve',
      subject: 'x'.repeat(200),
      why: 'no',
      at: clock.now(),
    } as const;
    return untilItFails(() => store.recordRefusal(refusal));
  };
  const running = async () => {
    const clicked = await approve();
    if (clicked.kind !== 'run') throw new Error(clicked.kind);
    return clicked.run.id;
  };
  return { store, database, cluster, approve, apply, plan, fallIll, running };
}

const rowsOf = async (store: DurableStore, action: string) =>
  (await store.auditRows(1, 1000)).filter((row) => row.action === action);

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

describe.each(ILLS)('a store that fails by %s', (_, fall, heal, words) => {
  it('counts no click, and says why', async () => {
    const { store, database, approve, plan, fallIll } = await openRun();
    await fallIll(fall);

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
    const { store, database, running, apply, cluster, fallIll } = await openRun();
    const id = await running();
    await fallIll(fall);

    const failed = await apply(id).catch((thrown: unknown) => thrown);
    const rowsThen = await rowsOf(store, 'write');
    const writtenThen = [...cluster.log];
    database.exec(heal);
    const again = await apply(id);

    expect(failed).toMatchObject({ code: 'store-failed', message: expect.stringMatching(words) });
    expect(rowsThen).toEqual([]);
    expect(writtenThen).toEqual([]);
    expect(again.kind).toBe('ok');
    expect(cluster.log).toEqual(['replicas=0']);
    expect(await rowsOf(store, 'write')).toHaveLength(1);
  });

  it('after the write went out: it is not made again, and the step is done', async () => {
    const { store, database, running, apply, cluster, fallIll } = await openRun();
    const id = await running();
    const write = cluster.write.bind(cluster);
    cluster.write = async (...args) => {
      const outcome = await write(...args);
      await fallIll(fall);
      return outcome;
    };

    const failed = await apply(id).catch((thrown: unknown) => thrown);
    database.exec(heal);
    cluster.write = write;
    const again = await apply(id);

    expect(failed).toMatchObject({ code: 'store-failed' });
    expect(again).toMatchObject({ kind: 'ok', says: 'already applied' });
    expect(cluster.log).toEqual(['replicas=0']);
    expect((await store.run(id))?.steps[0]).toMatchObject({ phase: 'done' });
    expect((await verifyAudit(store)).kind).toBe('intact');
  });
});
