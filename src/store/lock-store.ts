import { DatabaseSync } from 'node:sqlite';
import { OomError } from '../model/errors.ts';
import { makePrivate } from './create-sqlite-store.ts';
import { atPlace, isBusy, storeFault } from './database/fault.ts';

/** Held until `release`, or until the process ends in whatever way. */
type StoreLock = { release(): void };

/**
 * Makes this process the only one that serves from a SQLite file, by a transaction on `<path>.lock` that is open for
 * life: the kernel drops it with the process. Throws OomError `store-busy` at once where another holds it. What only
 * reads the store, or adds to it, does not ask for it.
 */
export function lockStore(path: string): StoreLock {
  if (path === ':memory:') return { release: () => undefined };
  const database = openLock(path);
  return {
    release: () => {
      if (database.isOpen) database.close();
    },
  };
}

function openLock(path: string): DatabaseSync {
  const file = `${path}.lock`;
  let database: DatabaseSync | undefined;
  try {
    makePrivate(file);
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('begin exclusive');
    return database;
  } catch (error) {
    database?.close();
    throw atPlace(isBusy(error) ? taken(error) : storeFault(error), path);
  }
}

function taken(cause: unknown): OomError {
  return new OomError('store-busy', 'Another oombot is using this database.', {
    next: 'Stop it first. To run several replicas use PostgreSQL: set `store.url` (or DATABASE_URL) to `postgres://…`.',
    cause,
  });
}
