import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../../src/system/clock.ts';
import { createSystemIds } from '../../../../src/system/ids.ts';
import { openStore } from '../../../../src/wire/open-store.ts';
import { openPostgres, type PrivatePostgres } from '../../../steps/private-postgres.ts';
import { DEPLOYMENT, SCALE } from './kill-kinds.ts';
import { type KillLab, openKillLab } from './kill-lab.ts';
import type { Patient } from './patient.ts';
import type { Bot } from './processes.ts';

const LIMIT_MS = 180_000;
const RACES = 4;
const server = await openPostgres();
let lab: KillLab;
beforeAll(async () => {
  lab = await openKillLab();
});
afterAll(async () => {
  await lab?.close();
  await server?.close();
});

async function ended(patient: Patient) {
  const { state } = await patient.run();
  const { changed } = await patient.look();
  return { state, changed, reports: patient.proxy.reports.length };
}

const { forward: FORWARD, changed } = DEPLOYMENT;
const WELL = { state: 'done', changed, reports: 1 };
// Long enough to do what it has still in mind when it finds the run ended.
const LINGER_MS = 700;

function start(patient: Patient): Bot {
  return lab.bot(patient.errand({ lingerMs: LINGER_MS }));
}

async function appliedOf(patient: Patient): Promise<readonly string[]> {
  return (await patient.look()).applied;
}

/** Counts that were set through /scale, in order. */
async function scaledOf(patient: Patient): Promise<readonly string[]> {
  return (await appliedOf(patient)).filter((one) => one.startsWith('/scale'));
}

/** Resolves when a request comes that fits; from then on it is held until `release`. */
function holdAt(patient: Patient, fits: (request: { method: string; path: string; effect: number }) => boolean) {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let held = false;
  patient.proxy.hold = (request) => {
    if (held || !fits(request)) return;
    held = true;
    reach();
    return released;
  };
  return { reached, release };
}

