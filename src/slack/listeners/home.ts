import type { App } from '@slack/bolt';
import type { FillHome, Interactions } from './interactions.ts';
import { HomeOpened, isInHome, requestOfClick } from './payloads.ts';
import { readOrAck } from './read-or-ack.ts';

/** The Home tab was opened, or its page turned. It is filled each time; Bolt acknowledges events by itself. */
export function listenToHome(app: App, interactions: Interactions, fill: FillHome): void {
  app.event('app_home_opened', async ({ body }) => {
    const { event } = HomeOpened.parse(body);
    if ((event.tab ?? 'home') === 'home') await interactions.track(fill(event.user));
  });
  app.action({ type: 'block_actions', action_id: /^oom:status:\d+$/ }, async ({ body, ack }) => {
    const clicked = await readOrAck(() => requestOfClick(body, interactions.identity()), ack);
    if (isInHome(body)) {
      await ack();
      return interactions.track(fill(clicked.asker.user, clicked.text));
    }
    const request = { ...clicked, text: `status ${clicked.text}` };
    await interactions.take({ asked: { use: 'command' }, request, ack }, interactions.useCases.command);
  });
}
