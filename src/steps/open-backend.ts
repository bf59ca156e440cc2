import { DatabaseSync } from 'node:sqlite';
import type { Backend } from 'openworkflow/internal';
import { BackendPostgres } from 'openworkflow/postgres';
import { BackendSqlite } from 'openworkflow/sqlite';

const SQLITE = 'sqlite:';

/** The engine's own tables, in the same database as ours. `migrate` only under the lock of our migrations. */
export async function openBackend(url: string, { migrate = false }: { migrate?: boolean } = {}): Promise<Backend> {
  if (!url.startsWith(SQLITE)) return BackendPostgres.connect(url, { runMigrations: migrate });
  const path = url.slice(SQLITE.length);
  const backend = BackendSqlite.connect(path, { runMigrations: migrate || path === ':memory:' });
  // As our own connection: an acknowledged step survives a power cut.
  const database: unknown = Reflect.get(backend, 'db');
  if (database instanceof DatabaseSync) database.exec('pragma synchronous = full');
  return backend;
}

/** Makes the engine's tables; what a store takes as `alsoMigrate`, since simultaneous first starts of the engine fail. */
export async function migrateEngine(url: string): Promise<void> {
  const backend = await openBackend(url, { migrate: true });
  await backend.stop();
}
