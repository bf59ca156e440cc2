import type { App } from '@slack/bolt';
import type { Interactions } from './interactions.ts';
import { requestOfShortcut } from './payloads.ts';
import { readOrAck } from './read-or-ack.ts';

/** "Triage OOM" on a message that holds a pod name or pasted log lines. */
export function listenToShortcut(app: App, interactions: Interactions): void {
  app.shortcut({ type: 'message_action', callback_id: 'oom:triage' }, async ({ body, ack }) => {
    const request = await readOrAck(() => requestOfShortcut(body, interactions.identity()), ack);
    await interactions.take({ asked: { use: 'shortcut' }, request, ack }, interactions.useCases.shortcut);
  });
}
