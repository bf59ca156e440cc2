import { describe, expect, it } from 'vitest';
import { readRollbackNote } from '../../../src/actions/run/rollback-note.ts';
import type { MadePlan } from '../../../src/app/acting/plan/make-plan.ts';
import type { Plan } from '../../../src/model/plan.ts';
import type { Edit } from '../../../src/model/verdict.ts';
import { type OwnerLab, openOwnerLab } from './owners/owner-lab.ts';
import { OWNERS } from './owners/owner-objects.ts';

const EDITS: Edit[] = [{ flag: '--max-model-len', from: null, to: '8192', why: 'it fits', facts: [] }];

async function open(kind: string): Promise<OwnerLab> {
  const owner = OWNERS.find(({ name }) => name === kind);
  if (owner === undefined) throw new Error(`no ${kind}`);
  return openOwnerLab({ objects: owner.objects({ replicas: 3 }), container: owner.container });
}

function planOf(made: MadePlan): Plan {
  if (made.kind === 'refused') throw new Error(made.says);
  return made.plan;
}

async function carry(lab: OwnerLab, ...asked: Parameters<OwnerLab['plan']>): Promise<void> {
  const run = await lab.carryOut(planOf(await lab.plan(...asked)));
  expect(run.state).toBe('done');
}

/** What an object says of the count, to a bot that has lost its store. */
const notedOn = ({ standin }: OwnerLab, kind: string): number | undefined =>
  readRollbackNote(standin.world.objects.find((object) => object.kind === kind))?.replicas;

/** The counts that a plan waits for, one after the other. */
const countsOf = ({ steps }: Plan): number[] =>
  steps.flatMap((step) => (step.kind === 'wait' && step.until === 'ready' ? [step.replicas] : []));

describe('three buttons in a row', () => {
  it.each(['Deployment', 'StatefulSet'])('bring a %s back to the count that it had', async (kind) => {
    const lab = await open(kind);

    await carry(lab, 'scale-to-zero');
    await carry(lab, 'set-args', { edits: EDITS });
    expect(notedOn(lab, kind)).toBe(3);
    lab.heal();
    const up = planOf(await lab.plan('scale-up'));

    expect(countsOf(up)).toEqual([1, 3]);
    expect((await lab.carryOut(up)).state).toBe('done');
  });
});
