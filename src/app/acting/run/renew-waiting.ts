import type { Message } from '../../../model/message.ts';
import type { ActStore } from '../../acting-ports.ts';
import type { UnsentMessage } from '../../outbox-ports.ts';
import { drawEnded } from './ended-plan.ts';
import { isReminderDue } from './remind.ts';

type Waited = Pick<UnsentMessage, 'kind' | 'message'>;

/** A message that waited for Slack as it is sent now; undefined where nobody needs it any more. */
export async function renewWaiting(
  acts: Pick<ActStore, 'now' | 'plan' | 'paused'>,
  command: string,
  { kind, message }: Waited,
): Promise<Message | undefined> {
  const [topic, id = ''] = kind.split('/');
  if (topic === 'pause' || topic === 'resume') {
    const isPaused = (await acts.paused()) !== undefined;
    return isPaused === (topic === 'pause') ? message : undefined;
  }
  if (topic !== 'plan') return (await isReminderDue(acts, kind)) ? message : undefined;
  const plan = await acts.plan(id);
  return (plan && (await drawEnded(acts, command, plan))) ?? message;
}
