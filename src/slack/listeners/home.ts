import type { App } from '@slack/bolt';
import type { Message } from '../../model/message.ts';
import { faultMessage } from '../fault.ts';
import { HomeOpened } from '../payloads.ts';
import type { ListenerDesk } from './desk.ts';

/** The Home tab was opened: it is filled anew each time. Bolt acknowledges events by itself. */
export function listenToHome(
  app: App,
  desk: ListenerDesk,
  publish: (user: string, messages: readonly Message[]) => Promise<unknown>,
): void {
  app.event('app_home_opened', async ({ body }) => {
    const { event } = HomeOpened.parse(body);
    if ((event.tab ?? 'home') !== 'home') return;
    await desk.track(fill(event.user));
  });

  const fill = async (user: string): Promise<void> => {
    const messages = await desk.useCases.home(user).catch((error: unknown) => [faultMessage(error)]);
    await publish(user, messages);
  };
}
