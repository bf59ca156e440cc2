import { describe, expect, it } from 'vitest';
import type { MadePlan } from '../../../src/app/acting/plan/make-plan.ts';
import { valueAt } from '../../../src/model/json-patch.ts';
import type { Plan } from '../../../src/model/plan.ts';
import type { Edit } from '../../../src/model/verdict.ts';
import { OTHER_INCIDENT, type OwnerLab, openOwnerLab } from './owners/owner-lab.ts';
import { OWNERS } from './owners/owner-objects.ts';

const deployment = OWNERS.find(({ name }) => name === 'Deployment');
const edit = (to: string): Edit => ({ flag: '--max-model-len', from: null, to, why: 'it fits', facts: [] });

async function openLab(): Promise<OwnerLab> {
  if (deployment === undefined) throw new Error('no Deployment');
  return openOwnerLab({
    objects: deployment.objects({ replicas: 2 }),
    container: deployment.container,
    standing: 'down',
  });
}

function planOf(made: MadePlan): Plan {
  if (made.kind === 'refused') throw new Error(made.says);
  return made.plan;
}

const forOther = (plan: Plan): Plan => ({ ...plan, incidentId: OTHER_INCIDENT });

function standing({ standin }: OwnerLab) {
  const object = standin.world.objects.find(({ kind }) => kind === 'Deployment');
  const args = JSON.stringify(valueAt(object, '/spec/template/spec/containers/0/args'));
  return { replicas: valueAt(object, '/spec/replicas'), length: /max-model-len\D*(\d+)/.exec(args)?.[1] };
}

const asApproval = ({ id, hash }: Plan, at: number) => ({
  planId: id,
  hash,
  who: 'U_APPROVER',
  decision: 'approve' as const,
  barRequester: false,
  breakGlass: null,
  at,
});

describe('two incidents on one workload', () => {
  it('do not run at once: the second approval is told that another run is under way', async () => {
    const lab = await openLab();
    const first = planOf(await lab.plan('stop-bleed', { edits: [edit('8192')] }));
    const second = forOther(planOf(await lab.plan('set-args', { edits: [edit('4096')] })));
    await lab.store.savePlan(second);
    let told: unknown;
    lab.heal();
    lab.onTime = () => {
      told ??= lab.store.click(asApproval(second, lab.clock.now()));
    };

    await lab.carryOut(first);

    expect(await told).toEqual({ kind: 'refused', why: 'busy' });
  });

  it('do not write over each other: a plan from before the other run ended writes nothing, and shows both values', async () => {
    const lab = await openLab();
    const first = planOf(await lab.plan('set-args', { edits: [edit('8192')] }));
    const second = forOther(planOf(await lab.plan('set-args', { edits: [edit('4096')] })));
    lab.heal();
    await lab.carryOut(first);

    const run = await lab.carryOut(second);

    expect(run).toMatchObject({ state: 'failed', outcome: expect.stringMatching(/^Hands off: .*32768.*8192/) });
    expect(standing(lab)).toEqual({ replicas: 2, length: '8192' });
  });

  it('the way back of the first leaves what the second has set, and touches nothing, not even the count', async () => {
    const lab = await openLab();
    const stopped = planOf(await lab.plan('stop-bleed', { edits: [edit('8192')] }));
    lab.heal();
    const first = await lab.carryOut(stopped);
    await lab.carryOut(forOther(planOf(await lab.plan('set-args', { edits: [edit('4096')] }))));
    const before = lab.standin.writes.length;

    const back = await lab.takeBack(first);

    expect(first.state).toBe('done');
    expect(back.state).toBe('failed');
    expect(back.outcome).toMatch(/The way back stopped: nothing more is taken back: .*8192.*4096/);
    expect(standing(lab)).toEqual({ replicas: 2, length: '4096' });
    expect(lab.standin.writes.slice(before).filter(({ dryRun }) => !dryRun)).toEqual([]);
    expect(back.steps.some(({ phase }) => phase === 'undone')).toBe(false);
  });

  it('the way back of the first can be gone once the second is taken back', async () => {
    const lab = await openLab();
    const stopped = planOf(await lab.plan('stop-bleed', { edits: [edit('8192')] }));
    lab.heal();
    const first = await lab.carryOut(stopped);
    const second = await lab.carryOut(forOther(planOf(await lab.plan('set-args', { edits: [edit('4096')] }))));
    await lab.takeBack(first);

    const backs = [await lab.takeBack(second), await lab.takeBack(first)];

    expect(backs.map(({ state }) => state)).toEqual(['rolled-back', 'rolled-back']);
    expect(standing(lab)).toEqual({ replicas: 2, length: '32768' });
  });

  it('the way back says so where the second has put the value back already, and writes nothing', async () => {
    const lab = await openLab();
    lab.heal();
    const first = await lab.carryOut(planOf(await lab.plan('set-args', { edits: [edit('8192')] })));
    await lab.carryOut(forOther(planOf(await lab.plan('set-args', { edits: [edit('32768')] }))));

    const before = lab.standin.writes.length;

    const back = await lab.takeBack(first);

    expect(back.outcome).toMatch(/changed by someone else since .*8192.*32768/);
    expect(lab.standin.writes.slice(before).filter(({ dryRun }) => !dryRun)).toEqual([]);
    expect(standing(lab).length).toBe('32768');
  });

  it('the plan of a way back is refused where another run has changed the same value', async () => {
    const lab = await openLab();
    lab.heal();
    await lab.carryOut(planOf(await lab.plan('set-args', { edits: [edit('8192')] })));
    await lab.carryOut(forOther(planOf(await lab.plan('set-args', { edits: [edit('4096')] }))));

    const made = await lab.plan('roll-back');

    expect(made).toMatchObject({ kind: 'refused', says: expect.stringMatching(/was changed since.*not written over/) });
  });
});
