import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { repeat } from '../../src/wire/repeat.ts';
import { createFakeClock } from '../fakes/clock.ts';

it('work that is repeated sees that it is stopped, and is not begun again', async () => {
  const clock = createFakeClock();
  const begun: AbortSignal[] = [];
  const repeated = repeat(1000, clock, async (signal) => {
    begun.push(signal);
    await new Promise<void>((resolve) => {
      if (begun.length < 2) resolve();
      else signal.addEventListener('abort', () => resolve());
    });
  });
  await turn();
  await clock.advance(1000);
  await turn();

  await repeated.stop();
  await clock.advance(5000);

  expect(begun.map(({ aborted }) => aborted)).toEqual([true, true]);
});
