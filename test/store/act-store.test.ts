import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts';
import { type ActStoreUnderTest, actStoreContract } from '../contracts/act-store.ts';
import { recordIncidents } from '../contracts/store.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeIds } from '../fakes/ids.ts';
import { exampleIncident } from '../model/examples.ts';

const folder = mkdtempSync(join(tmpdir(), 'oom-act-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
async function onSqlite(path: string): Promise<ActStoreUnderTest> {
  const store = await createSqliteStore({ path, clock: createFakeClock(), ids: createFakeIds() });
  return { store, incidents: (count) => recordIncidents(store, count), close: () => store.close() };
}

actStoreContract('SQLite in memory', () => onSqlite(':memory:'));
actStoreContract('SQLite in a file', () => {
  files += 1;
  return onSqlite(join(folder, `${files}.db`));
});
