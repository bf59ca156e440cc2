import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres, type PrivatePostgres } from '../steps/private-postgres.ts';
import { type Chaos, openChaos } from './chaos.ts';

// `npm run chaos` kills 200 times per store.
const KILLS = Number(process.env.OOM_CHAOS_KILLS ?? '20');
const AT_ONCE = 2;
const LIMIT_MS = KILLS * 30_000;
// About as long as a step takes.
const LONGEST_MS = 700;

const server = await openPostgres();
let chaos: Chaos;
beforeAll(async () => {
  chaos = await openChaos();
}, 60_000);
afterAll(async () => {
  chaos?.close();
  await server?.close();
});

const faults = async (storeOf: (n: number) => Promise<(folder: string) => string>): Promise<string[]> => {
  const found: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let n = next++; n < KILLS; n = next++) {
      const afterMs = Math.random() * LONGEST_MS;
      const missing = await chaos.killOnce(await storeOf(n), n % 3, afterMs);
      found.push(...missing.map((one) => `${one} (step ${n % 3}, killed after ${Math.round(afterMs)} ms)`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
};

describe(`under ${KILLS} kills there is no change without a message and no acknowledged click without an answer`, () => {
  it('on SQLite', { timeout: LIMIT_MS }, async () => {
    expect(await faults(async () => (folder) => `sqlite:${join(folder, 'chaos.db')}`)).toEqual([]);
  });

  it.skipIf(server === undefined)('on PostgreSQL', { timeout: LIMIT_MS }, async () => {
    const postgres = server as PrivatePostgres;
    const database = async (n: number) => {
      const url = await postgres.database(`chaos_${n}`);
      return () => url;
    };

    expect(await faults(database)).toEqual([]);
  });
});
