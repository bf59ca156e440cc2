import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCoalescer } from '../../src/slack/api/coalesce.ts';
import { createFakeClock } from '../fakes/clock.ts';

function setUp() {
  const clock = createFakeClock();
  const sent: { state: string; at: number }[] = [];
  const coalescer = createCoalescer<string, string>({
    clock,
    intervalMs: 1000,
    stands: (last, state) => last.state === state,
    send: async (newest) => {
      const state = newest();
      sent.push({ state, at: clock.now() });
      return `sent ${state}`;
    },
  });
  return { clock, sent, coalescer };
}

describe('a coalescer', () => {
  it('sends the last state, never two within a second, whatever comes when', async () => {
    const moves = fc.array(
      fc.record({ after: fc.integer({ min: 0, max: 1500 }), state: fc.constantFrom('a', 'b', 'c', 'd') }),
      { minLength: 1, maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(moves, async (list) => {
        const { clock, sent, coalescer } = setUp();
        const results: Promise<string>[] = [];
        for (const { after, state } of list) {
          await clock.advance(after);
          results.push(coalescer.update('m', state));
        }
        await clock.advance(5000);

        await Promise.all(results);
        expect(sent.at(-1)?.state).toBe(list.at(-1)?.state);
        for (const [i, one] of sent.entries()) {
          const before = sent[i - 1];
          if (before === undefined) continue;
          expect(one.at - before.at).toBeGreaterThanOrEqual(1000);
          expect(one.state).not.toBe(before.state);
        }
      }),
      { numRuns: 60, seed: 20260115 },
    );
  });

  it('redraws within a second though the clock was set back an hour', async () => {
    const { clock, sent, coalescer } = setUp();
    await coalescer.update('m', 'a');

    clock.set(clock.now() - 3_600_000);
    void coalescer.update('m', 'b');
    await clock.advance(1000);

    expect(sent.map(({ state }) => state)).toEqual(['a', 'b']);
  });

  it('keeps messages apart', async () => {
    const { sent, coalescer } = setUp();

    await Promise.all([coalescer.update('m', 'a'), coalescer.update('n', 'b')]);

    expect(sent.map((s) => s.state)).toEqual(['a', 'b']);
  });

  it('does not wait with what is urgent', async () => {
    const { clock, sent, coalescer } = setUp();
    await coalescer.update('m', 'a');
    void coalescer.update('m', 'b');

    await coalescer.update('m', 'final', true);

    expect(sent).toEqual([
      { state: 'a', at: clock.now() },
      { state: 'final', at: clock.now() },
    ]);
  });

  it('forgets old messages but none that still waits', async () => {
    const { sent, coalescer } = setUp();
    await coalescer.update('first', 'a');
    const waiting = coalescer.update('first', 'b');
    for (let i = 0; i < 600; i += 1) coalescer.note(`m${i}`, { state: 'x', result: 'noted' });

    await coalescer.update('first', 'b', true);

    expect(await waiting).toBe('sent b');
    expect(sent.map((s) => s.state)).toEqual(['a', 'b']);
    expect(await coalescer.update('m599', 'x')).toBe('noted');
  });
});
