import { describe, expect, it } from 'vitest';
import { isSameJson, valueAt } from '../../../../src/model/json-patch.ts';
import type { Plan } from '../../../../src/model/plan.ts';
import { type OwnerLab, openOwner, SHORTER } from './owner-lab.ts';

const openServing = (name: string, replicas: number) => openOwner(name, { replicas, standing: 'serving' });

// As many GPUs as replicas: nothing can be started beside what is there.
async function planIn(lab: OwnerLab, gpus: number, toZero = false): Promise<Plan> {
  const plan = await lab.planned('set-args', { ...SHORTER, toZero });
  Object.assign(lab.standin.cluster.life, { gpus });
  return plan;
}

/** Pods that are there, and whether they serve, by the words that they run. */
function podsIn({ standin }: OwnerLab): string[] {
  return standin.world.objects
    .filter(({ kind, metadata }) => kind === 'Pod' && metadata.deletionTimestamp === undefined)
    .map((pod) => {
      const words = JSON.stringify(valueAt(pod, '/spec/containers/0'));
      const conditions = valueAt(pod, '/status/conditions');
      const isReady =
        Array.isArray(conditions) && conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
      return `${words.includes('8192') ? 'new' : 'old'}${isReady ? '' : ', not ready'}`;
    });
}

const all = (word: string, count: number): string[] => Array.from({ length: count }, () => word);

describe('with as many GPUs as replicas, the way back rolls the pods, not the objects alone', () => {
  it.each([
    ['Deployment', 1],
    ['Deployment', 2],
    ['Deployment', 3],
    ['Rollout (canary)', 3],
    ['StatefulSet', 1],
    ['StatefulSet', 3],
  ])('%s of %i replicas, by the button', async (name, replicas) => {
    const lab = await openServing(name, replicas);
    const before = lab.objects();
    const run = await lab.carryOut(await planIn(lab, replicas, replicas === 1));
    expect(podsIn(lab)).toEqual(all('new', replicas));

    const back = await lab.takeBack(run);

    expect([run.state, back.state]).toEqual(['done', 'rolled-back']);
    expect(back.outcome).toContain(`All changes are rolled back; ${replicas} of ${replicas} replicas ready.`);
    expect(podsIn(lab)).toEqual(all('old', replicas));
    expect(isSameJson(lab.objects(), before)).toBe(true);
  });

  it.each([2, 3])('a Deployment of %i whose wait runs out, by itself', async (replicas) => {
    const lab = await openServing('Deployment', replicas);
    const before = lab.objects();
    const plan = await planIn(lab, replicas);
    const bad = {
      ...plan,
      steps: plan.steps.map((step) => (step.kind === 'wait' ? { ...step, deadlineMs: 30_000 } : step)),
    };
    const run = await lab.carryOut(bad, { rollBack: 'automatic' });

    expect(run.state).toBe('rolled-back');
    expect(isSameJson(lab.objects(), before)).toBe(true);
    expect(podsIn(lab).map((pod) => pod.split(',')[0])).toEqual(all('old', replicas));
  });

  it('the stop-bleed sequence of a Deployment, through zero as the change was', async () => {
    const lab = await openOwner('Deployment');
    const plan = await lab.planned('stop-bleed', SHORTER);
    Object.assign(lab.standin.cluster.life, { crash: undefined, gpus: 2 });

    const back = await lab.takeBack(await lab.carryOut(plan));

    expect(back.outcome).toContain('All changes are rolled back; ');
    expect(podsIn(lab).map((pod) => pod.split(',')[0])).toEqual(all('old', 2));
  });

  it('says so where the pods do not follow in time', async () => {
    const lab = await openServing('Deployment', 3);
    const before = lab.objects();
    const run = await lab.carryOut(await planIn(lab, 3));
    // No GPU is left for any pod that is made from now on.
    Object.assign(lab.standin.cluster.life, { gpus: 0 });

    const back = await lab.takeBack(run);

    expect(back.state).toBe('rolled-back');
    expect(back.outcome).toMatch(
      /The old settings are restored, but (?:\d of 3 still run the old template|.*2 of 3 replicas ready)/,
    );
    expect(back.outcome).not.toContain('All changes are rolled back');
    expect(isSameJson(lab.objects(), before)).toBe(true);
  });
});
