import { describe, expect, it } from 'vitest';
import type { MadePlan } from '../../../src/app/acting/plan/make-plan.ts';
import { parsePlanRequest } from '../../../src/app/acting/plan/plan-request.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { runCard } from '../../../src/report/run-card.ts';
import { buttonValue } from './commands-bench.ts';
import { type OwnerLab, openOwnerLab } from './owners/owner-lab.ts';
import { OWNERS } from './owners/owner-objects.ts';

async function open(replicas: number): Promise<OwnerLab> {
  const owner = OWNERS.find(({ name }) => name === 'Deployment');
  if (owner === undefined) throw new Error('no Deployment');
  return openOwnerLab({ objects: owner.objects({ replicas }), container: owner.container });
}

function planOf(made: MadePlan): Plan {
  if (made.kind === 'refused') throw new Error(made.says);
  return made.plan;
}

/** The counts that a plan waits for, one after the other. */
const countsOf = ({ steps }: Plan): number[] =>
  steps.flatMap((step) => (step.kind === 'wait' && step.until === 'ready' ? [step.replicas] : []));

describe('the button of a workload that was taken to zero', () => {
  it('asks for a plan that brings back the count, and for nothing to be done', async () => {
    const lab = await open(3);
    const down = planOf(await lab.plan('scale-to-zero'));
    const card = runCard(await lab.carryOut(down), down);
    const before = lab.objects();

    const parsed = parsePlanRequest(buttonValue(card, 'plan'));

    if (parsed.kind === 'wrong' || parsed.request.action === undefined) throw new Error('not understood');
    expect(parsed.request).toMatchObject({ incidentId: down.incidentId, action: 'scale-up', values: [] });
    const up = planOf(await lab.plan(parsed.request.action));
    expect(countsOf(up)).toEqual([1, 3]);
    expect(up.state).toBe('proposed');
    expect(lab.objects()).toEqual(before);
  });
});
