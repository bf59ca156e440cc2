import type { Clock, Ids, Store } from '../app/ports.ts';

export type SqliteStoreOptions = {
  /** A file path, or `:memory:`. */
  readonly path: string;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** Durable state in one SQLite file, which is made with mode 0600. Throws OomError `store-failed` or `store-busy`. */
export function createSqliteStore(_options: SqliteStoreOptions): Promise<Store> {
  throw new Error('not built yet');
}
