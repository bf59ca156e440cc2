import { expect, it } from 'vitest';
import { startApp } from './app-harness.ts';

const UNDER_WAY = 50;
const ACKS = 1_000;
const BUDGET_MS = 100;

it(`acknowledges within ${BUDGET_MS} ms at p99 with ${UNDER_WAY} triages under way`, async () => {
  const held = Promise.withResolvers<void>();
  const t = await startApp('http', {
    command: async (request) => {
      if (request.text === 'held') await held.promise;
    },
  });
  for (let i = 0; i < UNDER_WAY; i += 1) await t.people.command({ text: 'held' });

  const times: number[] = [];
  for (let i = 0; i < ACKS; i += 1) times.push((await t.people.command({ text: 'triage x' })).ms);
  held.resolve();
  await t.close();

  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(ACKS * 0.99)] ?? 0;
  console.log(`ack: p50 ${times[ACKS / 2]?.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
  expect(p99).toBeLessThan(BUDGET_MS);
});
