import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/app/ports.ts';
import { startSweeping } from '../../src/wire/sweep.ts';
import { createFakeClock, START } from '../fakes/clock.ts';
import { createFakeLog } from '../fakes/log.ts';
import { createMemoryStore } from '../fakes/memory-store.ts';

const HOUR = 60 * 60_000;
const keepMs = { snapshots: 10 * HOUR, incidents: 100 * HOUR };

function aSweep(sweep: Store['sweep'] = async () => ({ snapshots: 0, incidents: 0 })) {
  const clock = createFakeClock();
  const log = createFakeLog();
  const marks: Parameters<Store['sweep']>[0][] = [];
  const store: Store = {
    ...createMemoryStore(),
    sweep(at) {
      marks.push(at);
      return sweep(at);
    },
  };
  return { clock, log, marks, start: () => startSweeping({ store, clock, log, keepMs }) };
}

describe('old evidence', () => {
  it('is deleted at the start, and every six hours', async () => {
    const { clock, marks, start } = aSweep();

    const sweeper = start();
    await clock.advance(0);
    await clock.advance(13 * HOUR);
    await sweeper.stop();

    expect(marks.map(({ snapshotsBefore }) => snapshotsBefore)).toEqual([0, 6, 12].map((h) => START + (h - 10) * HOUR));
    expect(marks[0]?.incidentsBefore).toBe(START - 100 * HOUR);
  });

  it('stays once it is stopped, and nobody waits for the next time', async () => {
    const { clock, marks, log, start } = aSweep();
    const sweeper = start();
    await clock.advance(1);

    await sweeper.stop();
    await clock.advance(24 * HOUR);

    expect([marks.length, clock.sleeping, log.entries.length]).toEqual([1, 0, 0]);
  });

  it('is tried again at the next time when the store fails', async () => {
    let failing = true;
    const { clock, marks, log, start } = aSweep(async () => {
      if (failing) throw new Error('disk full');
      return { snapshots: 3, incidents: 1 };
    });
    const sweeper = start();
    await clock.advance(1);
    failing = false;

    await clock.advance(6 * HOUR);
    await sweeper.stop();

    expect(marks).toHaveLength(2);
    expect(log.entries.map(({ event }) => event)).toEqual(['sweep failed', 'old evidence deleted']);
  });

  it('is not being deleted any more when stop ends, so that the store can be closed', async () => {
    const gate = Promise.withResolvers<void>();
    const { start } = aSweep(() => gate.promise.then(() => ({ snapshots: 0, incidents: 0 })));
    const sweeper = start();
    let stopped = false;
    const stopping = sweeper.stop().then(() => {
      stopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);

    gate.resolve();
    await stopping;

    expect(stopped).toBe(true);
  });
});
