import { CamelCasePlugin, type Kysely } from 'kysely';
import type { Clock } from '../../app/ports.ts';
import { guarded } from './fault.ts';
import type { Transaction } from './journal.ts';
import type { Tables } from './tables.ts';

/**
 * How the methods of a store reach their database. Of writes one goes on at a time, whoever the others are, so what a
 * write has read stays true until it ends. All throw only OomError. A `write` may run its work more than once, each
 * time as if it were the first.
 */
export type Access = {
  readonly read: <T>(work: (db: Transaction) => Promise<T>) => Promise<T>;
  readonly write: <T>(work: (trx: Transaction) => Promise<T>) => Promise<T>;
  /** Epoch ms by the clock that all processes on this database share. */
  readonly now: (db: Transaction) => Promise<number>;
  /** Throws where the database is no longer the one that was opened. SQLite looks at its file with every query. */
  readonly checkSame?: (db: Transaction) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** SQLite: a transaction takes the write lock when it begins. One process at a time uses the file, so its clock is the one. `place` is the file, for faults. */
export function createSqliteAccess(
  raw: Kysely<Tables>,
  clock: Pick<Clock, 'now' | 'monotonic'>,
  place?: string,
): Access {
  const db = raw.withPlugin(new CamelCasePlugin());
  let closing: Promise<void> | undefined;
  // A clock that is set back must not lengthen the life of a plan.
  const ahead = clock.now() - clock.monotonic();
  return {
    read: (work) => guarded(() => work(db), place),
    write: (work) => guarded(() => db.transaction().execute(work), place),
    now: async () => Math.max(clock.now(), ahead + clock.monotonic()),
    close() {
      closing ??= guarded(() => db.destroy(), place);
      return closing;
    },
  };
}
