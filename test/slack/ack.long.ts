import { expect, it } from 'vitest';
import { startApp } from './app-harness.ts';

const UNDER_WAY = 50;
const COMMANDS = 1_000;

// How fast, `npm run bench` measures.
it(`acknowledges ${COMMANDS} commands while ${UNDER_WAY} triages are under way, and waits for none of them`, async () => {
  const held = Promise.withResolvers<void>();
  let ended = 0;
  const t = await startApp('http', {
    command: async (request) => {
      if (request.text !== 'held') return;
      await held.promise;
      ended += 1;
    },
  });
  for (let i = 0; i < UNDER_WAY; i += 1) await t.people.command({ text: 'held' });

  const statuses = new Set<number>();
  for (let i = 0; i < COMMANDS; i += 1) statuses.add((await t.people.command({ text: 'triage x' })).status);
  const endedBefore = ended;
  held.resolve();
  await t.close();

  expect([...statuses]).toEqual([200]);
  expect(endedBefore).toBe(0);
  expect(ended).toBe(UNDER_WAY);
});
