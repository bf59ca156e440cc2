import type { Clock, Ids } from '../../src/app/ports.ts';
import type { OomError } from '../../src/model/errors.ts';
import type { Incident } from '../../src/model/incident.ts';
import { createSqliteStore, openDatabase } from '../../src/store/create-sqlite-store.ts';
import type { DurableStore } from '../../src/store/kysely-store.ts';
import { exampleDiagnosis } from '../model/examples.ts';
import { createFakeClock } from './clock.ts';
import { createFakeIds } from './ids.ts';

type Options = { readonly clock?: Clock; readonly ids?: Ids; readonly incidents?: readonly Incident[] };

/** `fail` makes the next calls throw. */
export type MemoryStore = DurableStore & { fail(error: OomError | undefined): void };

/** The real store, in memory. `incidents` are in it under their own ids. */
export function createMemoryStore(options: Options = {}): MemoryStore {
  const opened = openStore(options);
  let fault: OomError | undefined;
  const methods = METHODS.map((name) => [
    name,
    async (...args: unknown[]) => {
      const store = await opened;
      if (fault !== undefined) throw fault;
      return (Reflect.get(store, name) as (...given: unknown[]) => unknown)(...args);
    },
  ]);
  return {
    ...Object.fromEntries(methods),
    added: [],
    fail(error) {
      fault = error;
    },
  };
}

// To migrate an empty database takes longer than most tests of what it holds.
const MIGRATED = await migratedImage();

async function migratedImage(): Promise<Uint8Array> {
  const database = openDatabase(':memory:');
  await createSqliteStore({ path: ':memory:', database, clock: createFakeClock(), ids: createFakeIds() });
  return database.serialize();
}

async function openStore({ clock = createFakeClock(), ids = createFakeIds(), incidents = [] }: Options) {
  const given = incidents.map(({ id }) => id);
  const next: Ids['next'] = (prefix) => (prefix === 'inc' ? given.shift() : undefined) ?? ids.next(prefix);
  const database = openDatabase(':memory:');
  database.deserialize(MIGRATED);
  const store = await createSqliteStore({ path: ':memory:', database, clock, ids: { next } });
  for (const incident of incidents) {
    await store.recordFinding({
      draft: { ...incident, key: incident.id, verdict: exampleDiagnosis.verdict },
      snapshot: { id: `snap_of_${incident.id}`, files: {} },
      diagnosis: exampleDiagnosis,
      actor: 'U_ONCALL',
      at: clock.now(),
      windowMs: 60_000,
    });
  }
  return store;
}

const METHODS = Object.keys(await openStore({}));
