import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { resumeWork } from '../../src/wire/resume-work.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeLog } from '../fakes/log.ts';

const OTHERS_MS = 60_000;

function open() {
  const clock = createFakeClock();
  const asked: string[] = [];
  let messages = ['msg_1'];
  const deps = {
    clock,
    log: createFakeLog(),
    store: {
      unsentMessages: async () => messages.map((id) => ({ id })),
      unfinishedTriages: async () => {
        asked.push('triages');
        return [];
      },
      keptRequests: async () => {
        asked.push('requests');
        return [];
      },
    },
    outbox: {
      resume: async (only?: ReadonlySet<string>) => {
        asked.push(`messages ${only === undefined ? 'all' : [...only].join()}`);
        return 0;
      },
    },
  } as unknown as Parameters<typeof resumeWork>[0];
  return { deps, clock, asked, arrive: (id: string) => (messages = [...messages, id]) };
}

describe('what the last stop cut off', () => {
  it('is taken up at once by the only process', async () => {
    const { deps, asked } = open();

    await resumeWork(deps, true, new AbortController().signal);

    expect(asked).toEqual(['messages all', 'triages', 'requests']);
  });

  it('is left for a minute to other replicas, and what came meanwhile for good', async () => {
    const { deps, clock, asked, arrive } = open();

    const resumed = resumeWork(deps, false, new AbortController().signal);
    await turn();
    await clock.advance(OTHERS_MS - 1);
    arrive('msg_2');
    expect(asked).toEqual([]);
    await clock.advance(1);
    await resumed;

    expect(asked).toEqual(['messages msg_1', 'triages', 'requests']);
  });

  it('stays where the process is stopped meanwhile', async () => {
    const { deps, asked } = open();
    const stop = new AbortController();

    const resumed = resumeWork(deps, false, stop.signal);
    stop.abort();
    await resumed;

    expect(asked).toEqual([]);
  });
});
