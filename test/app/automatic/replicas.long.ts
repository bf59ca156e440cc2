import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { createPostgresStore } from '../../../src/store/postgres/create-postgres-store.ts';
import { createSystemIds } from '../../../src/system/ids.ts';
import { openPostgres, type PrivatePostgres } from '../../steps/private-postgres.ts';
import { type OpenTwo, replicasContract, storeClock } from './replicas.ts';
import { thawedContract } from './thawed.ts';

let server: PrivatePostgres | undefined;
let databases = 0;

beforeAll(async () => {
  server = await openPostgres();
});
afterAll(() => server?.close());

const openTwo: OpenTwo = async (clock) => {
  const own = server;
  if (own === undefined) throw new Error('No PostgreSQL here: install it, or set OOM_TEST_POSTGRES.');
  databases += 1;
  const url = await own.database(`replicas_${databases}`);
  const open = () => createPostgresStore({ url, clock: storeClock(clock), ids: createSystemIds(), now: clock.now });
  const stores = [await open(), await open()] as const;
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.close()));
  });
  return [...stores, async (sql) => void (await own.query(url, sql))];
};

replicasContract('one PostgreSQL', openTwo);
thawedContract('one PostgreSQL', openTwo);
