import { describe, expect, it, onTestFinished } from 'vitest';
import { startLeader, type Term } from '../../../src/app/automatic/leader.ts';
import type { LeaseAnswer } from '../../../src/app/watch-ports.ts';
import { createFakeClock } from '../../fakes/clock.ts';
import { createFakeLog } from '../../fakes/log.ts';
import { turns } from '../triage/triage-harness.ts';

const held: LeaseAnswer = { kind: 'held' };
const unknown: LeaseAnswer = { kind: 'unknown', why: 'no answer' };
const other: LeaseAnswer = { kind: 'other', holder: 'b' };

async function aLeader() {
  const clock = createFakeClock();
  const told = { answer: held as LeaseAnswer, claims: 0, released: 0, changes: [] as boolean[] };
  const terms: Term[] = [];
  const leases = {
    claim: async () => {
      told.claims += 1;
      return told.answer;
    },
    release: async () => {
      told.released += 1;
    },
  };
  const lead = (term: Term) => {
    terms.push(term);
    return new Promise<void>((end) => term.signal.addEventListener('abort', () => end()));
  };
  const claim = { namespace: 'oombot', name: 'oombot-watch', holder: 'a' };
  const onChange = (leads: boolean) => told.changes.push(leads);
  const leader = startLeader({ leases, claim, clock, log: createFakeLog(), lead, onChange });
  onTestFinished(leader.stop);
  await turns();
  return { clock, told, terms, leader };
}

describe('a leader', () => {
  it('leads while it renews, and gives the Lease back when it stops', async () => {
    const { clock, told, terms, leader } = await aLeader();
    await clock.advance(60_000);
    expect(told.claims).toBe(13);
    expect(terms).toHaveLength(1);
    expect(terms[0]?.leads()).toBe(true);

    await leader.stop();

    expect(terms[0]?.leads()).toBe(false);
    expect(told).toMatchObject({ released: 1, changes: [false, true, false] });
  });

  it('that froze does not lead when it thaws, before any timer says so', async () => {
    const { clock, terms } = await aLeader();

    clock.pass(15_000);

    expect(terms[0]?.leads()).toBe(false);
    expect(terms[0]?.signal.aborted).toBe(false);
  });

  it('ends its term when the API server has not answered for as long as the Lease lasts, and begins another one', async () => {
    const { clock, told, terms } = await aLeader();
    told.answer = unknown;
    await clock.advance(14_000);
    expect(terms[0]?.leads()).toBe(true);
    await clock.advance(1_000);
    expect(terms[0]?.signal.aborted).toBe(true);

    told.answer = held;
    await clock.advance(5_000);

    expect(terms).toHaveLength(2);
    expect(terms[1]?.leads()).toBe(true);
  });

  it('ends its term at once when another one has it, and releases nothing', async () => {
    const { clock, told, terms, leader } = await aLeader();
    told.answer = other;

    await clock.advance(5_000);
    await leader.stop();

    expect(terms[0]?.signal.aborted).toBe(true);
    expect(told).toMatchObject({ released: 0, changes: [false, true, false] });
  });
});
