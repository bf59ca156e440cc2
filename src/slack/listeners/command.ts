import type { App } from '@slack/bolt';
import { escapeText } from '../draw/text.ts';
import { requestOfCommand } from '../payloads.ts';
import type { SlackRequest } from '../use-cases.ts';
import type { ListenerDesk } from './desk.ts';

/** `/oom …`: acknowledged before anything else is done. */
export function listenToCommand(app: App, desk: ListenerDesk, commandName: string): void {
  app.command(commandName, async ({ body, ack }) => {
    const request = await read(() => requestOfCommand(body, desk.identity()), ack);
    const receipt = desk.receipt(request);
    await (receipt === undefined ? ack() : ack({ response_type: 'ephemeral', text: escapeText(receipt) }));
    await desk.run(request, () => desk.useCases.command(request));
  });
}

// Without an ack Bolt would leave the caller alone for three seconds; the fault itself is answered by the app's error handler.
async function read(parse: () => SlackRequest, ack: () => Promise<void>): Promise<SlackRequest> {
  try {
    return parse();
  } catch (error) {
    await ack();
    throw error;
  }
}
