import { describe, expect, it } from 'vitest';
import type { Plan, Run } from '../../../src/model/plan.ts';
import { type OwnerLab, openOwner, SHORTER } from './owners/owner-lab.ts';

async function open(): Promise<{ lab: OwnerLab; plan: Plan; before: readonly unknown[] }> {
  const lab = await openOwner('Deployment');
  const before = lab.objects();
  const plan = await lab.planned('stop-bleed', SHORTER);
  lab.heal();
  return { lab, plan, before };
}

/** Has somebody ask for something at one look of the run, once. */
function tellAtLook(lab: OwnerLab, which: number, command: Run['command']): void {
  let looks = 0;
  lab.onTime = () => {
    if (looks === which) void tell(lab, command);
    looks += 1;
  };
}

async function tell({ store, clock }: OwnerLab, command: Run['command']): Promise<void> {
  const [run] = await store.openRuns();
  if (run !== undefined) await store.commandRun(run.id, { command, by: PERSON, at: clock.now() });
}

const writes = ({ standin }: OwnerLab): string[] =>
  standin.writes
    .filter(({ dryRun, outcome }) => !dryRun && outcome === 'applied')
    .map(({ body }) => JSON.stringify(body));
const PERSON = 'U_ONCALL';
// A run of this plan has six looks, the last one of its watch.
const LOOKS = [0, 2, 5];

describe('somebody who has second thoughts', () => {
  it.each([
    ...LOOKS.map((which) => [which, 'abort', /Why: aborted/] as const),
    ...LOOKS.map((which) => [which, 'roll-back', /./] as const),
  ])('asks at look %i to %s: all is as it was before', async (which, command, outcome) => {
    const { lab, plan, before } = await open();
    tellAtLook(lab, which, command);

    const run = await lab.carryOut(plan);

    expect(run).toMatchObject({ state: 'rolled-back', outcome: expect.stringMatching(outcome) });
    expect(lab.objects()).toEqual(before);
  });

  it.each(LOOKS)(
    'pauses at look %i and resumes twenty minutes later: nothing is written meanwhile, and each write is made once',
    async (which) => {
      const { lab, plan } = await open();
      let held: readonly string[] | undefined;
      let until = Number.POSITIVE_INFINITY;
      const during = new Set<number>();
      let looks = 0;
      lab.onTime = () => {
        looks += 1;
        if (looks === which + 1) {
          void lab.store.pause({ by: PERSON, at: lab.clock.now(), reason: 'a drill' });
          held = writes(lab);
          until = lab.clock.now() + 20 * 60_000;
        } else if (held !== undefined && lab.clock.now() < until) during.add(writes(lab).length);
        else if (held !== undefined) void lab.store.resume(PERSON, lab.clock.now());
      };

      const run = await lab.carryOut(plan);

      expect(run.state).toBe('done');
      for (const count of during) expect(count).toBe(held?.length);
      expect(new Set(writes(lab)).size).toBe(writes(lab).length);
    },
  );

  it('takes an ended run back twice: the second time it is told that it is too late, and nothing is written', async () => {
    const { lab, plan } = await open();
    const run = await lab.carryOut(plan);
    await lab.takeBack(run);
    const count = writes(lab).length;

    const again = await lab.store.commandRun(run.id, { command: 'roll-back', by: PERSON, at: lab.clock.now() });

    expect(again).toBe(false);
    expect(writes(lab)).toHaveLength(count);
  });

  it('aborts while all is paused: it goes back once that is resumed, not before', async () => {
    const { lab, plan, before } = await open();
    let count = 0;
    let looks = 0;
    lab.onTime = () => {
      looks += 1;
      if (looks === 3) {
        void lab.store.pause({ by: PERSON, at: lab.clock.now(), reason: '' });
        void tell(lab, 'abort');
        count = writes(lab).length;
      }
      if (looks === 8) {
        expect(writes(lab)).toHaveLength(count);
        void lab.store.resume(PERSON, lab.clock.now());
      }
    };

    const run = await lab.carryOut(plan);

    expect(run.state).toBe('rolled-back');
    expect(lab.objects()).toEqual(before);
  });

  it('approves after a pause: nothing runs, and the plan stays open', async () => {
    const { lab, plan } = await open();
    await lab.store.pause({ by: PERSON, at: lab.clock.now(), reason: '' });

    await expect(lab.carryOut(plan)).rejects.toThrow(/"why":"paused"/);
    await lab.store.resume(PERSON, lab.clock.now());

    expect((await lab.store.plan(plan.id))?.state).toBe('proposed');
    expect(writes(lab)).toEqual([]);
  });
});
