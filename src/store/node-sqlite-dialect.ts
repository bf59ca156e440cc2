import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Clock } from '../app/ports.ts';
import { isBusy } from './database/fault.ts';

type BusyOptions = {
  readonly clock: Clock;
  readonly busyTimeoutMs: number;
  /** Throws where the file is no longer the one that was opened. */
  readonly check?: () => void;
};

/**
 * Kysely over Node's own SQLite, so that no native module has to be built. Kysely's SQLite dialect begins transactions
 * deferred: one that reads first and writes later then fails at once where another process wrote in between, whatever
 * busy_timeout says. Here a transaction takes the write lock when it begins, and waits for it without blocking the
 * process: SQLite's own wait would hold up every acknowledgement meanwhile.
 */
export function createNodeSqliteDialect(database: DatabaseSync, busy: BusyOptions): Dialect {
  return {
    createDriver: (): Driver => createDriver(database, busy),
    // Says that there is one connection, so that Kysely lets one transaction at a time through.
    createAdapter: (): DialectAdapter => new SqliteAdapter(),
    createQueryCompiler: (): QueryCompiler => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>): DatabaseIntrospector => new SqliteIntrospector(db),
  };
}

const RETRY_MS = 20;
const MOST_PREPARED = 500;

function createDriver(database: DatabaseSync, { clock, busyTimeoutMs, check = () => undefined }: BusyOptions): Driver {
  const connection = createConnection(database, check);
  const run = async (text: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(text));
  };
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: async () => {
      const until = clock.now() + busyTimeoutMs;
      for (;;) {
        try {
          return await run('begin immediate');
        } catch (error) {
          if (!isBusy(error) || clock.now() >= until) throw error;
        }
        await clock.sleep(RETRY_MS);
      }
    },
    commitTransaction: () => run('commit'),
    // SQLite ends a transaction by itself on some faults (disk full, I/O): a second end would hide the first fault.
    rollbackTransaction: async () => {
      if (database.isTransaction) await run('rollback');
    },
    releaseConnection: async () => {},
    destroy: async () => database.close(),
  };
}

function createConnection(database: DatabaseSync, check: () => void): DatabaseConnection {
  const prepare = createPreparer(database);
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      // What was begun is still rolled back.
      if (sql !== 'rollback') check();
      const { statement, answersRows } = prepare(sql);
      const values = parameters as readonly SQLInputValue[];
      if (answersRows) return { rows: statement.all(...values) as R[] };
      const { changes } = statement.run(...values);
      return { rows: [], numAffectedRows: BigInt(changes) };
    },
    // biome-ignore lint/correctness/useYield: rows are never streamed from here
    async *streamQuery() {
      throw new Error('rows are not streamed');
    },
  };
}

type Prepared = { readonly statement: StatementSync; readonly answersRows: boolean };

// Preparing took a quarter of the time of all statements. Kysely's text depends on its query alone, so a few hundred are all there are.
function createPreparer(database: DatabaseSync): (sql: string) => Prepared {
  const prepared = new Map<string, Prepared>();
  return (sql) => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    const made = { statement, answersRows: statement.columns().length > 0 };
    if (prepared.size === MOST_PREPARED) prepared.delete(prepared.keys().next().value ?? '');
    prepared.set(sql, made);
    return made;
  };
}
