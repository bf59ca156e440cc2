import { validateMessage } from '../../slack/limits/message-limits.ts';
import {
  type Answer,
  type ApiContext,
  type Args,
  type Method,
  refuse,
  refusePlace,
  refuseProblems,
  textOf,
} from './api-context.ts';
import { findMessage, nextTs, type StoredMessage } from './state.ts';

/** `chat.*`: posts, updates, messages to one person, links. */
export const MESSAGE_METHODS: Readonly<Record<string, Method>> = {
  'chat.postMessage': postMessage,
  'chat.update': updateMessage,
  'chat.postEphemeral': postEphemeral,
  'chat.getPermalink': permalink,
};

function postMessage({ state, now }: ApiContext, args: Args): Answer {
  const channel = String(args.channel);
  const threadTs = textOf(args.thread_ts);
  const refusal =
    refusePlace(state, channel) ?? refuseContent(args, 'post') ?? refuseThread(state.messages, channel, threadTs);
  if (refusal !== undefined) return refusal;
  const ts = nextTs(state, now());
  const shown = contentOf(args);
  state.messages.push({ channel, ts, threadTs, user: state.botUser, ...shown, history: [{ at: now(), ...shown }] });
  return { ok: true, channel, ts, message: { type: 'message', ts, ...shown } };
}

function refuseThread(messages: readonly StoredMessage[], channel: string, ts: string | undefined): Answer | undefined {
  if (ts === undefined) return undefined;
  const parent = messages.find((message) => message.channel === channel && message.ts === ts);
  if (parent === undefined) return refuse('thread_not_found');
  return parent.threadTs === undefined ? undefined : refuse('cannot_reply_to_message');
}

function updateMessage({ state, now }: ApiContext, args: Args): Answer {
  const message = findMessage(state, String(args.channel), String(args.ts));
  if (message === undefined) return refuse('message_not_found');
  if (message.user !== state.botUser) return refuse('cant_update_message');
  const refusal = refusePlace(state, message.channel) ?? refuseContent(args, 'update');
  if (refusal !== undefined) return refusal;
  const shown = contentOf(args);
  Object.assign(message, shown);
  message.history.push({ at: now(), ...shown });
  return { ok: true, channel: message.channel, ts: message.ts, text: message.text };
}

function postEphemeral({ state, now }: ApiContext, args: Args): Answer {
  const channel = String(args.channel);
  const refusal = refusePlace(state, channel) ?? refuseContent(args, 'post');
  if (refusal !== undefined) return refusal;
  const ts = nextTs(state, now());
  state.ephemerals.push({ channel, ts, user: String(args.user), via: 'chat.postEphemeral', ...contentOf(args) });
  return { ok: true, message_ts: ts };
}

function permalink({ state, baseUrl }: ApiContext, args: Args): Answer {
  const message = findMessage(state, String(args.channel), String(args.message_ts));
  if (message === undefined) return refuse('message_not_found');
  const address = `${baseUrl()}archives/${message.channel}/p${message.ts.replace('.', '')}`;
  return { ok: true, channel: message.channel, permalink: address };
}

/** Refuses what breaks Slack's limits of a message. */
export function refuseContent(args: Args, method: 'post' | 'update'): Answer | undefined {
  return refuseProblems(validateMessage({ text: args.text, blocks: args.blocks }, method));
}

/** Text and blocks of a message as it stays. */
export function contentOf(args: Args): Pick<StoredMessage, 'text' | 'blocks'> {
  return {
    text: String(args.text ?? ''),
    blocks: Array.isArray(args.blocks) ? (args.blocks as StoredMessage['blocks']) : [],
  };
}
