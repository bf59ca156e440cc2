import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { verifyAudit } from '../../src/store/database/audit-chain.ts';
import type { DurableStore } from '../../src/store/kysely-store.ts';
import { createPostgresStore } from '../../src/store/postgres/create-postgres-store.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { createSystemIds } from '../../src/system/ids.ts';
import { isReachable } from '../../src/wire/open-store.ts';
import { actStoreContract } from '../contracts/act-store.ts';
import { alertStoreContract } from '../contracts/alert-store.ts';
import { ledgerContract } from '../contracts/ledger.ts';
import { aFinding, recordIncidents, storeContract } from '../contracts/store.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeIds } from '../fakes/ids.ts';
import { aClick, aPlan } from '../fakes/plans.ts';
import { gateBefore, hasPostgres, type PlaceInPostgres, placeInPostgres } from './postgres-server.ts';

const drops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const drop of drops.splice(0)) await drop();
});

async function aPlace(parameters?: Readonly<Record<string, string>>): Promise<PlaceInPostgres> {
  const place = await placeInPostgres(parameters);
  drops.push(place.drop);
  return place;
}
const real = { clock: createSystemClock(), ids: createSystemIds() };
const openFake = (url: string) => {
  const clock = createFakeClock();
  return createPostgresStore({ url, clock, ids: createFakeIds(), now: clock.now });
};
const openReal = (url: string, patienceMs = 10_000) => createPostgresStore({ url, ...real, patienceMs });

