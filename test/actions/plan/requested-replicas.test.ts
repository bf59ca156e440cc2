import { describe, expect, it } from 'vitest';
import type { PlanInput } from '../../../src/actions/plan/plan-action.ts';
import * as given from '../objects.ts';
import { LOWER, outlineOf, planOf, refusalOf } from './harness.ts';

const AT_ZERO = given.aDeployment({ replicas: 0, ready: 0 });
const UP: Partial<PlanInput> = { action: 'scale-up', edits: [], object: AT_ZERO };
const SERVES = given.aDeployment({ ready: 2 });
const asked = (wantedReplicas: number, over: Partial<PlanInput> = {}): Partial<PlanInput> => {
  return { ...over, wantedReplicas };
};

describe('a typed count', () => {
  it.each<[string, Partial<PlanInput>, string]>([
    ['all are down', asked(5), 'verify 5'],
    ['all are down, with fewer than before', asked(1), 'verify 1'],
    ['it stands at zero, whatever was recorded', asked(2, { object: AT_ZERO, recordedReplicas: 3 }), 'verify 2'],
    [
      'some serve and zero is asked for',
      asked(2, { object: given.aDeployment({ ready: 3 }), toZero: true }),
      'verify 2',
    ],
    ['it is scaled up', asked(4, { ...UP, recordedReplicas: 2 }), 'verify 4'],
    ['nothing was recorded, up to the configured most', asked(10, UP), 'verify 10'],
    ['more were recorded than configured', asked(14, { ...UP, recordedReplicas: 14 }), 'verify 14'],
    [
      'more are there than configured',
      asked(12, { object: given.aDeployment({ replicas: 12, ready: 0 }) }),
      'verify 12',
    ],
  ])('is what it comes back to where %s', (_, over, last) => {
    const plan = planOf(over);

    expect(outlineOf(plan.steps).at(-1)).toBe(last);
    expect(plan.replicas).toBe(over.wantedReplicas);
  });

  it('is as far as the autoscaler lets it stand, which is then said', () => {
    const { hazards } = planOf(asked(5, { ...UP, surroundings: [given.anHpa()] }));

    expect(hazards.map(({ says }) => says).join('\n')).toContain('(5 were asked for)');
  });

  it.each<[string, Partial<PlanInput>, 'above-cap' | 'no-place', RegExp]>([
    ['some serve', asked(50, { object: SERVES }), 'above-cap', /at most 10/],
    [
      'it would be passed over while some serve',
      asked(5, { object: SERVES }),
      'no-place',
      /2 of 3 replicas ready.*would ignore `--replicas=5`.*`scale-up --replicas=5`/,
    ],
    [
      'nothing runs and nothing is started',
      asked(5, { action: 'set-args', edits: [LOWER], object: AT_ZERO }),
      'no-place',
      /no replicas run now.*would ignore/,
    ],
    ['nothing bounds it but the configuration', asked(9999, UP), 'above-cap', /above 10,.*`acting\.maxReplicas`/],
    ['more than was recorded', asked(15, { ...UP, recordedReplicas: 14 }), 'above-cap', /above 14,.*at most 14/],
    [
      'the autoscaler would take it back, whatever was recorded',
      asked(9, { ...UP, recordedReplicas: 12, surroundings: [given.anHpa()] }),
      'above-cap',
      /above 6, the maximum of the autoscaler/,
    ],
    [
      'KEDA would',
      asked(5, { ...UP, surroundings: [given.aScaledObject()] }),
      'above-cap',
      /the maximum of the autoscaler/,
    ],
    [
      'the owner has none',
      asked(4, { object: given.anInferenceService() }),
      'no-place',
      /has no replica count to set: it starts with its configured minimum, \d/,
    ],
  ])('is refused with the next step where %s', (_, over, why, says) => {
    const refusal = refusalOf(over);

    expect(refusal.why).toBe(why);
    expect(refusal.says).toMatch(says);
    expect(refusal.says.length).toBeLessThan(290);
  });
});
