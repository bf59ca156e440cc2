import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../../src/app/ports.ts';
import { createSqliteStore, sqlitePath } from '../../src/store/create-sqlite-store.ts';
import { verifyAudit } from '../../src/store/database/audit-chain.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { createSystemIds } from '../../src/system/ids.ts';
import { alertStoreContract } from '../contracts/alert-store.ts';
import { aFinding, aSnapshot, storeContract } from '../contracts/store.ts';
import { createFakeClock, START } from '../fakes/clock.ts';
import { createFakeIds } from '../fakes/ids.ts';
import { storePlace } from '../fakes/place-message.ts';
import { aClick, aPlan } from '../fakes/plans.ts';
import { exampleDiagnosis } from '../model/examples.ts';

const folder = mkdtempSync(join(tmpdir(), 'oom-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const REAL = { clock: createSystemClock(), ids: createSystemIds() };

let files = 0;
function aPath(): string {
  files += 1;
  return join(folder, String(files), 'data', 'oom.db');
}
/** Closed with the test, if it was not before. */
async function openStore(path: string, tools = { clock: createFakeClock() as Clock, ids: createFakeIds() }) {
  const store = await createSqliteStore({ path, ...tools });
  onTestFinished(() => store.close());
  return store;
}
const openInMemory = () => openStore(':memory:');

/** The file behind the back of the store. */
function openRaw(path: string): DatabaseSync {
  const raw = new DatabaseSync(path);
  onTestFinished(() => {
    if (raw.isOpen) raw.close();
  });
  return raw;
}

// What an earlier release had in the place of what is proved of the memory.
const WITHOUT_MEMORY =
  'alter table incident drop column certain; alter table incident rename column cause_certain to certain';
// And in the place of the outbox.
const WITHOUT_OUTBOX = `drop table measured_start; drop table alert; drop table silence; drop table request; create table message as
  select incident_id, kind, conversation, ts, n from outbox; drop table outbox;
  alter table finding drop column death`;
// And without what becomes of incidents.
const WITHOUT_HOLDERS = 'drop table replica; alter table triage drop column holder;';
const WITHOUT_LIFECYCLE = `drop table ledger; drop table feedback; drop index incident_by_key;
  ${['closed_by', 'closed_why', 'reopened_at', 'ack_by', 'ack_at'].map((name) => `alter table incident drop column ${name};`).join(' ')}`;

const openEmpty = () => createSqliteStore({ path: aPath(), clock: createFakeClock(), ids: createFakeIds() });
storeContract('SQLite in a file', openEmpty);
alertStoreContract('SQLite in a file', openEmpty);

describe('the SQLite file', () => {
  it('is made with its folder, for the owner alone', async () => {
    const path = aPath();

    const store = await openStore(path);
    await store.recordFinding(aFinding());

    for (const name of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(name).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  it('is made private if it was not', async () => {
    const path = join(folder, 'open.db');
    writeFileSync(path, '', { mode: 0o644 });

    await (await openStore(path)).close();

    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('holds all that was acknowledged when it is opened again, also by a second process at once', async () => {
    const path = aPath();
    const first = await openStore(path);
    const snapshot = aSnapshot('snap_deep', { 'previous.log': 'x'.repeat(100_000), 'pod.json': '{}' });
    const { incident } = await first.recordFinding(aFinding({ snapshot }));

    // Opened while the first has not closed: what a crash leaves behind.
    const second = await openStore(path);

    expect(await second.snapshot('snap_deep')).toEqual(snapshot);
    expect(await second.incident(incident.id)).toEqual(incident);
    expect(await second.events(incident.id)).toHaveLength(2);
    await Promise.all([first.close(), second.close()]);
    expect(await (await openStore(path)).incident(incident.id)).toEqual(incident);
    expect(existsSync(path)).toBe(true);
  });

  it('writes all of a finding or nothing', async () => {
    const path = aPath();
    const store = await openStore(path);
    const raw = openRaw(path);
    raw.exec(
      `create trigger disk_full before insert on audit begin select raise(abort, 'as if the disk were full'); end`,
    );

    await expect(store.recordFinding(aFinding())).rejects.toMatchObject({ name: 'OomError', code: 'store-failed' });

    expect(await store.openIncidents()).toEqual([]);
    for (const table of ['incident', 'snapshot', 'snapshot_file', 'finding', 'event']) {
      expect(raw.prepare(`select count(*) as n from ${table}`).get()).toEqual({ n: 0 });
    }
    raw.exec('drop trigger disk_full');
    expect(await store.recordFinding(aFinding())).toMatchObject({ isNew: true });
  });

  it('takes findings of one key from two processes as one incident', async () => {
    const path = aPath();
    const stores = await Promise.all([1, 2].map(() => openStore(path, REAL)));

    const all = await Promise.all(Array.from({ length: 10 }, (_, i) => stores[i % 2]!.recordFinding(aFinding())));

    expect(new Set(all.map((r) => r.incident.id)).size).toBe(1);
    expect(await verifyAudit(stores[0]!)).toMatchObject({ kind: 'intact', rows: 10 });
  });

  it('is migrated once where four open it at the same moment', async () => {
    const path = aPath();

    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(path, REAL)));

    expect(stores.map(({ added }) => added.length).filter((count) => count > 0)).toHaveLength(1);
    await Promise.all(stores.map((store) => store.close()));
    expect((await openStore(path)).added).toEqual([]);
  });

  it('that an earlier release has made keeps all it holds and gets what is new', async () => {
    const path = aPath();
    const first = await openStore(path);
    const { incident } = await first.recordFinding(aFinding());
    const card = { conversation: 'C_LLM', ts: '17.1' };
    await storePlace(first, incident.id, 'card', card);
    await first.close();
    const raw = openRaw(path);
    raw.exec(
      'drop table baseline; drop table step; drop table run; drop table approval; drop table plan; drop table pause',
    );
    raw.exec(
      `${WITHOUT_HOLDERS} ${WITHOUT_LIFECYCLE} ${WITHOUT_MEMORY}; ${WITHOUT_OUTBOX}; delete from oom_migration where version > 2`,
    );
    raw.close();

    const upgraded = await openStore(path);

    expect(upgraded.added).toEqual([
      { version: 3, name: 'plans and approvals' },
      { version: 4, name: 'runs, their steps, and the pause' },
      { version: 5, name: 'what runs are measured against' },
      { version: 6, name: 'which memory is proven, separate from the cause' },
      { version: 7, name: 'the death that a finding is about' },
      { version: 8, name: 'messages before they are posted, and requests before they are answered' },
      { version: 9, name: 'who is on an incident, how it was closed, and feedback' },
      { version: 10, name: 'temporary changes' },
      { version: 11, name: 'silences, and messages that belong to no incident' },
      { version: 12, name: 'alerts' },
      { version: 13, name: 'starts that memory estimates were compared with' },
      { version: 14, name: 'which replica is at what' },
    ]);
    expect(await upgraded.incident(incident.id)).toEqual(incident);
    expect(await upgraded.messages(incident.id, 'card')).toEqual([card]);
    await upgraded.savePlan(aPlan({ incidentId: incident.id }));
    expect(await verifyAudit(upgraded)).toMatchObject({ kind: 'intact', rows: 3 });
  });

  it('that kept one word for memory and cause learns of the memory from its findings', async () => {
    const path = aPath();
    const first = await openStore(path);
    const sure = [
      { certain: true, causeCertain: true },
      { certain: true, causeCertain: false },
      { certain: false, causeCertain: false },
    ];
    const ids: string[] = [];
    for (const [n, over] of sure.entries()) {
      const { verdict } = exampleDiagnosis;
      const diagnosis = { ...exampleDiagnosis, verdict: { ...verdict, ...over } };
      ids.push((await first.recordFinding(aFinding({ diagnosis, draft: { key: `k${n}` } }))).incident.id);
    }
    await first.close();
    const raw = openRaw(path);
    raw.exec(
      `${WITHOUT_HOLDERS} ${WITHOUT_LIFECYCLE} ${WITHOUT_MEMORY}; ${WITHOUT_OUTBOX}; delete from oom_migration where version > 5`,
    );
    raw.close();

    const upgraded = await openStore(path);

    const kept = await Promise.all(ids.map((id) => upgraded.incident(id)));
    expect(kept.map((one) => ({ certain: one?.certain, causeCertain: one?.causeCertain }))).toEqual(sure);
  });

  it.each([
    ['a cause that was proved', true, { certain: true, causeCertain: true }],
    ['a cause that was not', false, { causeCertain: false }],
    ['a plan of still earlier', undefined, { causeCertain: false }],
  ])('still reads a plan that kept one word, of %s', async (_, certain, read) => {
    const path = aPath();
    const store = await openStore(path);
    const { incident } = await store.recordFinding(aFinding());
    const plan = aPlan({ incidentId: incident.id });
    await store.savePlan(plan);
    const { causeCertain: _cause, certain: _memory, ...rest } = plan;
    const raw = openRaw(path);
    raw.prepare('update plan set body = ?').run(JSON.stringify({ ...rest, certain }));

    expect(await store.plan(plan.id)).toEqual({ ...rest, ...read });
  });

  it('counts the life of a plan on where the clock is set back', async () => {
    const clock = createFakeClock();
    const store = await createSqliteStore({ path: ':memory:', clock, ids: createFakeIds() });
    onTestFinished(() => store.close());
    const before = await store.now();

    await clock.advance(60_000);
    clock.set(START - 3_600_000);
    await clock.advance(60_000);

    expect(await store.now()).toBe(before + 120_000);
  });

  it('keeps an incident that is being changed, whatever its age', async () => {
    const store = await openInMemory();
    const { incident } = await store.recordFinding(aFinding());
    const plan = aPlan({ incidentId: incident.id });
    await store.savePlan(plan);
    const outcome = await store.click(aClick(plan));
    const marks = { snapshotsBefore: START + 99, incidentsBefore: START + 99 };

    expect(await store.sweep(marks)).toMatchObject({ incidents: 0 });
    const id = outcome.kind === 'run' ? outcome.run.id : '';
    await store.setRunState(id, { state: 'done', outcome: 'ok', actor: 'oombot', at: START + 1 });

    expect(await store.sweep(marks)).toMatchObject({ incidents: 1 });
    expect(await store.run(id)).toBeUndefined();
    expect(await store.plan(plan.id)).toBeUndefined();
  });

  it('is refused with words when it is newer than the binary', async () => {
    const path = aPath();
    await openStore(path);
    openRaw(path).exec(`insert into oom_migration (version, name, at) values (99, 'of the future', 0)`);

    await expect(openStore(path)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('newer oombot'),
      next: expect.stringContaining('newer release'),
    });
  });

  it('is refused with words when it is no database', async () => {
    const path = join(folder, 'prose.db');
    writeFileSync(path, 'this is not a database, it only pretends to be one. '.repeat(40));

    await expect(openStore(path)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('not an SQLite'),
    });
  });

  it('is refused with words when it cannot be made', async () => {
    writeFileSync(join(folder, 'a-file'), '');

    const opening = openStore(join(folder, 'a-file', 'oom.db'));

    await expect(opening).rejects.toMatchObject({
      code: 'store-failed',
      message: `Cannot create the database file. (${join(folder, 'a-file', 'oom.db')})`,
      next: expect.stringMatching(/store\.url.*DATABASE_URL/),
    });
  });

  it('is named by what fails long after it was opened', async () => {
    const path = aPath();
    const store = await openStore(path);
    openRaw(path).exec('drop table outbox');

    await expect(store.messages('inc_1', 'card')).rejects.toMatchObject({
      code: 'store-failed',
      message: `The database failed. (${path})`,
    });
  });

  it('that another process holds is busy, not broken', async () => {
    const path = aPath();
    const store = await openStore(path);
    const holder = openRaw(path);
    holder.exec('begin immediate');

    const impatient = createSqliteStore({ path, ...REAL, busyTimeoutMs: 50 });

    await expect(impatient).rejects.toMatchObject({ name: 'OomError', code: 'store-busy' });
    holder.exec('rollback');
    expect(await store.recordFinding(aFinding())).toMatchObject({ isNew: true });
  });

  it('says so when it is used after its end, and may be closed twice', async () => {
    const store = await openInMemory();
    await store.close();
    await store.close();

    await expect(store.openIncidents()).rejects.toMatchObject({ name: 'OomError', code: 'store-failed' });
  });

  it('tells a stored record that does not fit its schema from one that is not there', async () => {
    const path = aPath();
    const store = await openStore(path);
    const snapshot = aSnapshot('snap_spoilt', { 'args.txt': 'a'.repeat(9000) });
    const { incident } = await store.recordFinding(aFinding({ snapshot }));
    openRaw(path).exec(
      `update finding set diagnosis = '{'; update snapshot_file set body = 'AAAA'; update incident set plane = 'sky'`,
    );

    await expect(store.findings(incident.id)).rejects.toMatchObject({ code: 'store-failed' });
    await expect(store.snapshot('snap_spoilt')).rejects.toMatchObject({ code: 'store-failed' });
    await expect(store.incident(incident.id)).rejects.toMatchObject({ code: 'store-failed' });
  });
});

describe('the audit', () => {
  async function anAuditedFile(): Promise<{ path: string; raw: DatabaseSync }> {
    const path = aPath();
    const store = await openStore(path);
    for (const key of ['a', 'b', 'c']) await store.recordFinding(aFinding({ draft: { key } }));
    await store.close();
    return { path, raw: openRaw(path) };
  }

  it.each([
    `update audit set actor = 'U_STRANGER' where seq = 2`,
    'delete from audit where seq = 3',
    'delete from audit',
    `insert or replace into audit select seq, at, 'U_STRANGER', action, subject, data, prev_hash || 'x', hash from audit where seq = 2`,
    `insert into audit select 9, at, actor, action, subject, data, prev_hash || 'x', hash from audit where seq = 2`,
    'delete from audit_head',
    'update audit_head set seq = 1',
  ])('refuses: %s', async (statement) => {
    const { path, raw } = await anAuditedFile();

    expect(() => raw.exec(statement)).toThrow(/audit/);
    expect(await verifyAudit(await openStore(path))).toMatchObject({ kind: 'intact', rows: 3 });
  });

  it.each([
    ['a changed row', `update audit set data = '{}' where seq = 2`, 2],
    ['a row taken out', 'delete from audit where seq = 2', 3],
    ['the last row taken out', 'delete from audit where seq = 3', 3],
    ['the first row taken out', 'delete from audit where seq = 1', 2],
    ['text moved between fields', `update audit set actor = actor || 'f', action = substr(action, 2) where seq = 1`, 1],
    ['a changed head', `update audit_head set hash = '${'f'.repeat(64)}'`, 4],
  ])('shows %s, though its triggers were dropped', async (_name, statement, seq) => {
    const { path, raw } = await anAuditedFile();
    for (const name of ['audit_keeps_rows', 'audit_keeps_all_rows', 'audit_head_goes_on'])
      raw.exec(`drop trigger ${name}`);
    raw.exec(statement);

    const found = await verifyAudit(await openStore(path));

    expect(found).toMatchObject({ kind: 'broken', seq, why: expect.stringMatching(/\w/) });
  });

  it('that grows while it is verified is intact', async () => {
    const store = await openInMemory();
    await store.recordFinding(aFinding());
    let left = 3;
    const growing = {
      auditRows: (from: number, limit: number) => store.auditRows(from, limit),
      async auditHead() {
        if (left > 0) await store.recordFinding(aFinding());
        left -= 1;
        return store.auditHead();
      },
    };

    expect(await verifyAudit(growing)).toMatchObject({ kind: 'intact', rows: 4 });
  });

  it('verifies more rows than fit into one page', async () => {
    const store = await openInMemory();
    const { incident } = await store.recordFinding(aFinding());
    for (let ts = 0; ts < 1200; ts += 1)
      await storePlace(store, incident.id, 'card', { conversation: 'C', ts: String(ts) });

    expect(await verifyAudit(store)).toMatchObject({ kind: 'intact', rows: 1201 });
  });
});

describe('sqlitePath', () => {
  it.each([
    ['sqlite:./data/oom.db', './data/oom.db'],
    ['sqlite:/var/lib/oombot/oom.db', '/var/lib/oombot/oom.db'],
    ['sqlite::memory:', ':memory:'],
  ])('%s is %s', (url, path) => {
    expect(sqlitePath(url)).toBe(path);
  });

  it.each(['postgres://host/db', 'sqlite:', ''])('refuses %j', (url) => {
    expect(() => sqlitePath(url)).toThrow(expect.objectContaining({ code: 'bad-config' }));
  });
});