describe.runIf(hasPostgres)('on PostgreSQL', () => {
  storeContract('PostgreSQL', async () => openFake((await aPlace()).url));
  for (const [name, parameters] of [
    ['PostgreSQL', {}],
    ['PostgreSQL without prepared statements', { prepare: 'false' }],
  ] as const) {
    const make = async () => {
      const store = await openFake((await aPlace(parameters)).url);
      return { store, incidents: (count: number) => recordIncidents(store, count), close: () => store.close() };
    };
    actStoreContract(name, make);
    alertStoreContract(name, async () => openFake((await aPlace(parameters)).url));
    ledgerContract(name, make);
  }

  describe('a database that was emptied while the bot was running', () => {
    const emptied = async () => {
      const place = await aPlace();
      const store = await openReal(place.url, 100);
      onTestFinished(() => store.close());
      await store.recordFinding(aFinding());
      const schema = new URL(place.url).searchParams.get('search_path');
      await place.raw.unsafe(`drop schema ${schema} cascade; create schema ${schema}`);
      return { place, store };
    };

    it('takes nothing more and is not reachable', async () => {
      const { store } = await emptied();

      await expect(store.recordFinding(aFinding())).rejects.toMatchObject({ code: 'store-failed' });
      expect(await isReachable(store, real.clock)).toBe(false);
    });

    it('takes nothing more after another process has made it again, and is not reachable', async () => {
      const { place, store } = await emptied();
      const other = await openReal(place.url);
      onTestFinished(() => other.close());

      await expect(store.recordFinding(aFinding())).rejects.toMatchObject({ code: 'store-failed' });
      expect([await isReachable(store, real.clock), await isReachable(other, real.clock)]).toEqual([false, true]);
      expect(await other.openIncidents()).toEqual([]);
    });

    it('is refused at the next start where it must exist', async () => {
      const { place } = await emptied();
      const mustExist = true;

      await expect(createPostgresStore({ url: place.url, ...real, mustExist })).rejects.toMatchObject({
        code: 'store-failed',
      });
      await (await openReal(place.url)).close();
      await (await createPostgresStore({ url: place.url, ...real, mustExist })).close();
    });
  });

  describe('the audit', () => {
    let place: PlaceInPostgres;
    let store: DurableStore;
    beforeEach(async () => {
      place = await aPlace();
      store = await openFake(place.url);
      for (const key of ['a', 'b', 'c']) await store.recordFinding(aFinding({ draft: { key } }));
    });
    afterEach(() => store.close());

    it.each([
      `update audit set actor = 'U_STRANGER' where seq = 2`,
      'delete from audit where seq = 3',
      'truncate audit',
      'truncate audit_head',
      `insert into audit select 9, at, actor, action, subject, data, prev_hash || 'x', hash from audit where seq = 2`,
      `insert into audit select seq, at, 'U_STRANGER', action, subject, data, prev_hash || 'x', hash from audit where seq = 2
        on conflict (seq) do update set actor = excluded.actor`,
      'delete from audit_head',
      'update audit_head set seq = 1',
    ])('refuses: %s', async (statement) => {
      await expect(place.raw.unsafe(statement)).rejects.toMatchObject({ code: '23001' });
      expect(await verifyAudit(store)).toMatchObject({ kind: 'intact', rows: 3 });
    });

    it('shows a changed row, though its triggers were taken away', async () => {
      await place.raw.unsafe('drop trigger audit_keeps_rows on audit');
      await place.raw.unsafe(`update audit set actor = 'U_STRANGER' where seq = 2`);

      expect(await verifyAudit(store)).toMatchObject({ kind: 'broken', seq: 2 });
    });
  });

  it('takes findings of one key from two processes as one incident', async () => {
    const { url } = await aPlace();
    const stores = await Promise.all([openReal(url), openReal(url)]);

    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => stores[i % 2]?.recordFinding(aFinding())));

    expect(new Set(all.map((one) => one?.incident.id)).size).toBe(1);
    expect(all.map((one) => one?.incident.seen).toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    expect(await verifyAudit(stores[0])).toMatchObject({ kind: 'intact', rows: 20 });
    await Promise.all(stores.map((store) => store.close()));
  });

  it('goes by the time of the server, whatever the clocks of its processes say', async () => {
    const { url } = await aPlace();
    const year = 365 * 24 * 3_600_000;
    const [late, early] = await Promise.all(
      [-year, year].map((ahead) => {
        const clock = createFakeClock(Date.now() + ahead);
        return createPostgresStore({ url, clock, ids: createSystemIds() });
      }),
    );
    if (late === undefined || early === undefined) throw new Error('no stores');
    const { incident } = await late.recordFinding(aFinding());
    const now = await late.now();
    const open = aPlan({ incidentId: incident.id, expiresAt: now + 900_000 });
    const over = aPlan({ incidentId: incident.id, action: 'scale-up', expiresAt: now - 1 });
    for (const plan of [open, over]) await late.savePlan(plan);

    expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
    expect(await early.click(aClick(open, { at: await early.now() }))).toMatchObject({ kind: 'run' });
    // As of a process that was frozen since it read the time.
    expect(await late.click(aClick(over, { at: now - 60_000 }))).toEqual({ kind: 'refused', why: 'expired' });
    await Promise.all([late.close(), early.close()]);
  });

  it('is migrated once where five start at the same moment, with what others bring along', async () => {
    const { url, raw } = await aPlace();
    let inside = 0;
    let most = 0;
    const alsoMigrate = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await raw.unsafe('create table if not exists of_others (id integer)');
      inside -= 1;
    };

    const stores = await Promise.all(
      Array.from({ length: 5 }, () => createPostgresStore({ url, ...real, alsoMigrate })),
    );

    expect(most).toBe(1);
    const added = stores.map((store) => store.added.length).toSorted((a, b) => a - b);
    expect(added.slice(0, 4)).toEqual([0, 0, 0, 0]);
    expect(added[4]).toBeGreaterThan(0);
    await Promise.all(stores.map((store) => store.close()));
  });

  describe('a server that goes away', () => {
    let place: PlaceInPostgres;
    let gate: Awaited<ReturnType<typeof gateBefore>>;
    let store: DurableStore;
    beforeEach(async () => {
      place = await aPlace();
      gate = await gateBefore(place.url);
      store = await openReal(gate.url);
    });
    afterEach(async () => {
      await store.close();
      await gate.close().catch(() => undefined);
    });

    const openPlan = async () => {
      const { incident } = await store.recordFinding(aFinding());
      const plan = aPlan({ incidentId: incident.id, expiresAt: (await store.now()) + 900_000 });
      await store.savePlan(plan);
      return plan;
    };

    it('and comes back is waited for: all calls under way end well, each change is made once', async () => {
      const calls = Array.from({ length: 20 }, (_, i) =>
        store.recordFinding(aFinding({ draft: { key: `k${i % 4}` } })),
      );
      await calls[3];
      await gate.shut();
      const meanwhile = store.openIncidents();
      await real.clock.sleep(300);
      await gate.open();

      const all = await Promise.all(calls);

      expect(await meanwhile).not.toHaveLength(0);
      expect(new Set(all.map(({ findingId }) => findingId)).size).toBe(20);
      expect((await store.openIncidents()).map(({ seen }) => seen)).toEqual([5, 5, 5, 5]);
      expect(await verifyAudit(store)).toMatchObject({ kind: 'intact', rows: 20 });
    });

    it('just after it has heard `commit` has committed: the change is not made again', async () => {
      const plan = await openPlan();
      const cut = gate.cutAfter((chunk) => /commit\0/.test(chunk));

      const outcome = await store.click(aClick(plan));
      await cut;

      expect(outcome).toMatchObject({ kind: 'run' });
      expect(await store.openRuns()).toHaveLength(1);
      const actions = (await store.auditRows(1, 100)).map(({ action }) => action);
      expect(actions).toEqual(['finding-recorded', 'plan-made', 'approval-given', 'run-queued']);
    });

    it('in the middle of a transaction has undone it: the change is made anew', async () => {
      const plan = await openPlan();
      const cut = gate.cutAfter((chunk) => chunk.includes('insert into "run"'));

      const outcome = await store.click(aClick(plan));
      await cut;

      expect(outcome).toMatchObject({ kind: 'run' });
      expect(await store.openRuns()).toHaveLength(1);
      expect(await store.auditRows(1, 100)).toHaveLength(4);
    });

    it('between two statements of a transaction is noticed, and no statement runs outside of it', async () => {
      await store.recordFinding(aFinding());
      // A lock makes the transaction wait in its middle, where its session is ended.
      await place.raw.unsafe('begin');
      await place.raw.unsafe('lock table finding in access exclusive mode');
      const recording = store.recordFinding(aFinding());
      const ended = async () => {
        // Within a transaction the server shows the same picture of its sessions again and again.
        await place.raw.unsafe('select pg_stat_clear_snapshot()');
        return place.raw.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'oombot' and wait_event_type = 'Lock' and query like '%"finding"%'`);
      };
      while ((await ended()).length === 0) await real.clock.sleep(5);
      await place.raw.unsafe('commit');

      expect((await recording).incident.seen).toBe(2);
      expect(await verifyAudit(store)).toMatchObject({ kind: 'intact', rows: 2 });
    });

    it('for longer than one waits is said, with what to do, and healed when it is back', async () => {
      await store.close();
      store = await openReal(gate.url, 200);
      await gate.shut();

      const failing = store.recordFinding(aFinding());

      await expect(failing).rejects.toMatchObject({
        name: 'OomError',
        code: 'store-failed',
        message: expect.stringContaining('Cannot reach PostgreSQL'),
        next: expect.stringContaining('DATABASE_URL'),
      });
      await gate.open();
      expect(await store.recordFinding(aFinding())).toMatchObject({ isNew: true });
    });
  });

  it.each([
    ['a database that is not there', (url: URL) => (url.pathname = '/nowhere'), /no such database/],
    ['a port where nothing listens', (url: URL) => (url.port = '1'), /Cannot reach PostgreSQL/],
  ])('%s is told with what to do, without the address', async (_name, spoil, message) => {
    const url = new URL((await aPlace()).url);
    spoil(url);
    url.password = 's3cret';

    const opening = openReal(url.href);

    await expect(opening).rejects.toMatchObject({ code: 'store-failed', message: expect.stringMatching(message) });
    await expect(opening).rejects.toMatchObject({ next: expect.stringMatching(/store\.url/) });
    await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining('s3cret') });
  });

  it('is refused with words when it is newer than the binary', async () => {
    const { url, raw } = await aPlace();
    await (await openReal(url)).close();
    await raw.unsafe(`insert into oom_migration (version, name, at) values (99, 'of the future', 0)`);

    await expect(openReal(url)).rejects.toMatchObject({ message: expect.stringContaining('newer oombot') });
  });
});

it('the address of PostgreSQL that cannot be read is refused without being shown', async () => {
  const opening = openReal('postgres://u:pa/s3cret@h/d');

  await expect(opening).rejects.toMatchObject({ code: 'bad-config' });
  const error = await opening.catch((thrown: unknown) => thrown);
  expect(JSON.stringify(error) + String(error) + String((error as Error).cause)).not.toContain('s3cret');
});
