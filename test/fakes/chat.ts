import type { Asker, Chat, PostOutcome } from '../../src/app/ports.ts';
import type { MessageRef } from '../../src/model/incident.ts';
import type { Attachment, Message } from '../../src/model/message.ts';

type FakePost = {
  readonly ref: MessageRef;
  readonly thread: MessageRef | undefined;
  message: Message;
  readonly history: Message[];
};
type FakeWhisper = { readonly asker: Asker; readonly message: Message };
type FakeFile = Attachment & { readonly thread: MessageRef };

/** A chat in memory. */
export type FakeChat = Chat & {
  /** Slack cannot be reached, for now. */
  isAway: boolean;
  readonly posts: readonly FakePost[];
  readonly whispers: readonly FakeWhisper[];
  readonly files: readonly FakeFile[];
  /** From now on the bot is refused in this conversation, but for answers to one person by response_url; with no code it is not. */
  refuse(conversation: string, code?: string): void;
  /** Removes a message, as a person or a retention rule does. */
  remove(ref: MessageRef): void;
  /** The replies below a message, in order. */
  replies(ref: MessageRef): readonly FakePost[];
};

export function createFakeChat(): FakeChat {
  const posts: FakePost[] = [];
  const whispers: FakeWhisper[] = [];
  const files: FakeFile[] = [];
  const refused = new Map<string, string>();
  let last = 0;

  const is = (a: MessageRef | undefined, b: MessageRef): boolean => a?.conversation === b.conversation && a.ts === b.ts;
  const refusal = (conversation: string): PostOutcome | undefined => {
    if (chat.isAway) return { kind: 'refused', code: 'unreachable', next: '', retryMs: 1000 };
    const code = refused.get(conversation);
    return code === undefined
      ? undefined
      : { kind: 'refused', code, next: `Type \`/invite @oombot\` in the channel and ask again.` };
  };

  const chat: FakeChat = {
    isAway: false,
    posts,
    whispers,
    files,
    refuse: (conversation, code = 'not_in_channel') =>
      void (code === '' ? refused.delete(conversation) : refused.set(conversation, code)),
    remove(ref) {
      const index = posts.findIndex((p) => is(p.ref, ref));
      if (index >= 0) posts.splice(index, 1);
    },
    replies: (ref) => posts.filter((p) => is(p.thread, ref)),
    async post(conversation, message, thread) {
      const no = refusal(conversation);
      if (no !== undefined) return no;
      last += 1;
      const ref = { conversation, ts: `1.${String(last).padStart(6, '0')}` };
      posts.push({ ref, thread, message, history: [message] });
      return { kind: 'posted', ref, plain: false };
    },
    async update(ref, message, ifGone = 'post') {
      const no = refusal(ref.conversation);
      if (no !== undefined) return no;
      const found = posts.find((p) => is(p.ref, ref));
      if (found === undefined && ifGone === 'leave') return { kind: 'refused', code: 'message_not_found', next: '' };
      if (found === undefined) return chat.post(ref.conversation, message);
      found.message = message;
      found.history.push(message);
      return { kind: 'posted', ref, plain: false };
    },
    async attach(thread, added) {
      const no = refusal(thread.conversation);
      if (no !== undefined) return no;
      files.push(...added.map((file) => ({ ...file, thread })));
      return { kind: 'posted', ref: thread, plain: false };
    },
    async whisper(asker, message) {
      const no = asker.responseUrl === undefined ? refusal(asker.conversation) : undefined;
      if (no !== undefined) return no;
      whispers.push({ asker, message });
      return { kind: 'posted', ref: { conversation: asker.conversation, ts: 'ephemeral' }, plain: false };
    },
    async permalink(ref) {
      if (!posts.some((p) => is(p.ref, ref))) return undefined;
      return `https://chat.example/${ref.conversation}/${ref.ts}`;
    },
  };
  return chat;
}
