import type { ReadBudget } from '../../app/ports.ts';
import type { LogPlan } from '../logs/plan-logs.ts';

/** Calls taken from the budget before they are made, so that what matters most is never the one that is dropped. */
export type Reserved = {
  /** HEAD and CRASH of each plan. */
  readonly logs: readonly { readonly head: boolean; readonly crash: boolean }[];
  readonly podAgain: boolean;
  readonly events: boolean;
  readonly owner: boolean;
  readonly node: boolean;
};

export type Wants = {
  readonly plans: readonly LogPlan[];
  readonly events: boolean;
  readonly owner: boolean;
  readonly node: boolean;
};

/**
 * The fixed order in which reads are dropped, the first one last: the pod; HEAD and CRASH of the container looked at; the
 * second look at the pod; its events; its owner; its node; HEAD and CRASH of its other instance, or of a second container; of
 * a third log the end alone, which leaves a call for the log as a whole. After these, as calls are left: owners further up, siblings, revisions, autoscalers, events of the node, disruption budgets, metrics.k8s.io,
 * and last the log as a whole or once more.
 */
export function reserve(budget: ReadBudget, { plans, events, owner, node }: Wants): Reserved {
  const logOf = () => {
    const head = budget.take('log');
    return { head, crash: budget.take('log') };
  };
  const [first, ...more] = plans;
  const firstLog = first === undefined ? [] : [logOf()];
  const podAgain = firstLog.length > 0 && budget.take('call');
  const reserved = {
    podAgain,
    events: events && budget.take('call'),
    owner: owner && budget.take('call'),
    node: node && budget.take('call'),
  };
  const others = more.map((_, i) => (i === 0 ? logOf() : { head: false, crash: budget.take('log') }));
  return { ...reserved, logs: [...firstLog, ...others] };
}
