import type { App } from '@slack/bolt';
import type { Message } from '../../model/message.ts';
import { faultMessage } from './fault.ts';
import type { Interactions } from './interactions.ts';
import { HomeOpened } from './payloads.ts';

/** The Home tab was opened: it is filled anew each time. Bolt acknowledges events by itself. */
export function listenToHome(
  app: App,
  interactions: Interactions,
  publish: (user: string, messages: readonly Message[]) => Promise<unknown>,
): void {
  app.event('app_home_opened', async ({ body }) => {
    const { event } = HomeOpened.parse(body);
    if ((event.tab ?? 'home') !== 'home') return;
    await interactions.track(fill(event.user));
  });

  const fill = async (user: string): Promise<void> => {
    const messages = await interactions.useCases.home(user).catch((error: unknown) => [faultMessage(error)]);
    await publish(user, messages);
  };
}
