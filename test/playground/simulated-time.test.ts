import { expect, it } from 'vitest';
import { createSimulatedTime } from '../../src/playground/scenarios/simulated-time.ts';
import { createFakeClock } from '../fakes/clock.ts';

it('what a bot measures never runs backward, though its time is set back by a message that comes late', () => {
  const outside = createFakeClock();
  const { clock, advance } = createSimulatedTime(outside, 20);
  outside.pass(1000);
  const [now, monotonic] = [clock.now(), clock.monotonic()];

  advance(-600);

  expect(clock.now()).toBe(now - 600);
  expect(clock.monotonic()).toBe(monotonic);
  outside.pass(1000);
  expect(clock.monotonic()).toBe(monotonic + 19_400);
});
