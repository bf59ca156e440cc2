import { OomError } from '../../model/errors.ts';
import { isLockedOut, postgresWords } from './fault-codes.ts';

// Primary result codes of SQLite.
const BUSY = new Set([5, 6]);
const WORDS: Readonly<Record<number, readonly [string, string]>> = {
  8: ['Cannot write the database: the file or its folder is read-only.', 'Make it writable.'],
  10: ['The disk failed to read or write.', 'Check the volume of the database.'],
  11: ['The database is damaged.', 'Stop the bot, keep a copy of the file, and restore a backup.'],
  13: ['The disk is full.', 'Free some space, or lower `store.retentionDays`.'],
  14: ['Cannot open the database file.', 'Check `store.url` or DATABASE_URL, and the permissions of its folder.'],
  26: ['The file is not an SQLite database.', 'Check `store.url` or DATABASE_URL.'],
};
const LATER = 'Try again. If it persists, see the log line with this code.';

/** What the database threw, as an OomError: `store-busy` where another process holds it, else `store-failed`. */
export function storeFault(thrown: unknown): OomError {
  if (thrown instanceof OomError) return thrown;
  const code = sqliteCode(thrown);
  if (isBusy(thrown)) {
    return new OomError('store-busy', 'Another process holds the database.', {
      next: 'Try again in a few seconds. Only one bot can use an SQLite file.',
      cause: thrown,
    });
  }
  if (isLockedOut(thrown)) {
    return new OomError('store-busy', 'The database is busy.', {
      next: 'Try again in a few seconds.',
      cause: thrown,
    });
  }
  const [message, next] = WORDS[code ?? -1] ?? postgresWords(thrown) ?? ['The database failed.', LATER];
  return new OomError('store-failed', message, { next, cause: thrown });
}

/** The same; a fault of the store says which one it is, since nobody who asks has named it. `place` holds no password; undefined where it is no place. */
export function atPlace(thrown: unknown, place: string | undefined): unknown {
  if (place === undefined || !(thrown instanceof OomError)) return thrown;
  const { code, message, next } = thrown;
  if (code !== 'store-failed' && code !== 'store-busy') return thrown;
  return new OomError(code, `${message} (${place})`, { next, cause: thrown });
}

/** Whether another process holds the lock that was wanted. */
export function isBusy(thrown: unknown): boolean {
  const code = sqliteCode(thrown);
  return code !== undefined && BUSY.has(code);
}

function sqliteCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return undefined;
  return thrown.errcode & 0xff;
}

/** Runs what touches the database; whatever it throws becomes an OomError, which names the place where one is given. */
export async function guarded<T>(work: () => Promise<T>, place?: string): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw atPlace(storeFault(thrown), place);
  }
}
