import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateEngine } from '../../../../src/steps/open-backend.ts';
import { createSystemClock } from '../../../../src/system/clock.ts';
import { createSystemIds } from '../../../../src/system/ids.ts';
import { openStore } from '../../../../src/wire/open-store.ts';
import { openPostgres, type PrivatePostgres } from '../../../steps/private-postgres.ts';
import {
  ALL_CASES,
  CASES_OF_POSTGRES,
  idOf,
  type KillCase,
  type KillPlace,
  killOnce,
  sayCase,
  wanted,
} from './kill-case.ts';
import { type KillLab, openKillLab } from './kill-lab.ts';

// Each kill point is a test of its own, so that it is listed with its outcome. Many at a time: they mostly wait.
const AT_ONCE = 8;
const CLOSE_MS = 120_000;
const LIMIT = { timeout: 720_000 };

const server = await openPostgres();
let lab: KillLab;
beforeAll(async () => {
  lab = await openKillLab();
  await migrate(fileOf('migrated'));
});
// A database of each case is dropped.
afterAll(async () => {
  await lab?.close();
  await server?.close();
}, CLOSE_MS);

const queue = limit(AT_ONCE);

async function check(one: KillCase, place: KillPlace): Promise<void> {
  const outcome = await killOnce(lab, one, place);

  expect(outcome).toEqual({ ...wanted(one), absorbed: expect.any(Number) });
  // At most the one effect that was under way comes again.
  expect(outcome.absorbed).toBeLessThanOrEqual(1);
}

describe('on SQLite', () => {
  for (const one of ALL_CASES) {
    it.concurrent(sayCase(one), LIMIT, () =>
      queue(async () => {
        copyFileSync(pathOf('migrated'), pathOf(idOf(one)));
        await check(one, { ward: 'sqlite', store: fileOf(idOf(one)) });
      }),
    );
  }
});

describe.skipIf(server === undefined)('on PostgreSQL', () => {
  const postgres = server as PrivatePostgres;
  let migrated: string;
  beforeAll(async () => {
    migrated = await postgres.database('migrated');
    await migrate(migrated);
  });

  for (const one of CASES_OF_POSTGRES) {
    it.concurrent(sayCase(one), LIMIT, () =>
      queue(async () => {
        const store = await postgres.database(idOf(one), migrated);
        // PostgreSQL counts its leases by its own clock.
        const expireLease = async (): Promise<void> => {
          const expired = `update openworkflow.workflow_runs set available_at = now() where status = 'running'`;
          await postgres.query(store, expired);
        };
        await check(one, { ward: 'postgres', store, expireLease });
      }),
    );
  }
});

const pathOf = (name: string): string => join(lab.folder, `${name}.db`);
const fileOf = (name: string): string => `sqlite:${pathOf(name)}`;

async function migrate(url: string): Promise<void> {
  const tools = { clock: createSystemClock(), ids: createSystemIds() };
  const store = await openStore(url, { ...tools, alsoMigrate: () => migrateEngine(url) });
  await store.close();
}

function limit(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (work) => {
    while (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    free -= 1;
    try {
      return await work();
    } finally {
      free += 1;
      waiting.shift()?.();
    }
  };
}
