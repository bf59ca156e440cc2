import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPool, type Pool } from '../../src/store/postgres/pool.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { type Gate, gateBefore, hasPostgres, type PlaceInPostgres, placeInPostgres } from './postgres-server.ts';

const clock = createSystemClock();

describe.runIf(hasPostgres)('sessions of PostgreSQL', () => {
  let place: PlaceInPostgres;
  let gate: Gate;
  let pool: Pool;
  beforeEach(async () => {
    place = await placeInPostgres();
    await place.raw.unsafe('create table kept (n bigint)');
    gate = await gateBefore(place.url);
    pool = createPool({ url: gate.url, clock, answerMs: 1000, size: 2 });
  });
  afterEach(async () => {
    await pool.end();
    await gate.close();
    await place.drop();
  });
  const kept = async () => (await place.raw.unsafe('select n from kept order by n')).map(({ n }) => Number(n));

  it('that is lost between two statements runs no second half of a transaction outside of it', async () => {
    const session = await pool.acquire();
    await session.query('begin', []);
    await session.query('insert into kept values ($1)', [1]);

    await gate.shut();
    await gate.open();
    while (!session.lost) await clock.sleep(5);

    await expect(session.query('insert into kept values ($1)', [2])).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
    });
    expect(await kept()).toEqual([]);
    pool.release(session);
    const next = await pool.acquire();
    await next.query('insert into kept values ($1)', [3]);
    expect(await kept()).toEqual([3]);
    pool.release(next);
  });

  it('is not handed on with a transaction open in it', async () => {
    const session = await pool.acquire();
    await session.query('begin', []);
    await session.query('insert into kept values ($1)', [1]);
    pool.release(session);

    const next = await pool.acquire();
    await next.query('insert into kept values ($1)', [2]);

    expect(next).not.toBe(session);
    expect(await kept()).toEqual([2]);
    pool.release(next);
  });

  it('that gets no answer in time is given up, and its place is free again', async () => {
    const stuck = await pool.acquire();
    const before = clock.now();

    await expect(stuck.query('select pg_sleep(60)', [])).rejects.toMatchObject({ code: 'ETIMEDOUT' });

    expect(clock.now() - before).toBeLessThan(5000);
    pool.release(stuck);
    const both = await Promise.all([pool.acquire(), pool.acquire()]);
    for (const session of both) expect((await session.query('select 1 as one', [])).rows).toEqual([{ one: 1 }]);
    for (const session of both) pool.release(session);
  });

  it('are at most as many as were said; who comes next waits in turn', async () => {
    const [one, two] = [await pool.acquire(), await pool.acquire()];
    const order: string[] = [];
    const waiting = ['third', 'fourth'].map(async (name) => {
      const session = await pool.acquire();
      order.push(name);
      return session;
    });
    await clock.sleep(20);
    expect(order).toEqual([]);

    pool.release(one);
    await waiting[0];
    expect(order).toEqual(['third']);
    pool.release(two);

    for (const session of await Promise.all(waiting)) pool.release(session);
    expect(order).toEqual(['third', 'fourth']);
  });

  it('give whole numbers beyond 32 bits as numbers, and keep texts of every kind', async () => {
    const session = await pool.acquire();
    const text = `a'b"c\\d\n€😀 $1 {}`;

    const { rows } = await session.query('select $1::bigint as at, $2::text as words, $3::text as json', [
      1_767_225_600_000,
      text,
      JSON.stringify({ text }),
    ]);

    expect(rows).toEqual([{ at: 1_767_225_600_000, words: text, json: JSON.stringify({ text }) }]);
    pool.release(session);
  });
});
