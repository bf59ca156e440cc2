import type { App } from '@slack/bolt';
import type { Interactions } from './interactions.ts';
import { requestOfShortcut } from './payloads.ts';

/** "Triage OOM" on a message that holds a pod name or pasted log lines. */
export function listenToShortcut(app: App, interactions: Interactions): void {
  app.shortcut({ type: 'message_action', callback_id: 'oom:triage' }, async ({ body, ack }) => {
    await ack();
    const request = requestOfShortcut(body, interactions.identity());
    await interactions.run(request, (settled) => interactions.useCases.shortcut(settled));
  });
}
