import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSqliteStore, openDatabase } from '../../../src/store/create-sqlite-store.ts';
import { createSystemIds } from '../../../src/system/ids.ts';
import { type OpenTwo, storeClock } from './replicas.ts';

/** Two stores on one SQLite file. */
export const openTwo: OpenTwo = async (clock) => {
  const folder = mkdtempSync(join(tmpdir(), 'oom-replicas-'));
  const path = join(folder, 'oom.db');
  const open = () => createSqliteStore({ path, clock: storeClock(clock), ids: createSystemIds() });
  const stores = [await open(), await open()] as const;
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.close()));
    rmSync(folder, { recursive: true, force: true });
  });
  const raw = openDatabase(path);
  onTestFinished(() => raw.close());
  return [...stores, async (sql) => raw.exec(sql)];
};
