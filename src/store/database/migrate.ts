import { type Kysely, sql } from 'kysely';
import { OomError } from '../../model/errors.ts';
import { type DialectName, MIGRATIONS } from './migrations.ts';

type WithMigrations = { oom_migration: { version: number; name: string; at: number } };

export type AddedMigration = { readonly version: number; readonly name: string };

type MigrateOptions = {
  readonly dialect: DialectName;
  /** Epoch ms, for the record. */
  readonly at: number;
  /** Taken before anything is looked at, where the transaction alone keeps nobody out. */
  readonly lock?: (trx: Kysely<unknown>) => Promise<void>;
  /** An empty database is refused: there was one before. */
  readonly mustExist?: boolean | undefined;
  /** Migrations of others in the same database, made under the same lock, after ours. */
  readonly also?: () => Promise<void>;
};

/**
 * Brings the database to the newest version, in one transaction that holds a lock, so that of several that start at
 * once one works and the others find it done. Answers what was added.
 */
export async function migrate(
  db: Kysely<unknown>,
  { dialect, at, lock, also, mustExist }: MigrateOptions,
): Promise<readonly AddedMigration[]> {
  return db.transaction().execute(async (trx) => {
    await lock?.(trx);
    await sql`create table if not exists oom_migration (version integer primary key, name text not null, at bigint not null)`.execute(
      trx,
    );
    const table = trx as unknown as Kysely<WithMigrations>;
    const row = await table
      .selectFrom('oom_migration')
      .select(({ fn }) => fn.max('version').as('version'))
      .executeTakeFirst();
    const current = Number(row?.version ?? 0);
    refuseNewer(current);
    if (mustExist && current === 0) throw emptied();
    const added: AddedMigration[] = [];
    for (const [index, { name, up }] of MIGRATIONS.entries()) {
      const version = index + 1;
      if (version <= current) continue;
      await up(trx, dialect);
      await table.insertInto('oom_migration').values({ version, name, at }).execute();
      added.push({ version, name });
    }
    await also?.();
    return added;
  });
}

/** When the database was made, epoch ms: one that was made again, or another, has another time. */
export async function madeAt(db: Kysely<unknown>): Promise<number | undefined> {
  const { rows } = await sql<{ at: number }>`select at from oom_migration where version = 1`.execute(db);
  return rows[0]?.at;
}

function emptied(): OomError {
  return new OomError('store-failed', 'The database is empty, but `store.mustExist` is set.', {
    next: 'Restore a backup and check `store.url`. To start empty, run `oom migrate`.',
  });
}

function refuseNewer(current: number): void {
  if (current <= MIGRATIONS.length) return;
  throw new OomError(
    'store-failed',
    `A newer oombot wrote this database: version ${current}, this release knows ${MIGRATIONS.length}.`,
    { next: 'Use the newer release, or restore the backup from before the upgrade.' },
  );
}
