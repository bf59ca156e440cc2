import { type Kysely, sql } from 'kysely';
import { OomError } from '../model/errors.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';

type WithMigrations = { oom_migration: { version: number; name: string; at: number } };

/**
 * Brings the database to the newest version, in one transaction that holds the write lock, so that of several that
 * start at once one works and the others find it done. Answers the versions that were added.
 */
export async function migrate(
  db: Kysely<unknown>,
  at: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly number[]> {
  return db.transaction().execute(async (trx) => {
    await sql`create table if not exists oom_migration (version integer primary key, name text not null, at bigint not null)`.execute(
      trx,
    );
    const table = trx as unknown as Kysely<WithMigrations>;
    const row = await table
      .selectFrom('oom_migration')
      .select(({ fn }) => fn.max('version').as('version'))
      .executeTakeFirst();
    const current = Number(row?.version ?? 0);
    refuseNewer(current, migrations.length);
    const added: number[] = [];
    for (const [index, migration] of migrations.entries()) {
      const version = index + 1;
      if (version <= current) continue;
      await migration.up(trx);
      await table.insertInto('oom_migration').values({ version, name: migration.name, at }).execute();
      added.push(version);
    }
    return added;
  });
}

function refuseNewer(current: number, known: number): void {
  if (current <= known) return;
  throw new OomError(
    'store-failed',
    `The store was written by a newer oombot: it has version ${current}, this one knows ${known}.`,
    { next: 'Start the newer release again, or restore the backup from before the upgrade.' },
  );
}
