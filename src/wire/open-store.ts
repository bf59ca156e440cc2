import { statSync } from 'node:fs';
import type { Clock, Ids } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { createSqliteStore, sqlitePath } from '../store/create-sqlite-store.ts';
import type { DurableStore } from '../store/kysely-store.ts';
import { lockStore } from '../store/lock-store.ts';
import { isPostgresUrl } from '../store/postgres/postgres-url.ts';

export type { DurableStore } from '../store/kysely-store.ts';

export type OpenStoreOptions = {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Of those who ask for this, one process at a time gets a SQLite file; PostgreSQL serves several. */
  readonly exclusive?: boolean;
  /** Migrations of others in the same database, made under the lock of ours. */
  readonly alsoMigrate?: () => Promise<void>;
};

/** The store that the configuration names, migrated: a SQLite file, or PostgreSQL. */
export async function openStore(url: string, options: OpenStoreOptions): Promise<DurableStore> {
  const { exclusive = false, ...tools } = options;
  if (!isPostgresUrl(url)) return openSqlite(sqlitePath(url), exclusive, tools);
  // Its client is not loaded where the state is in a file.
  const { createPostgresStore } = await import('../store/postgres/create-postgres-store.ts');
  return createPostgresStore({ url, ...tools });
}

async function openSqlite(
  path: string,
  exclusive: boolean,
  tools: Omit<OpenStoreOptions, 'exclusive'>,
): Promise<DurableStore> {
  const lock = exclusive ? lockStore(path) : undefined;
  try {
    const store = await createSqliteStore({ path, ...tools });
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

/** The path of a SQLite file that is not there: nothing was kept in it, and to look must not make it. Throws OomError `store-failed` where nobody may look. */
export function missingFile(url: string): string | undefined {
  if (isPostgresUrl(url) || !isLasting(url)) return undefined;
  const path = sqlitePath(url);
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined ? path : undefined;
  } catch (cause) {
    throw new OomError('store-failed', `The store at ${path} cannot be looked at.`, {
      next: 'Ask as the user who keeps it, or check the rights of its folder.',
      cause,
    });
  }
}
