import type { Message } from '../model/message.ts';
import { startedBy } from '../model/started-by.ts';
import type { Asker, Chat, Log } from './ports.ts';

/** Answers the asker alone, if it is a person; where even that cannot be done, the log says so with `fields`. Never rejects. */
export async function answerAsker(
  { chat, log }: { readonly chat: Chat; readonly log: Log },
  asker: Asker,
  message: Message,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (startedBy(asker.user) !== 'person') {
    log.info('nobody to answer', { ...fields, user: asker.user, says: message.summary });
    return;
  }
  const whom = { ...fields, user: asker.user, conversation: asker.conversation };
  try {
    const told = await chat.whisper(asker, message);
    if (told.kind === 'refused') log.error('reply to the user failed', { ...whom, code: told.code });
  } catch (error) {
    log.error('reply to the user failed', { ...whom, error });
  }
}