describe.skipIf(server === undefined)('replicas on PostgreSQL', () => {
  const postgres = server as PrivatePostgres;
  const expire = async (url: string) => {
    await postgres.query(url, `update openworkflow.workflow_runs set available_at = now() where status = 'running'`);
  };

  /** Freezes a bot, and has another take the run over and end it. */
  const overtake = async (frozen: Bot, patient: Patient, url: string) => {
    frozen.process.kill('SIGSTOP');
    await expire(url);
    await start(patient).exit;
  };
  const thaw = async (frozen: Bot) => {
    frozen.process.kill('SIGCONT');
    await frozen.exit;
  };

  it.each(Array.from({ length: RACES }, (_, i) => i))(
    'two that race for a run make each write once (%i)',
    { timeout: LIMIT_MS },
    async (i) => {
      const patient = await lab.open(DEPLOYMENT, {
        namespace: `race-${i}`,
        store: await postgres.database(`race_${i}`),
      });

      await Promise.all([start(patient).exit, start(patient).exit]);

      expect(await appliedOf(patient)).toEqual(FORWARD);
      expect(await ended(patient)).toEqual(WELL);
    },
  );

  it.each([1, 2, 3])(
    'one that is frozen with its write %i on the way, and thawed when another has ended the run, changes nothing',
    { timeout: LIMIT_MS },
    async (effect) => {
      const url = await postgres.database(`thawed_${effect}`);
      const patient = await lab.open(DEPLOYMENT, { namespace: `thawed-${effect}`, store: url });
      const { reached, release } = holdAt(patient, (request) => request.effect === effect);
      const frozen = start(patient);
      await reached;
      await overtake(frozen, patient, url);

      release();
      await thaw(frozen);

      expect(await appliedOf(patient)).toEqual(FORWARD);
      // The late write was refused by its tests.
      expect((await patient.look()).absorbed).toBe(1);
      expect(await ended(patient)).toEqual(WELL);
    },
  );

  it('one that is frozen between two acts finds nothing left to do', { timeout: LIMIT_MS }, async () => {
    const url = await postgres.database('thawed_gap');
    const patient = await lab.open(DEPLOYMENT, { namespace: 'thawed-gap', store: url });
    const { reached, release } = holdAt(patient, ({ path }) => path.includes('/pods'));
    const frozen = start(patient);
    await reached;
    frozen.process.kill('SIGSTOP');
    release();
    await expire(url);
    await start(patient).exit;

    await thaw(frozen);

    expect(await appliedOf(patient)).toEqual(FORWARD);
    expect(await ended(patient)).toEqual(WELL);
  });

  it('one that is frozen before it looks at its mark does not set a count', { timeout: LIMIT_MS }, async () => {
    const url = await postgres.database('scale_before');
    const patient = await lab.open(SCALE, { namespace: 'scale-before', store: url });
    let marked = false;
    patient.proxy.sent = ({ effect }) => {
      marked ||= effect === 1;
    };
    const { reached, release } = holdAt(patient, ({ method }) => marked && method === 'GET');
    const frozen = start(patient);
    await reached;
    await overtake(frozen, patient, url);

    release();
    await thaw(frozen);

    expect(await scaledOf(patient)).toEqual(['/scale 0', '/scale 1', '/scale 2']);
    expect(await ended(patient)).toEqual(WELL);
  });

  it('one that is frozen between that look and the count does not set it either', { timeout: LIMIT_MS }, async () => {
    const url = await postgres.database('scale_between');
    const patient = await lab.open(SCALE, { namespace: 'scale-between', store: url });
    const { promise: looked, resolve } = Promise.withResolvers<void>();
    let marked = false;
    const frozen = start(patient);
    patient.proxy.sent = ({ method, effect }) => {
      // The answer to the look is in its socket: what it reads when it wakes is from before.
      if (marked && method === 'GET' && frozen.process.kill('SIGSTOP')) resolve();
      marked ||= effect === 1;
    };
    await looked;
    patient.proxy.sent = undefined;
    const since = Date.now();
    await expire(url);
    await start(patient).exit;
    // Another takes over 15 s after the last beat at the earliest; an act that is older than 10 s changes nothing.
    await sleep(Math.max(0, 10_500 - (Date.now() - since)));

    await thaw(frozen);

    expect(await scaledOf(patient)).toEqual(['/scale 0', '/scale 1', '/scale 2']);
    expect(await ended(patient)).toEqual(WELL);
  });

  it('one that starts takes over soon where it is the only one, and waits for the lease where another serves', async () => {
    const url = await postgres.database('alone');
    const tools = { clock: createSystemClock(), ids: createSystemIds() };
    const first = await openStore(url, tools);
    await first.openIncidents();
    const second = await openStore(url, tools);

    expect([first.takeOverMs, second.takeOverMs]).toEqual([11_000, undefined]);
    await first.close();
    await second.close();
  });

  it.skipIf(server?.crash === undefined)(
    'goes on after PostgreSQL was killed and started again',
    { timeout: LIMIT_MS },
    async () => {
      const url = await postgres.database('restarted');
      const patient = await lab.open(DEPLOYMENT, { namespace: 'restarted', store: url });
      const { reached, release } = holdAt(patient, ({ effect }) => effect === 2);
      const bot = start(patient);
      await reached;
      postgres.crash?.();
      release();
      await sleep(2000);
      postgres.start?.();

      expect(await bot.exit).toBe(0);
      expect(await appliedOf(patient)).toEqual(FORWARD);
      expect(await ended(patient)).toEqual(WELL);
    },
  );
});

it('one that is told to stop ends its act and leaves the rest to the next', { timeout: LIMIT_MS }, async () => {
  const patient = await lab.open(DEPLOYMENT, {
    namespace: 'drained',
    store: `sqlite:${join(lab.folder, 'drained.db')}`,
  });
  const { reached, release } = holdAt(patient, ({ effect }) => effect === 2);
  const first = start(patient);
  await reached;
  first.process.kill('SIGTERM');
  await sleep(200);
  const since = Date.now();
  release();
  const [code] = (await once(first.process, 'exit')) as [number];
  const drainMs = Date.now() - since;
  // No lease is left behind, so none has to run out.
  await start(patient).exit;

  expect(code).toBe(0);
  expect(drainMs).toBeLessThan(5000);
  expect(await appliedOf(patient)).toEqual(FORWARD);
  expect(await ended(patient)).toEqual(WELL);
});
