import type { App } from '@slack/bolt';
import { escapeText } from '../draw/text.ts';
import type { Interactions } from './interactions.ts';
import { requestOfCommand } from './payloads.ts';
import { readOrAck } from './read-or-ack.ts';

/** `/oom …`: acknowledged as soon as the request is stored, before any network call. */
export function listenToCommand(app: App, interactions: Interactions, commandName: string): void {
  app.command(commandName, async ({ body, ack }) => {
    const request = await readOrAck(() => requestOfCommand(body, interactions.identity()), ack);
    const receipt = interactions.receipt(request);
    const answer = () =>
      receipt === undefined ? ack() : ack({ response_type: 'ephemeral', text: escapeText(receipt) });
    await interactions.take({ asked: { use: 'command' }, request, ack: answer }, interactions.useCases.command);
  });
}
