import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TakenOver } from '../../src/app/outbox-ports.ts';
import { startResuming } from '../../src/wire/resume-work.ts';
import { createFakeClock, START } from '../fakes/clock.ts';
import { createFakeLog } from '../fakes/log.ts';

const GONE_MS = 60_000;
const BEAT_MS = 10_000;
const NOTHING: TakenOver = { messages: new Set(), triages: new Set(), requests: new Set() };

function start(takeOverMs: number | undefined) {
  const clock = createFakeClock();
  const openedMs = clock.monotonic();
  clock.pass(700.25);
  const asked: (string | number)[] = [];
  const given = { isAway: false, found: NOTHING };
  const deps = {
    ...{ clock, openedMs, log: createFakeLog() },
    store: {
      takeOverMs,
      beat: async () => {
        if (given.isAway) throw new Error('away');
        return Math.floor(clock.now());
      },
      takeOver: async (goneBefore: number) => {
        asked.push(goneBefore === Number.MAX_SAFE_INTEGER ? 'all' : goneBefore - START);
        return given.found;
      },
      unfinishedTriages: async () => [],
      keptRequests: async () => [],
    },
    outbox: { resume: async (only?: ReadonlySet<string>) => asked.push(`messages ${[...(only ?? ['all'])].join()}`) },
  } as unknown as Parameters<typeof startResuming>[0];
  const resuming = startResuming(deps);
  onTestFinished(() => resuming.stop());
  return { clock, asked, given };
}

describe('what a process left open that is gone', () => {
  it('is taken up at once by the only one that ever serves, and never again', async () => {
    const { clock, asked } = start(0);

    await turn();
    await clock.advance(10 * GONE_MS);

    expect(asked).toEqual(['all']);
  });

  it('is taken up at once by one that was alone when it opened the store, but for those that came since', async () => {
    const { asked } = start(11_000);

    await turn();

    // A whole number: the time of the store has no fractions.
    expect(asked).toEqual([-1]);
  });

  it('is taken up by one among others after a minute of steady beats, and from then on at each', async () => {
    const { clock, asked, given } = start(undefined);
    given.found = { ...NOTHING, messages: new Set(['msg_1']) };
    await turn();

    await clock.advance(GONE_MS - 1);
    expect(asked).toEqual([]);
    await clock.advance(1);
    expect(asked).toEqual([700, 'messages msg_1']);
    given.found = NOTHING;
    await clock.advance(BEAT_MS);

    expect(asked.slice(2)).toEqual([700 + BEAT_MS]);
  });

  it.each([[3_600_000], [-3_600_000]])('is judged anew after the shared clock was set by %d ms', async (ms) => {
    const { clock, asked } = start(undefined);
    await clock.advance(GONE_MS + BEAT_MS);
    clock.set(clock.now() + ms);
    asked.length = 0;

    await clock.advance(GONE_MS);
    expect(asked).toEqual([]);
    await clock.advance(BEAT_MS);

    expect(asked).toHaveLength(1);
  });

  it('is judged anew after the store was away: all look dead alike then', async () => {
    const { clock, asked, given } = start(undefined);
    await clock.advance(GONE_MS);
    given.isAway = true;
    await clock.advance(2 * GONE_MS);
    given.isAway = false;
    asked.length = 0;

    await clock.advance(GONE_MS);
    expect(asked).toEqual([]);
    await clock.advance(BEAT_MS);

    expect(asked).toHaveLength(1);
  });
});
