import { describe, expect, it } from 'vitest';
import { valueAt } from '../../../src/model/json-patch.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { aClick } from '../../fakes/plans.ts';
import { anEdit, OTHER_INCIDENT, type OwnerLab, openOwner } from './owners/owner-lab.ts';

const planned = (lab: OwnerLab, length: string, action: 'set-args' | 'stop-bleed' = 'set-args') =>
  lab.planned(action, { edits: [anEdit('--max-model-len', length)] });
const forOther = (plan: Plan): Plan => ({ ...plan, incidentId: OTHER_INCIDENT });

function standing({ standin }: OwnerLab) {
  const object = standin.world.objects.find(({ kind }) => kind === 'Deployment');
  const args = JSON.stringify(valueAt(object, '/spec/template/spec/containers/0/args'));
  return { replicas: valueAt(object, '/spec/replicas'), length: /max-model-len\D*(\d+)/.exec(args)?.[1] };
}

describe('two incidents on one workload', () => {
  it('do not run at once: the second approval is told that another run is under way', async () => {
    const lab = await openOwner('Deployment');
    const first = await planned(lab, '8192', 'stop-bleed');
    const second = forOther(await planned(lab, '4096'));
    await lab.store.savePlan(second);
    let told: unknown;
    lab.heal();
    lab.onTime = () => {
      told ??= lab.store.click(aClick(second, { at: lab.clock.now() }));
    };

    await lab.carryOut(first);

    expect(await told).toEqual({ kind: 'refused', why: 'busy' });
  });

  it('do not write over each other: a plan from before the other run ended changes nothing, and shows both values', async () => {
    const lab = await openOwner('Deployment');
    const first = await planned(lab, '8192');
    const second = forOther(await planned(lab, '4096'));
    lab.heal();
    await lab.carryOut(first);

    const run = await lab.carryOut(second);

    expect(run).toMatchObject({ state: 'aborted', outcome: expect.stringMatching(/32768.*8192/) });
    expect(standing(lab)).toEqual({ replicas: 2, length: '8192' });
  });

  it('the way back of the first leaves what the second has set, and touches nothing, not even the count', async () => {
    const lab = await openOwner('Deployment');
    const stopped = await planned(lab, '8192', 'stop-bleed');
    lab.heal();
    const first = await lab.carryOut(stopped);
    await lab.carryOut(forOther(await planned(lab, '4096')));
    const before = lab.standin.writes.length;

    const back = await lab.takeBack(first);

    expect(first.state).toBe('done');
    expect(back.state).toBe('failed');
    expect(back.outcome).toMatch(/Rollback stopped: llm.*changed by someone else.*8192.*4096/);
    expect(standing(lab)).toEqual({ replicas: 2, length: '4096' });
    expect(lab.standin.writes.slice(before).filter(({ dryRun }) => !dryRun)).toEqual([]);
    expect(back.steps.some(({ phase }) => phase === 'undone')).toBe(false);
  });

  it('the way back of the first can be gone once the second is taken back', async () => {
    const lab = await openOwner('Deployment');
    const stopped = await planned(lab, '8192', 'stop-bleed');
    lab.heal();
    const first = await lab.carryOut(stopped);
    const second = await lab.carryOut(forOther(await planned(lab, '4096')));
    await lab.takeBack(first);

    const backs = [await lab.takeBack(second), await lab.takeBack(first)];

    expect(backs.map(({ state }) => state)).toEqual(['rolled-back', 'rolled-back']);
    expect(standing(lab)).toEqual({ replicas: 2, length: '32768' });
  });

  it('the way back says so where the second has put the value back already, and changes nothing', async () => {
    const lab = await openOwner('Deployment');
    lab.heal();
    const first = await lab.carryOut(await planned(lab, '8192'));
    await lab.carryOut(forOther(await planned(lab, '32768')));

    const before = lab.standin.writes.length;

    const back = await lab.takeBack(first);

    expect(back.outcome).toMatch(/changed by someone else since .*8192.*32768/);
    expect(lab.standin.writes.slice(before).filter(({ dryRun }) => !dryRun)).toEqual([]);
    expect(standing(lab).length).toBe('32768');
  });

  it('the plan of a way back is refused where another run has changed the same value', async () => {
    const lab = await openOwner('Deployment');
    lab.heal();
    await lab.carryOut(await planned(lab, '8192'));
    await lab.carryOut(forOther(await planned(lab, '4096')));

    const made = await lab.plan('roll-back');

    expect(made).toMatchObject({
      kind: 'refused',
      says: expect.stringMatching(/was changed since.*does not overwrite/),
    });
  });
});
