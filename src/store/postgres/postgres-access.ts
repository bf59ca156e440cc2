import { CamelCasePlugin, type Kysely, sql } from 'kysely';
import type { Clock } from '../../app/ports.ts';
import { OomError } from '../../model/errors.ts';
import type { Access } from '../database/access.ts';
import { guarded } from '../database/fault.ts';
import { isConflict, isConnectionFault } from '../database/fault-codes.ts';
import type { Transaction } from '../database/journal.ts';
import { madeAt } from '../database/migrate.ts';
import type { Tables } from '../database/tables.ts';

type PostgresAccessOptions = {
  readonly clock: Clock;
  /** How long a call goes on trying while PostgreSQL is away, in ms. */
  readonly patienceMs: number;
  /** In the place of the server's time. */
  readonly now?: (() => number) | undefined;
  /** When the database was made, epoch ms. */
  readonly made: number | undefined;
  /** The server, for faults. */
  readonly place?: string | undefined;
};

// A session that stands still this long within a transaction holds up every writer: a process that was frozen.
const IDLE_MS = 5000;
// Longer than that, so that those who wait for a frozen process see its end.
const LOCK_MS = 10_000;
const FIRST_RETRY_MS = 25;
const LONGEST_RETRY_MS = 500;

/** PostgreSQL: one writer at a time, by the row that every change ends in; what fails for others' sake, or because the server went away, is done again. */
export function createPostgresAccess(raw: Kysely<Tables>, options: PostgresAccessOptions): Access {
  const db = raw.withPlugin(new CamelCasePlugin());
  const { clock, patienceMs, now, place, made } = options;
  let closing: Promise<void> | undefined;
  const patiently = <T>(work: () => Promise<T>): Promise<T> => retry(work, clock, patienceMs);
  return {
    read: (work) => guarded(() => patiently(() => work(db)), place),
    write: (work) =>
      guarded(
        () =>
          patiently(async () => {
            const outcome = await attempt(db, made, work);
            if (outcome.kind === 'done') return outcome.value;
            return settle(outcome, () => patiently(() => fateOf(db, outcome.xid)));
          }),
        place,
      ),
    now: async (on) => now?.() ?? readTime(on),
    checkSame: async (on) => refuseOther(made, await madeAt(on as unknown as Kysely<unknown>)),
    close() {
      closing ??= guarded(() => db.destroy(), place);
      return closing;
    },
  };
}

// Not that of the transaction's begin: it may have waited for its turn since.
async function readTime(db: Transaction): Promise<number> {
  const { rows } = await sql<{
    ms: number;
  }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms`.execute(db);
  return Number(rows[0]?.ms);
}

async function retry<T>(work: () => Promise<T>, clock: Clock, patienceMs: number): Promise<T> {
  const until = clock.now() + patienceMs;
  for (let pause = FIRST_RETRY_MS; ; pause = Math.min(pause * 2, LONGEST_RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      const again = isConflict(error) || isConnectionFault(error) || error instanceof NotCommitted;
      if (!again || clock.now() >= until) throw error;
    }
    await clock.sleep(pause);
  }
}

type Attempt<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** The connection was lost between the word `commit` and its answer. */
  | { readonly kind: 'unsure'; readonly value: T; readonly xid: string; readonly cause: unknown };

async function attempt<T>(
  db: Kysely<Tables>,
  made: number | undefined,
  work: (trx: Transaction) => Promise<T>,
): Promise<Attempt<T>> {
  let ready: { readonly value: T; readonly xid: string } | undefined;
  try {
    const value = await db.transaction().execute(async (trx) => {
      const xid = await takeTurn(trx, made);
      const result = await work(trx);
      ready = { value: result, xid };
      return result;
    });
    return { kind: 'done', value };
  } catch (cause) {
    if (ready === undefined || !isConnectionFault(cause)) throw cause;
    return { kind: 'unsure', ...ready, cause };
  }
}

// SQLite has one writer at a time. The same here: all that is read after this stays true until the transaction ends,
// and no two can wait for each other. Answers the number of the transaction.
async function takeTurn(trx: Transaction, made: number | undefined): Promise<string> {
  const { rows } = await sql<{ xid: string; made: number | null }>`select pg_current_xact_id()::text as xid,
    (select at from oom_migration where version = 1) as made,
    set_config('lock_timeout', ${String(LOCK_MS)}, true),
    set_config('idle_in_transaction_session_timeout', ${String(IDLE_MS)}, true)`.execute(trx);
  refuseOther(made, rows[0]?.made ?? undefined);
  await trx.selectFrom('auditHead').select('id').where('id', '=', 1).forUpdate().execute();
  return rows[0]?.xid ?? '';
}

// Emptied and made again by another process, or another database at the same address: what this process goes by is gone.
function refuseOther(made: number | undefined, now: number | undefined): void {
  if (now === made) return;
  throw new OomError('store-failed', 'The database was emptied or replaced while the bot was running.', {
    next: 'Stop the bot, restore the right database, and start it again.',
  });
}

class NotCommitted extends Error {}

type Fate = 'committed' | 'aborted' | 'in progress' | 'not known';

// The server knows how a transaction ended, by its number.
async function settle<T>(unsure: Extract<Attempt<T>, { kind: 'unsure' }>, ask: () => Promise<Fate>): Promise<T> {
  const fate = await ask();
  if (fate === 'committed') return unsure.value;
  if (fate === 'aborted') throw new NotCommitted('the server has undone it');
  throw new OomError('store-failed', 'Unknown whether the change was kept: PostgreSQL went away during the commit.', {
    next: 'Check `oom status` before you try again.',
    cause: unsure.cause,
  });
}

async function fateOf(db: Kysely<Tables>, xid: string): Promise<Fate> {
  const { rows } = await sql<{ fate: Fate | null }>`select pg_xact_status(${xid}::text::xid8) as fate`.execute(db);
  const fate = rows[0]?.fate ?? 'not known';
  // Its session has not been ended yet: ask again.
  if (fate === 'in progress') throw Object.assign(new Error('still in progress'), { code: '40001' });
  return fate;
}
