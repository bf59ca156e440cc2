import { createSqliteStore } from '../../src/store/create-sqlite-store.ts';
import { actStoreContract } from '../contracts/act-store.ts';
import { recordIncidents } from '../contracts/store.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeIds } from '../fakes/ids.ts';

actStoreContract('SQLite', async () => {
  const store = await createSqliteStore({ path: ':memory:', clock: createFakeClock(), ids: createFakeIds() });
  return { store, incidents: (count) => recordIncidents(store, count), close: () => store.close() };
});
