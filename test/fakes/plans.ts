import type { Click } from '../../src/app/acting-ports.ts';
import type { Plan, PlanTarget } from '../../src/model/plan.ts';
import { examplePlan } from '../model/plan-examples.ts';
import { START } from './clock.ts';

let made = 0;
/** A plan on a workload of its own, unless told. */
export function aPlan(over: Partial<Plan> & { workload?: string } = {}): Plan {
  made += 1;
  const { workload = `vllm-${made}`, ...rest } = over;
  const target: PlanTarget = { ...examplePlan.target, object: { ...examplePlan.target.object, name: workload } };
  const id = `plan_${String(made).padStart(20, '0')}`;
  const times = { proposedAt: START, expiresAt: START + 900_000 };
  return { ...examplePlan, id, target, hash: `hash-${made}`, ...times, ...rest };
}

/** The approval of a plan by one who has not asked for it. */
export function aClick({ id: planId, hash }: Pick<Plan, 'id' | 'hash'>, over: Partial<Click> = {}): Click {
  const base = { planId, hash, who: 'U_APPROVER', decision: 'approve' as const };
  return { ...base, barRequester: true, breakGlass: null, at: START + 1000, ...over };
}
