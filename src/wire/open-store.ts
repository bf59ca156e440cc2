import { existsSync, statSync, writeFileSync } from 'node:fs';
import type { Clock, Ids } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { createSqliteStore, sqlitePath } from '../store/create-sqlite-store.ts';
import type { DurableStore } from '../store/kysely-store.ts';
import { lockStore } from '../store/lock-store.ts';
import { isPostgresUrl } from '../store/postgres/postgres-url.ts';

export type { DurableStore } from '../store/kysely-store.ts';

type OpenStoreOptions = {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Of those who ask for this, one process at a time gets a SQLite file; PostgreSQL serves several. */
  readonly exclusive?: boolean;
  /** An empty store is refused, in the place of being made. */
  readonly mustExist?: boolean | undefined;
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
    if (exclusive) refuseEmpty(path);
    const store = await createSqliteStore({ path, ...tools });
    if (exclusive && path !== ':memory:') writeFileSync(markOf(path), '', { mode: 0o600 });
    return {
      ...store,
      takeOverMs: exclusive ? 0 : undefined,
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

function markOf(path: string): string {
  return `${path}.made`;
}

// A lost volume or a wrong path must not pass for a first start: approvals, runs and the audit would be gone without a word.
function refuseEmpty(path: string): void {
  if (path === ':memory:' || !existsSync(markOf(path))) return;
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  throw new OomError('store-failed', `The database ${path} is empty, but there was one before.`, {
    next: `Restore the file, or remove ${markOf(path)} to start with an empty database.`,
  });
}

const ANSWER_MS = 2000;

/** Whether the store answers in time, for `/readyz`. */
export async function isReachable(store: Pick<DurableStore, 'auditHead'>, clock: Clock): Promise<boolean> {
  const answered = new AbortController();
  const late = clock.sleep(ANSWER_MS, answered.signal).then(
    () => false,
    () => false,
  );
  const head = store.auditHead().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([head, late]);
  } finally {
    answered.abort();
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
    throw new OomError('store-failed', `Cannot open the database ${path}.`, {
      next: 'Run as its owner, or check the permissions of its folder.',
      cause,
    });
  }
}
