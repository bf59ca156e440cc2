// SQLSTATE of PostgreSQL, codes of the client, and those of the operating system. Nothing is decided by a text.

// The connection is gone or was never made. Class 08; 57P0x: the server stops, crashed, or is not up yet; 53300: it has
// no place for one more; 25P03: it ended a session that stood still within a transaction.
const CONNECTION = new Set(
  'CONNECTION_CLOSED CONNECTION_DESTROYED CONNECT_TIMEOUT ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN ENOENT ERR_STREAM_DESTROYED 57P01 57P02 57P03 57P05 53300 25P03'.split(
    ' ',
  ),
);

// Undone by the server because of another transaction: serialization failure, deadlock.
const CONFLICT = new Set(['40001', '40P01']);
// lock_timeout: another transaction holds what is wanted.
const LOCKED = '55P03';

const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  '28P01': ['PostgreSQL refused the password.', 'Check `store.url` or DATABASE_URL.'],
  '28000': ['PostgreSQL refused the user.', 'Check `store.url` or DATABASE_URL, and pg_hba.conf.'],
  '3D000': ['PostgreSQL has no such database.', 'Create it, or check `store.url` or DATABASE_URL.'],
  '42501': ['The PostgreSQL user lacks a permission.', 'Let it create and own tables in its schema.'],
  '25006': ['This PostgreSQL server is a read-only standby.', 'Point `store.url` to the primary.'],
  '53100': ["PostgreSQL's disk is full.", 'Free some space.'],
  ENOTFOUND: ['The PostgreSQL host name does not resolve.', 'Check `store.url` or DATABASE_URL.'],
};
const UNREACHED = [
  'Cannot reach PostgreSQL.',
  'Check that it runs and that `store.url` or DATABASE_URL is right. The bot keeps trying.',
] as const;

/** The code of what was thrown, or undefined where it has none. */
function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return undefined;
  return thrown.code;
}

/** Whether the session is lost. */
export function isConnectionFault(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code !== undefined && (CONNECTION.has(code) || code.startsWith('08'));
}

/** Whether the server has undone a transaction for the sake of another, so that it may be tried again. */
export function isConflict(thrown: unknown): boolean {
  return CONFLICT.has(codeOf(thrown) ?? '');
}

/** Whether another transaction held what was wanted for too long. */
export function isLockedOut(thrown: unknown): boolean {
  return codeOf(thrown) === LOCKED || isConflict(thrown);
}

/** What is wrong and what to do, for the codes that people meet. */
export function postgresWords(thrown: unknown): readonly [string, string] | undefined {
  return WORDS[codeOf(thrown) ?? ''] ?? (isConnectionFault(thrown) ? UNREACHED : undefined);
}
