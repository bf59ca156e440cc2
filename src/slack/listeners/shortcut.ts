import type { App } from '@slack/bolt';
import { requestOfShortcut } from '../payloads.ts';
import type { ListenerDesk } from './desk.ts';

/** "Triage OOM" on a message that holds a pod name or pasted log lines. */
export function listenToShortcut(app: App, desk: ListenerDesk): void {
  app.shortcut({ type: 'message_action', callback_id: 'oom:triage' }, async ({ body, ack }) => {
    await ack();
    const request = requestOfShortcut(body, desk.identity());
    await desk.run(request, () => desk.useCases.shortcut(request));
  });
}
