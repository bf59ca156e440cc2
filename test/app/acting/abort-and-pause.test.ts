import { describe, expect, it } from 'vitest';
import type { MadePlan } from '../../../src/app/acting/plan/make-plan.ts';
import type { Plan, Run } from '../../../src/model/plan.ts';
import type { Edit } from '../../../src/model/verdict.ts';
import { type OwnerLab, openOwnerLab } from './owners/owner-lab.ts';
import { OWNERS } from './owners/owner-objects.ts';

const EDITS: Edit[] = [{ flag: '--max-model-len', from: null, to: '8192', why: 'it fits', facts: [] }];

async function open(): Promise<{ lab: OwnerLab; plan: Plan; before: readonly unknown[] }> {
  const owner = OWNERS.find(({ name }) => name === 'Deployment');
  if (owner === undefined) throw new Error('no Deployment');
  const lab = await openOwnerLab({ objects: owner.objects({ replicas: 2 }), container: owner.container });
  const before = lab.objects();
  const plan = planOf(await lab.plan('stop-bleed', { edits: EDITS }));
  lab.heal();
  return { lab, plan, before };
}

function planOf(made: MadePlan): Plan {
  if (made.kind === 'refused') throw new Error(made.says);
  return made.plan;
}

/** Does something at one look of the run, once. */
function atLook(
  lab: OwnerLab,
  which: number,
  work: (run: Run | undefined) => Promise<unknown>,
): { readonly looks: () => number } {
  let looks = 0;
  lab.onTime = () => {
    if (looks === which) void lab.store.openRuns().then((runs) => work(runs[0]));
    looks += 1;
  };
  return { looks: () => looks };
}

const writes = ({ standin }: OwnerLab): string[] =>
  standin.writes
    .filter(({ dryRun, outcome }) => !dryRun && outcome === 'applied')
    .map(({ body }) => JSON.stringify(body));
const PERSON = 'U_ONCALL';
// A run of this plan has six looks, the last one of its watch.
const LOOKS = [0, 2, 5];

describe('somebody who has second thoughts', () => {
  it.each(LOOKS)('aborts at look %i: all is as it was before', async (which) => {
    const { lab, plan, before } = await open();
    atLook(
      lab,
      which,
      async (run) => run && lab.store.commandRun(run.id, { command: 'abort', by: PERSON, at: lab.clock.now() }),
    );

    const run = await lab.carryOut(plan);

    expect(run).toMatchObject({ state: 'rolled-back', outcome: expect.stringMatching(/^Aborted/) });
    expect(lab.objects()).toEqual(before);
  });

  it.each(LOOKS)(
    'asks for the way back at look %i, while the run is under way: all is as it was before',
    async (which) => {
      const { lab, plan, before } = await open();
      atLook(
        lab,
        which,
        async (run) => run && lab.store.commandRun(run.id, { command: 'roll-back', by: PERSON, at: lab.clock.now() }),
      );

      const run = await lab.carryOut(plan);

      expect(run.state).toBe('rolled-back');
      expect(lab.objects()).toEqual(before);
    },
  );

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
        void lab.store
          .openRuns()
          .then(([run]) => run && lab.store.commandRun(run.id, { command: 'abort', by: PERSON, at: lab.clock.now() }));
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
