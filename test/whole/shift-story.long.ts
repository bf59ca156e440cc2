import { afterAll, it } from 'vitest';
import { openPostgres, type PrivatePostgres } from '../steps/private-postgres.ts';
import { START, useMovedTime } from './acting-scene.ts';
import { threeDays } from './shift-story.ts';

const MINUTE = 60_000;

useMovedTime();

const server = await openPostgres();
afterAll(() => server?.close());

/** A database whose clock stands still until it is moved: its own function is found before that of PostgreSQL. */
async function movedDatabase({ database, query }: PrivatePostgres) {
  const url = new URL(await database('story'));
  await query(url.href, `create table moved (ms bigint not null)`);
  await query(url.href, `insert into moved values (${START})`);
  await query(
    url.href,
    `create function clock_timestamp() returns timestamptz language sql volatile as
      $$ select to_timestamp((select ms from public.moved) / 1000.0) $$`,
  );
  const move = async (ms: number): Promise<void> => {
    // A moved clock also ends the time that a query under way has: of long leaps none may be.
    if (ms >= MINUTE) await new Promise((resolve) => setTimeout(resolve, 500));
    await query(url.href, `update moved set ms = ms + ${Math.round(ms)}`);
  };
  url.searchParams.set('search_path', 'public, pg_catalog');
  return { store: url.href, move };
}

it('three days of an incident, its handovers, reminders, drift and end', { timeout: 120_000 }, () => threeDays());

it.skipIf(server === undefined)(
  'the three days are the same on PostgreSQL with two replicas',
  async () => {
    await threeDays({ ...(await movedDatabase(server as PrivatePostgres)), replicas: 2 });
  },
  400_000,
);
