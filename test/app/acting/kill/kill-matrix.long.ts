import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres, type PrivatePostgres } from '../../../steps/private-postgres.ts';
import { ALL_CASES, killOnce, nameOf, wanted } from './kill-case.ts';
import { type KillLab, openKillLab } from './kill-lab.ts';

// Each kill point is a test of its own, so that it is listed with its outcome. Two at a time: each starts two processes.
const AT_ONCE = 3;
const LIMIT_MS = 120_000;

const server = await openPostgres();

describe.each([
  { store: 'SQLite', postgres: undefined },
  { store: 'PostgreSQL', postgres: server },
])('on $store', ({ store, postgres }) => {
  if (store === 'PostgreSQL' && postgres === undefined) {
    it.skip('kill points: PostgreSQL is not installed, and OOM_TEST_POSTGRES names none', () => {});
    return;
  }
  let lab: KillLab;
  beforeAll(async () => {
    lab = await openKillLab(ALL_CASES.map(nameOf));
  });
  afterAll(async () => {
    await lab?.close();
    await postgres?.close();
  });

  const inTurn = limit(AT_ONCE);
  it.concurrent.each(ALL_CASES.map((one) => ({ ...one, name: nameOf(one) })))(
    'a bot killed at $name ends well',
    { timeout: LIMIT_MS * 6 },
    ({ name, ...one }) =>
      inTurn(async () => {
        const url = postgres === undefined ? `sqlite:${join(lab.folder, `${name}.db`)}` : await postgres.database(name);
        const expireLease = postgres === undefined ? undefined : () => expire(postgres, url);

        const outcome = await killOnce(lab, { ...one, store: url, ...(expireLease && { expireLease }) });

        expect(outcome).toEqual({ ...wanted(one), absorbed: expect.any(Number) });
        // At most the one effect that was under way comes again.
        expect(outcome.absorbed).toBeLessThanOrEqual(1);
      }),
  );
});

// PostgreSQL counts its leases by its own clock.
async function expire(postgres: PrivatePostgres, url: string): Promise<void> {
  await postgres.query(url, `update openworkflow.workflow_runs set available_at = now() where status = 'running'`);
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
