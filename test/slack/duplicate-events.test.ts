import { describe, expect, it } from 'vitest';
import { createDuplicateFilter } from '../../src/slack/duplicate-events.ts';

const MINUTE = 60_000;

describe('a delivery that Slack repeats', () => {
  it.each([
    ['event_id', { event_id: 'Ev1' }, { event_id: 'Ev2' }],
    ['trigger_id', { trigger_id: '1.2' }, { trigger_id: '1.3' }],
  ])('is known by its %s for 15 minutes', (_name, body, other) => {
    let now = 0;
    const isRepeated = createDuplicateFilter(() => now);

    const told = [0, 1, 6, 14.9, 15, 16].map((minutes) => {
      now = minutes * MINUTE;
      return isRepeated(body);
    });

    expect(told).toEqual([false, true, true, true, false, true]);
    expect(isRepeated(other)).toBe(false);
  });

  it('without an id is never known', () => {
    const isRepeated = createDuplicateFilter(() => 0);

    expect([isRepeated({}), isRepeated({}), isRepeated(null)]).toEqual([false, false, false]);
  });
});
