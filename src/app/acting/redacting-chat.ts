import type { Message } from '../../model/message.ts';
import type { Chat } from '../ports.ts';

/**
 * A chat that shows no secret: arguments of an engine may hold one (`--api-key`), and a plan has to carry them whole. What
 * was taken out is marked, so a command that is pasted fails where it was.
 */
export function redactingChat(chat: Chat, redact: (message: Message) => Message): Chat {
  return {
    ...chat,
    post: (conversation, message, thread) => chat.post(conversation, redact(message), thread),
    update: (ref, message) => chat.update(ref, redact(message)),
    whisper: (asker, message) => chat.whisper(asker, redact(message)),
  };
}
