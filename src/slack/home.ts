import type { WebClient } from '@slack/web-api';
import type { Message } from '../model/message.ts';
import { type CallOutcome, callSlack } from './api/call.ts';
import type { DeliverDeps } from './deliver.ts';
import { drawHome, type HomeView } from './draw/message.ts';
import { drawPlain } from './draw/plain.ts';
import { validateHome } from './limits/message-limits.ts';

const WITHIN_MS = 15_000;

/** Shows messages in a person's Home tab; as plain text where Slack refuses the blocks. Answers false where it could not be shown. */
export async function publishHome(
  deps: Pick<DeliverDeps, 'clock' | 'log' | 'counters'> & { readonly client: WebClient },
  user: string,
  messages: readonly Message[],
): Promise<boolean> {
  const publish = (view: HomeView): Promise<CallOutcome<unknown>> =>
    callSlack(deps.clock, () => deps.client.views.publish({ user_id: user, view }), {
      withinMs: WITHIN_MS,
      repeatable: true,
    });
  const view = drawHome(messages);
  const first = validateHome(view).length === 0 ? await publish(view) : undefined;
  if (first?.kind === 'ok') return true;

  deps.counters.replaced += 1;
  deps.log.warn('home tab replaced by plain text', { code: first?.code ?? 'own-check' });
  const second = await publish(plainHome(messages));
  if (second.kind === 'ok') return true;
  deps.counters.refused += 1;
  deps.log.warn('home tab refused', { code: second.code });
  return false;
}

function plainHome(messages: readonly Message[]): HomeView {
  const blocks = messages.slice(0, 20).map((message) => ({
    type: 'section' as const,
    text: { type: 'mrkdwn' as const, text: drawPlain(message), verbatim: true },
  }));
  return { type: 'home', blocks };
}
