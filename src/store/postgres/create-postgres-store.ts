import { Kysely, sql } from 'kysely';
import type { Clock, Ids } from '../../app/ports.ts';
import { OomError } from '../../model/errors.ts';
import { guarded } from '../database/fault.ts';
import { type AddedMigration, madeAt, migrate } from '../database/migrate.ts';
import type { Tables } from '../database/tables.ts';
import { createKyselyStore, type DurableStore } from '../kysely-store.ts';
import { createPool } from './pool.ts';
import { createPostgresAccess } from './postgres-access.ts';
import { createPostgresDialect } from './postgres-dialect.ts';
import { checkPostgresUrl, postgresPlace } from './postgres-url.ts';

type PostgresStoreOptions = {
  /** `postgres://user:password@host/database`; with `?prepare=false` behind a pooler that gives a connection to a transaction. */
  readonly url: string;
  readonly clock: Clock;
  readonly ids: Ids;
  /** How long a call goes on trying while PostgreSQL is away, in ms; 15,000 unless told. */
  readonly patienceMs?: number;
  /** Epoch ms in the place of the server's own time, which else all processes go by. */
  readonly now?: () => number;
  /** An empty database is refused. */
  readonly mustExist?: boolean | undefined;
  /** Migrations of others in the same database, made while ours hold the lock. */
  readonly alsoMigrate?: () => Promise<void>;
};

// Writers take turns, so that more connections would only wait.
const SESSIONS = 4;
const ANSWER_MS = 30_000;
const MIGRATE_MS = 300_000;
// `oombot` in ASCII: whoever else uses advisory locks in this database has another number.
const LOCK = 0x6f6f6d626f74;
// A server that was away has lost sight of who still serves. By then their last act, of 10 s at most, has ended.
const TAKE_OVER_MS = 11_000;
const OLDEST = 140_000;

/** Durable state in PostgreSQL 14 or newer, for several processes at once. Throws OomError `bad-config`, `store-failed` or `store-busy`. */
export function createPostgresStore(options: PostgresStoreOptions): Promise<DurableStore> {
  const { url, clock, ids, patienceMs = 15_000, now } = options;
  const place = postgresPlace(url);
  return guarded(async () => {
    checkPostgresUrl(url);
    const { added, made, isAlone } = await migratePostgres(options);
    const pool = createPool({ url, clock, answerMs: ANSWER_MS, size: SESSIONS });
    const db = new Kysely<Tables>({ dialect: createPostgresDialect(pool) });
    const access = createPostgresAccess(db, { clock, patienceMs, now, place, made });
    return createKyselyStore(access, { clock, ids, added, takeOverMs: isAlone ? TAKE_OVER_MS : undefined });
  }, place);
}

type Migrated = { added: readonly AddedMigration[]; made: number | undefined; isAlone: boolean };

async function migratePostgres({ url, clock, alsoMigrate, mustExist }: PostgresStoreOptions): Promise<Migrated> {
  const pool = createPool({ url, clock, answerMs: MIGRATE_MS, size: 1 });
  const db = new Kysely<unknown>({ dialect: createPostgresDialect(pool) });
  const also = alsoMigrate === undefined ? {} : { also: alsoMigrate };
  try {
    const at = clock.now();
    const isAlone = await hasNoOthers(db);
    const added = await migrate(db, { dialect: 'postgres', at, lock: lockMigrations, mustExist, ...also });
    return { added, made: await madeAt(db), isAlone };
  } finally {
    await db.destroy();
  }
}

// Every process has sessions open for as long as it lives, and the server sees them end with it.
async function hasNoOthers(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
    and usename = current_user and pid <> pg_backend_pid() limit 1`.execute(db);
  return rows.length === 0;
}

// For the transaction, not the session, so that it also holds behind a pooler and ends with the process.
async function lockMigrations(trx: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ version: number }>`select current_setting('server_version_num')::int as version,
    set_config('lock_timeout', ${String(MIGRATE_MS)}, true),
    set_config('idle_in_transaction_session_timeout', ${String(MIGRATE_MS)}, true)`.execute(trx);
  const version = rows[0]?.version ?? 0;
  if (version < OLDEST) {
    throw new OomError('store-failed', `PostgreSQL is too old: version ${Math.floor(version / 10_000)}.`, {
      next: 'Version 14 or newer is needed.',
    });
  }
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(trx);
}
