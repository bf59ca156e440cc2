import { createSqliteStore } from '../../src/store/create-sqlite-store.ts';
import { actStoreContract } from '../contracts/act-store.ts';
import { ledgerContract } from '../contracts/ledger.ts';
import { recordIncidents } from '../contracts/store.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeIds } from '../fakes/ids.ts';

const make = async () => {
  const store = await createSqliteStore({ path: ':memory:', clock: createFakeClock(), ids: createFakeIds() });
  return { store, incidents: (count: number) => recordIncidents(store, count), close: () => store.close() };
};

actStoreContract('SQLite', make);
ledgerContract('SQLite', make);
