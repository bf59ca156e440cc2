import { expect, it } from 'vitest';
import { readRollbackNote } from '../../../src/actions/run/rollback-note.ts';
import { parsePlanRequest } from '../../../src/app/acting/plan/plan-request.ts';
import { FAILED_BEFORE, type Plan } from '../../../src/model/plan.ts';
import { runCard } from '../../../src/report/run-card.ts';
import { buttonValue } from './commands-bench.ts';
import { type OwnerLab, openOwner, SHORTER } from './owners/owner-lab.ts';

async function carry(lab: OwnerLab, ...asked: Parameters<OwnerLab['plan']>): Promise<void> {
  const run = await lab.carryOut(await lab.planned(...asked));
  expect(run.state).toBe('done');
}

/** What an object says of the count, to a bot that has lost its store. */
const notedOn = ({ standin }: OwnerLab, kind: string): number | undefined =>
  readRollbackNote(standin.world.objects.find((object) => object.kind === kind))?.replicas;

/** The counts that a plan waits for, one after the other. */
const countsOf = ({ steps }: Plan): number[] =>
  steps.flatMap((step) => (step.kind === 'wait' && step.until === 'ready' ? [step.replicas] : []));

it.each(['Deployment', 'StatefulSet'])(
  'three buttons in a row bring a %s back to the count that it had',
  async (kind) => {
    const lab = await openOwner(kind, { replicas: 3 });

    await carry(lab, 'scale-to-zero');
    expect((await lab.planned('scale-up')).hazards[0]?.says).toMatch(/^These arguments failed at .*02:47 UTC/);
    await carry(lab, 'set-args', SHORTER);
    expect(notedOn(lab, kind)).toBe(3);
    lab.heal();
    const up = await lab.planned('scale-up');

    expect(countsOf(up)).toEqual([1, 3]);
    expect(up.hazards.map(({ id }) => id)).not.toContain(FAILED_BEFORE);
    expect((await lab.carryOut(up)).state).toBe('done');
  },
);

it('the button of a workload that was taken to zero asks for a plan that brings back the count, and for nothing to be done', async () => {
  const lab = await openOwner('Deployment', { replicas: 3 });
  const down = await lab.planned('scale-to-zero');
  const card = runCard(await lab.carryOut(down), down);
  const before = lab.objects();

  const parsed = parsePlanRequest(buttonValue(card, 'plan'));

  if (parsed.kind === 'wrong' || parsed.request.action === undefined) throw new Error('not understood');
  expect(parsed.request).toMatchObject({ incidentId: down.incidentId, action: 'scale-up', values: [] });
  const up = await lab.planned(parsed.request.action);
  expect(countsOf(up)).toEqual([1, 3]);
  expect(up.state).toBe('proposed');
  expect(lab.objects()).toEqual(before);
});
