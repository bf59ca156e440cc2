import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Pool } from './pool.ts';
import type { Session } from './session.ts';

/**
 * Kysely over `postgres`. Not kysely-postgres-js, which reserves connections: one that dies while it is reserved returns
 * among the good ones, and what is written to it next ends the process with a TypeError out of a timer.
 */
export function createPostgresDialect(pool: Pool): Dialect {
  return {
    createDriver: () => createDriver(pool),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  };
}

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

function createDriver(pool: Pool): Driver {
  const sessions = new WeakMap<DatabaseConnection, Session>();
  const run = async (connection: DatabaseConnection, text: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(text));
  };
  return {
    init: async () => {},
    async acquireConnection() {
      const session = await pool.acquire();
      const connection = createConnection(session);
      sessions.set(connection, session);
      return connection;
    },
    beginTransaction: (connection) => run(connection, 'begin'),
    commitTransaction: (connection) => run(connection, 'commit'),
    async rollbackTransaction(connection) {
      // With the session the transaction is gone too; a second fault would hide the first.
      if (sessions.get(connection)?.lost === false) await run(connection, 'rollback');
    },
    async releaseConnection(connection) {
      const session = sessions.get(connection);
      if (session !== undefined) pool.release(session);
    },
    destroy: () => pool.end(),
  };
}

function createConnection(session: Session): DatabaseConnection {
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery) {
      const { rows, command, count } = await session.query(sql, parameters);
      return {
        rows: rows as R[],
        ...(CHANGES.has(command) ? { numAffectedRows: BigInt(count) } : {}),
      };
    },
    // biome-ignore lint/correctness/useYield: rows are never streamed from here
    async *streamQuery() {
      throw new Error('rows are not streamed');
    },
  };
}
