import postgres from 'postgres';
import type { Clock } from '../../app/ports.ts';
import { isConnectionFault } from '../database/fault-codes.ts';

type Answer = { readonly rows: readonly unknown[]; readonly command: string; readonly count: number };

/**
 * One connection, used by one at a time. Once `lost`, it is never used again: a client that reconnects by itself
 * would run the second half of a transaction outside of any.
 */
export type Session = {
  query(sql: string, parameters: readonly unknown[]): Promise<Answer>;
  readonly lost: boolean;
  readonly inTransaction: boolean;
  /** Ends it without waiting for what is under way. */
  end(): Promise<void>;
};

export type SessionOptions = {
  readonly url: string;
  readonly clock: Clock;
  /** Longest wait for one answer, in ms. */
  readonly answerMs: number;
};

const CONNECT_SECONDS = 5;

/** A session that connects when it is first used. */
export function createSession({ url, clock, answerMs }: SessionOptions): Session {
  const state = { lost: false, inTransaction: false };
  const client = connect(url, () => {
    state.lost = true;
  });
  const end = async (): Promise<void> => {
    state.lost = true;
    await client.end({ timeout: 0 });
  };
  return {
    get lost() {
      return state.lost;
    },
    get inTransaction() {
      return state.inTransaction;
    },
    end,
    async query(sql, parameters) {
      if (state.lost) throw connectionFault('CONNECTION_CLOSED', 'the connection was lost');
      try {
        const answer = await within(
          client.unsafe(sql, [...parameters] as string[], { prepare: true }),
          clock,
          answerMs,
        );
        const { command = '', count } = answer;
        state.inTransaction = staysOpen(command, state.inTransaction);
        return { rows: [...answer], command, count };
      } catch (error) {
        if (isConnectionFault(error)) await end();
        throw error;
      }
    },
  };
}

function staysOpen(command: string, before: boolean): boolean {
  if (command === 'BEGIN') return true;
  return command === 'COMMIT' || command === 'ROLLBACK' ? false : before;
}

function connect(url: string, onclose: () => void): postgres.Sql<{ bigint: number }> {
  return postgres(url, {
    max: 1,
    onclose,
    connect_timeout: CONNECT_SECONDS,
    // A connection that is ended because of its age may be amid a transaction.
    max_lifetime: null,
    // One more question on each new connection, for types that no table here has.
    fetch_types: false,
    // Who waits, and how long, is decided in access.ts.
    backoff: () => 0,
    // "table exists already" and the like would go to the console.
    onnotice: () => undefined,
    connection: { application_name: 'oombot' },
    types: { bigint: { to: 20, from: [20], parse: (text: string) => Number(text), serialize: String } },
  });
}

// A host that is gone without a word answers nothing, and TCP takes a quarter of an hour to notice.
async function within<T>(pending: Promise<T>, clock: Clock, ms: number): Promise<T> {
  const over = new AbortController();
  const deadline = clock.sleep(ms, over.signal).then(
    () => Promise.reject(connectionFault('ETIMEDOUT', 'no answer in time')),
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([pending, deadline]);
  } finally {
    over.abort();
  }
}

function connectionFault(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
