import type { App } from '@slack/bolt';
import type { Message } from '../../model/message.ts';
import { faultMessage } from './fault.ts';
import type { Interactions } from './interactions.ts';
import { HomeOpened, isInHome, requestOfClick } from './payloads.ts';
import { readOrAck } from './read-or-ack.ts';

/**
 * The Home tab was opened: it is filled each time. Bolt acknowledges events by itself. Its pages are turned by the
 * buttons of the list of incidents, which is the same where `status` was typed. Without `publish` there is no such tab.
 */
export function listenToHome(
  app: App,
  interactions: Interactions,
  publish: ((user: string, messages: readonly Message[]) => Promise<unknown>) | undefined,
): void {
  const { useCases } = interactions;
  const fill = async (user: string, page?: string): Promise<void> => {
    const messages = await useCases.home(user, page).catch((error: unknown) => [faultMessage(error)]);
    await publish?.(user, messages);
  };

  app.event('app_home_opened', async ({ body }) => {
    const { event } = HomeOpened.parse(body);
    if (publish === undefined || (event.tab ?? 'home') !== 'home') return;
    await interactions.track(fill(event.user));
  });
  app.action({ type: 'block_actions', action_id: /^oom:status:\d+$/ }, async ({ body, ack }) => {
    const clicked = await readOrAck(() => requestOfClick(body, interactions.identity()), ack);
    if (isInHome(body)) {
      await ack();
      return interactions.track(fill(clicked.asker.user, clicked.text));
    }
    const request = { ...clicked, text: `status ${clicked.text}` };
    await interactions.take({ asked: { use: 'command' }, request, ack }, useCases.command);
  });
}
