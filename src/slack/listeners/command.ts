import type { App } from '@slack/bolt';
import { escapeText } from '../draw/text.ts';
import type { Interactions } from './interactions.ts';
import { requestOfCommand } from './payloads.ts';
import type { PayloadRequest } from './use-cases.ts';

/** `/oom …`: acknowledged before anything else is done. */
export function listenToCommand(app: App, interactions: Interactions, commandName: string): void {
  app.command(commandName, async ({ body, ack }) => {
    const request = await read(() => requestOfCommand(body, interactions.identity()), ack);
    const receipt = interactions.receipt(request);
    await (receipt === undefined ? ack() : ack({ response_type: 'ephemeral', text: escapeText(receipt) }));
    await interactions.run(request, (settled) => interactions.useCases.command(settled));
  });
}

// Without an ack Bolt would leave the caller alone for three seconds; the fault itself is answered by the app's error handler.
async function read(parse: () => PayloadRequest, ack: () => Promise<void>): Promise<PayloadRequest> {
  try {
    return parse();
  } catch (error) {
    await ack();
    throw error;
  }
}
