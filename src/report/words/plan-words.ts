import { MEMORY_LIMIT } from '../../model/flag-values.ts';
import { capital } from '../../model/format-value.ts';
import type { Confirm } from '../../model/message.ts';
import type { Plan } from '../../model/plan.ts';
import { clip } from './sentence.ts';

type Acting = Pick<Plan, 'action' | 'edits' | 'steps' | 'target' | 'serving'>;

const MOST_EDITS = 2;

/** What a plan does, as `restart vllm-server with --max-model-len 18736`. */
export function subjectOf(plan: Acting): string {
  const { name } = plan.target.object;
  switch (plan.action) {
    case 'scale-to-zero':
      return leavesNone(plan) ? `scale ${name} to 0` : `scale ${name} down to its ${plan.serving.ready} ready replicas`;
    case 'scale-up':
      return `scale ${name} up to ${highestCount(plan)}`;
    case 'roll-back':
      return `roll back ${name}`;
    case 'replace-pod':
      return `take the pod of ${name} out of its Service and replace it`;
    case 'restart-drained':
      return `restart ${name} after draining`;
    case 'set-args':
    case 'set-allocator':
    case 'raise-ram':
    case 'stop-bleed':
    case 'advise':
      return `restart ${name}${editWords(plan)}`;
  }
}

/** `restart vllm-server with --max-model-len 18736 · llm · prod`. */
export function planTitle(plan: Acting): string {
  const { namespace } = plan.target.object;
  return `${clip(subjectOf(plan), 110)} · ${clip(namespace, 30)} · ${clip(plan.target.cluster, 20)}`;
}

const PAST: Readonly<Record<string, string>> = { scale: 'scaled', restart: 'restarted', roll: 'rolled', take: 'took' };

/** The same once it is done: `restarted vllm-server with --max-model-len 18736 · llm · prod`. */
export function doneTitle(plan: Acting): string {
  return planTitle(plan).replace(/^\w+/, (verb) => PAST[verb] ?? verb);
}

function editWords({ edits }: Acting): string {
  const set = edits.map(({ flag, to }) => {
    if (flag === MEMORY_LIMIT) return `memory limit ${to}`;
    if (to === null) return `no ${flag}`;
    return clip(to === '' ? flag : `${flag}${flag.startsWith('-') ? ' ' : '='}${to}`, 70);
  });
  const more = set.length - MOST_EDITS;
  const shown = [...set.slice(0, MOST_EDITS), ...(more > 0 ? [`${more} more`] : [])];
  return shown.length === 0 ? '' : ` with ${shown.join(', ')}`;
}

/** Whether it leaves no replica; with ready replicas the action takes away the broken ones alone. */
export function leavesNone({ action, steps }: Pick<Plan, 'action' | 'steps'>): boolean {
  return action === 'scale-to-zero' && steps.some((step) => step.kind === 'wait' && step.until === 'no-pods');
}

function highestCount({ steps }: Pick<Plan, 'steps'>): number {
  return Math.max(1, ...steps.map((step) => ('replicas' in step ? step.replicas : 0)));
}

/** How many replicas are ready, and how many of them a plan stops or replaces. */
function servingWords({ serving: { ready, total, stopped, replaced = 0 } }: Pick<Plan, 'serving'>): string {
  const are = `${ready} of ${total} replicas ready`;
  if (ready === 0) return `Already down (${are}).`;
  if (replaced > 1) return `${are}; replaces all ${replaced}, at most 1 ready replica at a time.`;
  if (replaced === 1 && stopped === 0) return `${are}; it is replaced once the new one is ready.`;
  return stopped === 0 ? `${are}; no ready replica is stopped.` : `${are}; stops ${stopped} of them.`;
}

/** What a plan costs, in one line. */
export function impactWords(plan: Pick<Plan, 'serving' | 'outage' | 'cost'>): string {
  return [servingWords(plan), plan.outage.says, plan.cost].join(' ');
}

/** Whether a rollback changes anything: a restart alone cannot be rolled back. */
export function canRollBack({ steps }: Pick<Plan, 'steps'>): boolean {
  return steps.some((step) => step.kind === 'write' && step.inverse.some(({ op }) => op !== 'test'));
}

/** What the button of an approval asks: target and effect. */
export function approveConfirm(plan: Acting): Confirm {
  const { namespace } = plan.target.object;
  const back = canRollBack(plan) ? 'You can roll back.' : 'A restart cannot be rolled back.';
  const head = `${capital(clip(subjectOf(plan), 170))} in ${clip(namespace, 30)} (${clip(plan.target.cluster, 20)})?`;
  return { title: 'Approve this plan?', text: clip(`${head} ${servingWords(plan)} ${back}`, 300), yes: 'Approve' };
}
