import type { Message } from '../model/message.ts';
import type { Outbox } from './outbox.ts';
import type { Chat } from './ports.ts';

/** An outbox that stores and shows no secret. */
export function redactingOutbox(outbox: Outbox, redact: (message: Message) => Message): Outbox {
  return {
    ...outbox,
    send: (parcel, tell) => outbox.send({ ...parcel, message: redact(parcel.message) }, tell),
    prepare: (parcel) => outbox.prepare({ ...parcel, message: redact(parcel.message) }),
    enqueue: (parcel, tell) => outbox.enqueue({ ...parcel, message: redact(parcel.message) }, tell),
  };
}

/**
 * A chat that shows no secret. An answer repeats what was typed, and a fault what a cluster said; arguments of an engine may
 * hold one (`--api-key`), and a plan has to carry them whole. What was taken out is marked, so a command that is pasted
 * fails where it was.
 */
export function redactingChat(chat: Chat, redact: (message: Message) => Message): Chat {
  return {
    ...chat,
    post: (conversation, message, thread) => chat.post(conversation, redact(message), thread),
    update: (ref, message, ifGone) => chat.update(ref, redact(message), ifGone),
    whisper: (asker, message) => chat.whisper(asker, redact(message)),
  };
}
