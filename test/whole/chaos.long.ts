import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres, type PrivatePostgres } from '../steps/private-postgres.ts';
import { type Chaos, openChaos } from './chaos.ts';

// `npm run chaos` kills 200 times per store. OOM_CHAOS_SEED repeats the kills of a failure.
const KILLS = Number(process.env.OOM_CHAOS_KILLS ?? '20');
const SEED = Number(process.env.OOM_CHAOS_SEED ?? Date.now() % 2 ** 31);
const AT_ONCE = 2;
const LIMIT_MS = KILLS * 60_000;
// About as long as a step takes.
const LONGEST_MS = 700;
const KILL = fc.record({ at: fc.nat(2), afterMs: fc.integer({ min: 0, max: LONGEST_MS }) });

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
  const kills = fc.sample(KILL, { numRuns: KILLS, seed: SEED }).entries();
  const work = async (): Promise<void> => {
    for (const [n, kill] of kills) {
      const missing = await chaos.killOnce(await storeOf(n), kill);
      found.push(...missing.map((one) => `kill ${n} (step ${kill.at}, after ${kill.afterMs} ms): ${one}`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
};

describe(`under ${KILLS} kills there is no change without a message and no acknowledged click without an answer`, () => {
  it('on SQLite', { timeout: LIMIT_MS }, async () => {
    const found = await faults(async () => (folder) => `sqlite:${join(folder, 'chaos.db')}`);

    expect(found, `OOM_CHAOS_SEED=${SEED}`).toEqual([]);
  });

  it.skipIf(server === undefined)('on PostgreSQL', { timeout: LIMIT_MS }, async () => {
    const postgres = server as PrivatePostgres;
    const found = await faults(async (n) => {
      const url = await postgres.database(`chaos_${n}`);
      return () => url;
    });

    expect(found, `OOM_CHAOS_SEED=${SEED}`).toEqual([]);
  });
});
