import type { Clock, Ids } from '../app/ports.ts';
import { createSqliteStore, sqlitePath } from '../store/create-sqlite-store.ts';
import type { DurableStore } from '../store/kysely-store.ts';
import { lockStore } from '../store/lock-store.ts';

export type { DurableStore } from '../store/kysely-store.ts';

export type OpenStoreOptions = {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Of those who ask for this, one process at a time gets a SQLite file; PostgreSQL serves several. */
  readonly exclusive?: boolean;
  /** Migrations of others in the same database, made under the lock of ours. */
  readonly alsoMigrate?: () => Promise<void>;
};

/** The store that the configuration names, migrated. */
export async function openStore(
  url: string,
  { exclusive = false, ...options }: OpenStoreOptions,
): Promise<DurableStore> {
  const path = sqlitePath(url);
  const lock = exclusive ? lockStore(path) : undefined;
  try {
    const store = await createSqliteStore({ path, ...options });
    return {
      ...store,
      async close() {
        await store.close();
        lock?.release();
      },
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Whether what is kept there outlives the process: nothing may be changed in a cluster without. */
export function isLasting(url: string): boolean {
  return url !== 'sqlite::memory:';
}
