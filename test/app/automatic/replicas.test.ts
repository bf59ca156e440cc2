import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSqliteStore } from '../../../src/store/create-sqlite-store.ts';
import { createSystemIds } from '../../../src/system/ids.ts';
import { replicasContract, storeClock } from './replicas.ts';

replicasContract('one SQLite file', async (clock) => {
  const folder = mkdtempSync(join(tmpdir(), 'oom-replicas-'));
  const open = () =>
    createSqliteStore({ path: join(folder, 'oom.db'), clock: storeClock(clock), ids: createSystemIds() });
  const stores = [await open(), await open()] as const;
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.close()));
    rmSync(folder, { recursive: true, force: true });
  });
  return stores;
});
