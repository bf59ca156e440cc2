import type { Plan, PlanStep, WriteStep } from '../../../src/model/plan.ts';
import { examplePlan } from '../../model/plan-examples.ts';

const { object } = examplePlan.target;
const ARGS = '/spec/template/spec/containers/0/args';

/** A step that changes one field of the example's workload from one value to another. */
export function aWrite(n: number, over: { path?: string; from: unknown; to: unknown; says?: string }): WriteStep {
  const { path = '/spec/replicas', from, to, says = `set ${path} to ${JSON.stringify(to)}` } = over;
  const set = (was: unknown, will: unknown) =>
    [
      { op: 'test', path, value: was },
      { op: 'replace', path, value: will },
    ] as WriteStep['patch'];
  return {
    kind: 'write',
    n,
    says,
    object,
    subresource: 'none',
    patch: set(from, to),
    inverse: set(to, from),
    command: 'kubectl patch …',
    inverseCommand: 'kubectl patch … back',
  };
}

export const OLD_ARGS = ['--model', 'm', '--gpu-memory-utilization', '0.95'];
export const NEW_ARGS = ['--model', 'm', '--gpu-memory-utilization', '0.85'];

/** To zero, arguments, one, both, verified: the sequence that stops the bleeding. */
export function aStopBleed(over: Partial<Plan> = {}, pace: { everyMs?: number; forMs?: number } = {}): Plan {
  const { everyMs = 10_000, forMs = 600_000 } = pace;
  const wait = (n: number, until: 'no-pods' | 'ready', replicas: number): PlanStep => ({
    kind: 'wait',
    n,
    says: until === 'no-pods' ? 'wait until no pods are left' : `wait until ${replicas} are ready`,
    until,
    replicas,
    everyMs,
    deadlineMs: 1_800_000,
  });
  return {
    ...examplePlan,
    action: 'stop-bleed',
    steps: [
      aWrite(1, { from: 2, to: 0 }),
      wait(2, 'no-pods', 0),
      aWrite(3, { path: ARGS, from: OLD_ARGS, to: NEW_ARGS }),
      aWrite(4, { from: 0, to: 1 }),
      wait(5, 'ready', 1),
      aWrite(6, { from: 1, to: 2 }),
      wait(7, 'ready', 2),
      { kind: 'verify', n: 8, says: 'verify', replicas: 2, forMs, everyMs: 30_000 },
    ],
    ...over,
  };
}
