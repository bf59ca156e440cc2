import { approversFor, type Rights } from '../../../model/authorise.ts';
import type { Plan } from '../../../model/plan.ts';
import { planReminder } from '../../../report/plan-card.ts';
import type { ActStore } from '../../acting-ports.ts';
import type { Outbox } from '../../outbox.ts';
import type { Log, MessageKind } from '../../ports.ts';
import { approversOf, type RunViewDeps, threadOf } from './run-view.ts';

type RemindDeps = Pick<RunViewDeps, 'store' | 'chat'> & {
  readonly outbox: Pick<Outbox, 'enqueue'>;
  readonly acts: Pick<ActStore, 'now' | 'openPlans' | 'approvals'>;
  readonly rights: Rights;
  readonly log: Log;
};

/**
 * One look for plans that have waited for half of their time: the approvers are mentioned once more. The outbox takes one
 * reminder of a plan, so a restart or a second bot sends none twice. Never rejects.
 */
export function createReminder(deps: RemindDeps): () => Promise<void> {
  const reminded = new Set<string>();
  return async () => {
    try {
      const now = await deps.acts.now();
      const open = await deps.acts.openPlans(now);
      const ids = new Set(open.map(({ id }) => id));
      for (const id of reminded) if (!ids.has(id)) reminded.delete(id);
      for (const plan of open) {
        const { id, proposedAt, expiresAt } = plan;
        if (reminded.has(id) || now < (proposedAt + expiresAt) / 2) continue;
        reminded.add(id);
        // Slack may be away for long: the other plans do not wait for it.
        void isReminded(deps, plan).then((isDone) => isDone || reminded.delete(id));
      }
    } catch (error) {
      deps.log.warn('waiting plans not read', { error });
    }
  };
}

function isReminded(deps: RemindDeps, plan: Plan): Promise<boolean> {
  return remind(deps, plan).catch((error) => {
    deps.log.warn('approvers not reminded', { plan: plan.id, error });
    return false;
  });
}

// Answers whether the reminder is in the outbox, now or before: not while the card of the plan is not posted yet.
async function remind({ store, chat, outbox, acts, rights }: RemindDeps, plan: Plan): Promise<boolean> {
  const { id, incidentId, target, action } = plan;
  const ref = (await store.messages(incidentId, `plan/${id}`)).at(-1);
  if (ref === undefined) return false;
  const { conversation } = ref;
  const message = planReminder(plan, {
    approvers: approversFor(rights, { cluster: target.cluster, namespace: target.object.namespace, action }),
    approvedBy: await approversOf(acts, id),
    link: await chat.permalink(ref),
  });
  const thread = await threadOf(store, incidentId, ref);
  await outbox.enqueue({ incidentId, kind: `remind/${id}`, conversation, thread, message, once: true });
  return true;
}

/** Whether a message that waited for Slack may still be sent: a reminder only while its plan can be approved. */
export async function isReminderDue(acts: Pick<ActStore, 'now' | 'plan'>, kind: MessageKind): Promise<boolean> {
  if (!kind.startsWith('remind/')) return true;
  const plan = await acts.plan(kind.slice('remind/'.length));
  return plan?.state === 'proposed' && plan.expiresAt > (await acts.now());
}
