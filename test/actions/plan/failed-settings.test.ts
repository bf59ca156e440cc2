import { describe, expect, it } from 'vitest';
import type { PlanInput } from '../../../src/actions/plan/plan-action.ts';
import { createRedactor } from '../../../src/snapshot/redact.ts';
import { redactJson } from '../../../src/snapshot/redact-json.ts';
import { aContainer, aDeployment } from '../objects.ts';
import { planOf } from './harness.ts';

const AT = Date.parse('2026-01-15T02:47:31Z');
const asEvidence = (value: unknown) => redactJson(value, createRedactor());
const FAILED = { at: AT, owner: asEvidence(aDeployment()), container: asEvidence(aContainer()) };
const SHORTER = ['--max-model-len', '8192'];

const UP: Partial<PlanInput> = {
  action: 'scale-up',
  edits: [],
  object: aDeployment({ replicas: 0 }),
  pods: { ready: 0, total: 0 },
  recordedReplicas: 3,
  failed: FAILED,
};
const stopped = (container: object) => aDeployment({ replicas: 0, container: { ...container } });

describe('a plan that starts a stopped workload', () => {
  it('warns first if its arguments are those that failed', () => {
    const [first] = planOf(UP).hazards;

    expect(first?.says).toBe('These arguments failed at 02:47 UTC and are unchanged: expect the same failure.');
  });

  it('names the day if it was another', () => {
    expect(planOf({ ...UP, at: '2026-01-16T03:00:00.000Z' }).hazards[0]?.says).toMatch(/at 2026-01-15 02:47 UTC/);
  });

  it.each<[string, Partial<PlanInput>]>([
    ['nothing is known to have failed', { failed: undefined }],
    ['its arguments were changed', { object: stopped({ args: SHORTER }) }],
    ['its memory limit was changed', { object: stopped({ resources: { limits: { memory: '48Gi' } } }) }],
    ['its image was changed', { object: stopped({ image: 'vllm/vllm-openai:v0.11.1' }) }],
    ['the pod that failed ran other arguments', { failed: { ...FAILED, container: aContainer({ args: SHORTER }) } }],
    ['it was made anew', { object: aDeployment({ replicas: 0, meta: { uid: 'another' } }) }],
    ['some replicas run', { object: aDeployment({ replicas: 1 }), pods: { ready: 1, total: 1 } }],
    [
      'it sets other arguments',
      {
        ...UP,
        action: 'set-args',
        edits: [{ flag: '--max-model-len', from: '32768', to: '8192', why: '', facts: [] }],
      },
    ],
  ])('does not warn if %s', (_, over) => {
    expect(planOf({ ...UP, ...over }).hazards.map(({ id }) => id)).not.toContain('failed-before');
  });
});
