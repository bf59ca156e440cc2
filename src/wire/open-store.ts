import type { Clock, Ids, Store } from '../app/ports.ts';
import { createSqliteStore, sqlitePath } from '../store/create-sqlite-store.ts';

/** The store that the configuration names. */
export function openStore(url: string, tools: { clock: Clock; ids: Ids }): Promise<Store> {
  return createSqliteStore({ path: sqlitePath(url), ...tools });
}
