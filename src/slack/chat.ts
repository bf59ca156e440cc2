import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import type { Chat, PostOutcome } from '../app/ports.ts';
import type { MessageRef } from '../model/incident.ts';
import type { Attachment, Message } from '../model/message.ts';
import { callSlack } from './api/call.ts';
import { createCoalescer } from './api/coalesce.ts';
import { type Context, concluded, createContext, keyOf, type SlackChatOptions } from './chat-context.ts';
import { type Content, type Draft, deliver, draft, hasNoThread, isGone } from './deliver.ts';
import { whisper } from './whisper.ts';

type Update = {
  readonly ref: MessageRef;
  readonly draft: Draft;
  readonly json: string;
  /** Of a message that is gone nothing is to be posted. */
  readonly isLeft?: boolean;
};

const UPDATE_INTERVAL_MS = 1000;
const QUIET = { unfurl_links: false, unfurl_media: false } as const;

/**
 * The Chat port on Slack. Updates with a progress block are gathered to one a second per message, the last state wins;
 * an update without one goes out at once.
 */
export function createSlackChat(options: SlackChatOptions): Chat {
  const context = createContext(options);
  const updates = createCoalescer<Update, PostOutcome>({
    clock: options.clock,
    intervalMs: UPDATE_INTERVAL_MS,
    send: (newest) => sendUpdate(context, newest),
    stands: (last, state) => last.result.kind === 'posted' && !last.result.plain && last.state.json === state.json,
  });

  return {
    async post(conversation, message, thread) {
      const drafted = draft(message, 'post');
      const outcome = await post(context, conversation, drafted, thread);
      if (outcome.kind === 'posted' && !outcome.plain)
        updates.note(keyOf(outcome.ref), { state: updateOf(outcome.ref, drafted), result: outcome });
      return outcome;
    },
    update(ref, message, ifGone = 'post') {
      const urgent = !message.blocks.some((block) => block.kind === 'progress');
      const update = { ...updateOf(ref, draft(message, 'update')), isLeft: ifGone === 'leave' };
      return updates.update(keyOf(ref), update, urgent);
    },
    attach: (thread, files) => attach(context, thread, files),
    whisper: (asker, message) => whisper(context, asker, message),
    async permalink(ref) {
      const { client, clock } = options;
      const key = `${ref.conversation}/${ref.ts}`;
      const known = context.links.get(key);
      if (known !== undefined) return known;
      const call = () => client.chat.getPermalink({ channel: ref.conversation, message_ts: ref.ts });
      const found = await callSlack(clock, call, { withinMs: 5_000, repeatable: true });
      const link = found.kind === 'ok' ? found.value.permalink : undefined;
      if (link !== undefined) context.links.set(key, link);
      return link;
    },
  };
}

async function post(
  context: Context,
  conversation: string,
  drafted: Draft,
  thread: MessageRef | undefined,
): Promise<PostOutcome> {
  const place = { channel: conversation, ...(thread === undefined ? {} : { thread_ts: thread.ts }) };
  const send = (content: Content) => context.client.chat.postMessage({ ...place, ...QUIET, ...content });
  const delivered = await deliver(context, () => drafted, send, {
    withinMs: context.withinMs,
    repeatable: false,
    key: [conversation, thread?.ts, drafted.message.summary].join('/'),
  });
  // Who deletes a message does not mean what is said below it later.
  if (thread !== undefined && hasNoThread(delivered.outcome)) return post(context, conversation, drafted, undefined);
  return concluded(context, 'chat.postMessage', delivered, (answer) => {
    const ref = { conversation: answer.channel ?? conversation, ts: answer.ts ?? '' };
    if (thread !== undefined) context.parents.set(keyOf(ref), thread);
    return ref;
  });
}

async function sendUpdate(context: Context, newest: () => Update): Promise<PostOutcome> {
  const { ref: asked, isLeft = false } = newest();
  const ref = (isLeft ? undefined : context.moved.get(keyOf(asked))) ?? asked;
  const place = { channel: ref.conversation, ts: ref.ts };
  const delivered = await deliver(
    context,
    () => newest().draft,
    (content: Content) => context.client.chat.update({ ...place, ...content }),
    { withinMs: context.withinMs, repeatable: true, key: keyOf(ref) },
  );
  if (isLeft || !isGone(delivered.outcome)) return concluded(context, 'chat.update', delivered, () => ref);

  context.log.warn('message cannot be changed any more, posting it again', { conversation: ref.conversation });
  const again = await post(context, ref.conversation, newest().draft, context.parents.get(keyOf(ref)));
  if (again.kind === 'posted') context.moved.set(keyOf(asked), again.ref);
  return again;
}

async function attach(context: Context, thread: MessageRef, files: readonly Attachment[]): Promise<PostOutcome> {
  if (files.length === 0) return { kind: 'posted', ref: thread, plain: false };
  const uploads = await Promise.all(
    files.map(async (file) => ({ file: await bytesOf(file), filename: file.name, title: file.title })),
  );
  const place = { channel_id: thread.conversation, thread_ts: thread.ts };
  const upload = () => context.client.filesUploadV2({ ...place, file_uploads: uploads });
  const outcome = await callSlack(context.clock, upload, { withinMs: context.withinMs, repeatable: false });
  const result = concluded(context, 'files', { outcome, plain: false }, () => thread);
  if (result.kind === 'refused') await tellOfFiles(context, thread, files, result.next);
  return result;
}

async function bytesOf(file: Attachment): Promise<Buffer> {
  // Slack takes no empty file.
  if ('text' in file) return Buffer.from(file.text === '' ? '(empty)\n' : file.text);
  const entries = file.files.map(({ name, text }) => ({ header: { name, size: Buffer.byteLength(text) }, body: text }));
  return gzipSync(await packTar(entries));
}

// The thread says that something is missing there; whether that note arrives changes nothing.
async function tellOfFiles(
  context: Context,
  thread: MessageRef,
  files: readonly Attachment[],
  next: string,
): Promise<void> {
  const names = files.map((file) => file.name).join(', ');
  const message: Message = {
    summary: `${files.length} files could not be attached.`,
    blocks: [{ kind: 'note', spans: [{ kind: 'plain', text: `Not attached: ${names}. ${next}` }] }],
  };
  await post(context, thread.conversation, draft(message, 'post'), thread);
}

function updateOf(ref: MessageRef, drafted: Draft): Update {
  return { ref, draft: drafted, json: JSON.stringify(drafted.drawn) };
}
