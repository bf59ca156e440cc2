import type { Message } from '../../../model/message.ts';
import type { Plan } from '../../../model/plan.ts';
import { planEnded, planLate } from '../../../report/acting-words.ts';
import type { ActStore } from '../../acting-ports.ts';

/** What is shown of a plan that ended before Slack took its card; undefined while it can be approved, and where it was. */
export async function drawEnded(
  acts: Pick<ActStore, 'now'>,
  command: string,
  plan: Plan,
): Promise<Message | undefined> {
  const { id, state, expiresAt } = plan;
  if (state === 'used') return undefined;
  if (state === 'rejected') return planEnded('already-rejected', id);
  if (state === 'replaced') return planEnded(state, id);
  const isOpen = state === 'proposed' && (await acts.now()) < expiresAt;
  return isOpen ? undefined : planLate(plan, command);
}
