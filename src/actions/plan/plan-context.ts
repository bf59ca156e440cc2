import type { Hazard } from '../../model/plan.ts';
import type { Edit } from '../../model/verdict.ts';
import type { Serving } from '../owners/count-serving.ts';
import type { Managers } from '../owners/find-managers.ts';
import type { Owner, ScaleWay } from '../owners/owner.ts';
import type { PlanInput } from './plan-input.ts';
import type { StepList } from './steps.ts';

/** What a plan is being laid from, and the list it is laid into. */
export type Work = {
  readonly owner: Owner;
  readonly managers: Managers;
  readonly serving: Serving;
  readonly input: PlanInput;
  readonly steps: StepList;
};

export type Scalable = Exclude<ScaleWay, { kind: 'none' }>;

/** What the steps amount to. */
export type Laid = {
  readonly kind: 'laid';
  readonly edits: readonly Edit[];
  /** How far the number of replicas that serve goes down, at worst. */
  readonly stopped: number;
  /** How many are replaced one at a time, serving or not. */
  readonly replaced?: number;
  /** How many give their GPUs back; all of them where this is left out. */
  readonly freed?: number | undefined;
  readonly outage: 'none' | 'one-start' | 'until-scaled-up';
  /** Whether GPUs are released in between; `in-place`: each replica takes those of the one it replaces. */
  readonly gpus: 'freed' | 'in-place' | 'wanted' | 'kept';
  /** Going to zero although replicas serve: the name of the workload has to be typed. */
  readonly confirm: boolean;
  /** Whether the count that was asked for, or was there before, is set. */
  readonly setsCount?: boolean;
  readonly hazards: readonly Hazard[];
};

/** Whether there is anything to stop. */
export function isUp(scale: Scalable): boolean {
  return scale.kind === 'count' ? scale.now > 0 : !scale.isStopped;
}

/** What is laid, of which only what is told differs from a plan that stops, frees and asks for nothing. */
export function laid(parts: Partial<Omit<Laid, 'kind'>>): Laid {
  return { kind: 'laid', edits: [], stopped: 0, outage: 'none', gpus: 'kept', confirm: false, hazards: [], ...parts };
}
