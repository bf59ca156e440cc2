import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { Clock, Ids } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { createSqliteAccess } from './database/access.ts';
import { guarded } from './database/fault.ts';
import { migrate } from './database/migrate.ts';
import type { Tables } from './database/tables.ts';
import { createKyselyStore, type DurableStore } from './kysely-store.ts';
import { createNodeSqliteDialect } from './node-sqlite-dialect.ts';

type SqliteStoreOptions = {
  /** A file path, or `:memory:`. */
  readonly path: string;
  /** What is open at the path; opened there where it is left out. */
  readonly database?: DatabaseSync;
  readonly clock: Clock;
  readonly ids: Ids;
  /** How long a write waits for another process, in ms; 5,000 unless told. */
  readonly busyTimeoutMs?: number;
  /** An empty database is refused. */
  readonly mustExist?: boolean | undefined;
  /** Migrations of others in the same file; made after ours, with nothing of ours open. */
  readonly alsoMigrate?: () => Promise<void>;
};

const BUSY_TIMEOUT_MS = 5000;

/** Durable state in one SQLite file, which is made with mode 0600 and its folder with it. Throws OomError `store-failed` or `store-busy`. */
export function createSqliteStore(options: SqliteStoreOptions): Promise<DurableStore> {
  const { path, clock, ids, busyTimeoutMs = BUSY_TIMEOUT_MS, alsoMigrate, mustExist } = options;
  const place = placeOf(path);
  return guarded(async () => {
    const { database = openDatabase(path, busyTimeoutMs) } = options;
    try {
      const db = new Kysely<Tables>({
        dialect: createNodeSqliteDialect(database, { clock, busyTimeoutMs, check: fileCheck(path) }),
      });
      const unknownDb = db as unknown as Kysely<unknown>;
      const added = await migrate(unknownDb, { dialect: 'sqlite', at: clock.now(), mustExist });
      await alsoMigrate?.();
      return createKyselyStore(createSqliteAccess(db, clock, place), { clock, ids, added });
    } catch (error) {
      database.close();
      throw error;
    }
  }, place);
}

/** What a fault names; nothing of a store that is in memory alone. */
function placeOf(path: string): string | undefined {
  return path === ':memory:' ? undefined : path;
}

// An open file that was removed or replaced still takes what is written, and loses it.
function fileCheck(path: string): () => void {
  if (path === ':memory:') return () => undefined;
  const own = statSync(path);
  return () => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now?.ino === own.ino && now.dev === own.dev) return;
    throw new OomError('store-failed', 'The database file was removed or replaced while the bot was running.', {
      next: 'Stop the bot, restore the file, and start it again.',
    });
  };
}

const PREFIX = 'sqlite:';

/** The path in `sqlite:./data/oom.db` or `sqlite::memory:`. */
export function sqlitePath(url: string): string {
  if (url.startsWith(PREFIX) && url.length > PREFIX.length) return url.slice(PREFIX.length);
  throw new OomError('bad-config', '`store.url` is not supported.', {
    next: 'Set `store.url` (or DATABASE_URL) to `sqlite:` and a path, or to `postgres://…`.',
  });
}

export function openDatabase(path: string, timeout = BUSY_TIMEOUT_MS): DatabaseSync {
  if (path !== ':memory:') makePrivate(path);
  const database = new DatabaseSync(path, {
    timeout,
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false,
  });
  // FULL: an acknowledged commit survives a power cut, at the cost of one fsync for each.
  // recursive_triggers: else `insert or replace` deletes without asking the triggers.
  for (const pragma of [
    'journal_mode = wal',
    'synchronous = full',
    'recursive_triggers = on',
    'trusted_schema = off',
  ]) {
    database.exec(`pragma ${pragma}`);
  }
  // From here on transactions wait by themselves; this is for what is short, as a checkpoint.
  database.exec('pragma busy_timeout = 50');
  return database;
}

// SQLite gives -wal and -shm the mode of the database file. A file that is there is not opened: to close it again would
// drop the locks that another connection of this process holds on it.
export function makePrivate(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  } catch (cause) {
    throw new OomError('store-failed', 'Cannot create the database file.', {
      next: 'Check `store.url` or DATABASE_URL, and the permissions of its folder.',
      cause,
    });
  }
}
