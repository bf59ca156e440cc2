import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../src/store/database/audit-chain.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { createSystemIds } from '../../src/system/ids.ts';
import { type DurableStore, openStore } from '../../src/wire/open-store.ts';
import { recordIncidents } from '../contracts/store.ts';
import { aPlan } from '../fakes/plans.ts';
import { hasPostgres, placeInPostgres } from './postgres-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'oom-clicks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Told = { readonly planId: string; readonly who: string; readonly kind: string; readonly run: string | null };

const tools = { clock: createSystemClock(), ids: createSystemIds() };

async function withPlans(url: string, count: number): Promise<DurableStore> {
  const store = await openStore(url, tools);
  for (const incidentId of await recordIncidents(store, count)) {
    await store.savePlan(aPlan({ incidentId, approvals: 2, proposedBy: 'U_NOBODY', expiresAt: Date.now() + 900_000 }));
  }
  return store;
}

/** One process that clicks; `onTold` may do something to it. */
async function clickAll(url: string, onTold: (child: ChildProcess, count: number) => void): Promise<readonly Told[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'click-writer.ts'), url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told: Told[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(JSON.parse(line));
    onTold(child, told.length);
  }
  return told;
}

async function expectOneRunEach(store: DurableStore, told: readonly Told[]): Promise<void> {
  for (const { id } of await store.openIncidents()) {
    for (const plan of await store.plansOf(id)) {
      const runs = (await store.runsOf(id)).map((run) => run.id);
      const votes = (await store.approvals(plan.id)).map(({ who }) => who);
      const heard = told.filter(({ planId }) => planId === plan.id);
      expect(plan.state).toBe('used');
      expect(runs).toHaveLength(1);
      expect(votes.toSorted()).toEqual(['U_APPROVER', 'U_ONCALL']);
      // At most once, since the answer may have died with its process; and never another than the one that is kept.
      expect([[], runs]).toContainEqual(heard.flatMap(({ run }) => run ?? []));
    }
  }
  expect(await verifyAudit(store)).toMatchObject({ kind: 'intact' });
}

const PLACES = [
  ['SQLite', async () => ({ url: `sqlite:${join(folder, 'oom.db')}`, drop: async () => {} })],
  ...(hasPostgres ? [['PostgreSQL', placeInPostgres] as const] : []),
] as const;

describe.each(PLACES)('on %s', (_name, makePlace) => {
  it('two processes that click the same plans and are killed amid it leave one run for each plan, and lose no vote', async () => {
    const { url, drop } = await makePlace();
    const store = await withPlans(url, 60);
    const told: Told[] = [];

    for (const count of [1, 9, 22, 47, 70]) {
      const kill = (child: ChildProcess, heard: number) => {
        if (heard === count) child.kill('SIGKILL');
      };
      const both = await Promise.all([clickAll(url, kill), clickAll(url, kill)]);
      told.push(...both.flat());
    }
    const voted = told.filter(({ kind }) => kind === 'counted' || kind === 'run');
    for (const { planId, who } of voted) expect((await store.approvals(planId)).map((a) => a.who)).toContain(who);
    told.push(...(await clickAll(url, () => {})));

    await expectOneRunEach(store, told);
    await store.close();
    await drop();
  });
});

describe.runIf(hasPostgres)('on PostgreSQL', () => {
  it('a process that is frozen amid its clicks holds up the others for seconds, and does no harm once it is thawed', async () => {
    const { url, drop } = await placeInPostgres();
    const store = await withPlans(url, 30);
    let frozen: ChildProcess | undefined;
    const first = clickAll(url, (child, heard) => {
      if (heard !== 10) return;
      child.kill('SIGSTOP');
      frozen = child;
    });
    while (frozen === undefined) await tools.clock.sleep(5);

    const second = await clickAll(url, () => {});
    await expectOneRunEach(store, second);
    frozen.kill('SIGCONT');

    await expectOneRunEach(store, [...second, ...(await first)]);
    await store.close();
    await drop();
  });
});
