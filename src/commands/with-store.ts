import { createSystemClock } from '../system/clock.ts';
import { createSystemIds } from '../system/ids.ts';
import { type DurableStore, missingFile, openStore } from '../wire/open-store.ts';

type Opening = { readonly url: string; readonly mustExist?: boolean; readonly alsoMigrate?: () => Promise<void> };

/**
 * Opens the store for one command, and closes it. A command that only reads gives `ifMissing`, called with the path of a
 * SQLite file that does not exist: a read never creates it. Throws OomError `store-failed`.
 */
export async function withStore<T>(
  { url, mustExist, alsoMigrate }: Opening,
  work: (store: DurableStore) => Promise<T>,
  ifMissing?: (path: string) => T | Promise<T>,
): Promise<T> {
  const missing = ifMissing && missingFile(url);
  if (ifMissing && missing !== undefined) return ifMissing(missing);
  const tools = { clock: createSystemClock(), ids: createSystemIds() };
  const store = await openStore(url, { ...tools, mustExist, ...(alsoMigrate ? { alsoMigrate } : {}) });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
