// The one thing that a stand-in shares with the edge: the schema of Slack's limits, so that both judge alike.
import {
  formatProblem,
  type LimitProblem,
  validateHome,
  validateMessage,
  validateView,
} from '../../slack/limits/message-limits.ts';
import { findMessage, nextNumber, type SlackState, type StoredMessage } from './state.ts';

export type Args = Readonly<Record<string, unknown>>;
export type Answer = { readonly ok: boolean; readonly error?: string } & Readonly<Record<string, unknown>>;
export type ApiContext = {
  readonly state: SlackState;
  readonly now: () => number;
  readonly baseUrl: () => string;
  readonly socketUrl: () => string;
};

type Method = (context: ApiContext, args: Args) => Answer;
type Blocks = StoredMessage['blocks'];

const refuse = (error: string, more: Record<string, unknown> = {}): Answer => ({ ok: false, error, ...more });

/** The methods of the Web API that we use, as far as we use them. */
export const METHODS: Readonly<Record<string, Method>> = {
  'auth.test': ({ state, baseUrl }) => ({
    ok: true,
    url: baseUrl(),
    team: 'Standin',
    team_id: state.team,
    user: 'oombot',
    user_id: state.botUser,
    bot_id: 'B_BOT',
  }),
  'apps.connections.open': ({ socketUrl }) => ({ ok: true, url: socketUrl() }),
  'chat.postMessage': postMessage,
  'chat.update': updateMessage,
  'chat.postEphemeral': postEphemeral,
  'chat.getPermalink': permalink,
  'views.publish': ({ state }, args) => {
    const problems = validateHome(args.view);
    if (problems.length > 0) return invalid(problems);
    state.homes.set(String(args.user_id), args.view as Record<string, unknown>);
    return { ok: true, view: args.view };
  },
  'views.open': ({ state }, args) => {
    const problems = validateView(args.view);
    if (problems.length > 0) return invalid(problems);
    state.views.push(args.view as Record<string, unknown>);
    return { ok: true, view: args.view };
  },
  'files.getUploadURLExternal': ({ state, baseUrl }, args) => {
    if (!(Number(args.length) > 0)) return refuse('invalid_arguments');
    const id = `F${nextNumber(state)}`;
    const file = { content: undefined, title: undefined, channel: undefined, threadTs: undefined };
    state.files.set(id, { id, name: String(args.filename), ...file });
    return { ok: true, upload_url: `${baseUrl()}upload/${id}`, file_id: id };
  },
  'files.completeUploadExternal': completeUpload,
  'conversations.info': ({ state }, args) => {
    const channel = state.channels.get(String(args.channel));
    if (channel === undefined) return refuse('channel_not_found');
    return { ok: true, channel: { id: channel.id, name: channel.name, is_ext_shared: channel.isExtShared } };
  },
  'usergroups.users.list': ({ state }, args) => ({
    ok: true,
    users: [...state.users.values()].filter((u) => u.groups.includes(String(args.usergroup))).map((u) => u.id),
  }),
};

function postMessage({ state, now }: ApiContext, args: Args): Answer {
  const channel = String(args.channel);
  const refusal = place(state, channel) ?? check(args, 'post');
  if (refusal !== undefined) return refusal;
  const threadTs = args.thread_ts === undefined ? undefined : String(args.thread_ts);
  if (threadTs !== undefined && findMessage(state, channel, threadTs) === undefined) return refuse('thread_not_found');
  // Times of the stand-in's clock, told apart by a running number as Slack does.
  const ts = `${Math.floor(now() / 1000)}.${String(nextNumber(state)).padStart(6, '0')}`;
  const shown = { text: String(args.text ?? ''), blocks: blocksOf(args) };
  state.messages.push({ channel, ts, threadTs, ...shown, history: [{ at: now(), ...shown }] });
  return { ok: true, channel, ts, message: { type: 'message', ts, ...shown } };
}

function updateMessage({ state, now }: ApiContext, args: Args): Answer {
  const message = findMessage(state, String(args.channel), String(args.ts));
  if (message === undefined) return refuse('message_not_found');
  const refusal = place(state, message.channel) ?? check(args, 'update');
  if (refusal !== undefined) return refusal;
  const shown = { text: String(args.text ?? ''), blocks: blocksOf(args) };
  Object.assign(message, shown);
  message.history.push({ at: now(), ...shown });
  return { ok: true, channel: message.channel, ts: message.ts, text: message.text };
}

function postEphemeral({ state }: ApiContext, args: Args): Answer {
  const channel = String(args.channel);
  const refusal = place(state, channel) ?? check(args, 'post');
  if (refusal !== undefined) return refusal;
  const shown = { text: String(args.text ?? ''), blocks: blocksOf(args) };
  state.ephemerals.push({ channel, user: String(args.user), via: 'chat.postEphemeral', ...shown });
  return { ok: true, message_ts: `${nextNumber(state)}.000000` };
}

function permalink({ state, baseUrl }: ApiContext, args: Args): Answer {
  const message = findMessage(state, String(args.channel), String(args.message_ts));
  if (message === undefined) return refuse('message_not_found');
  const address = `${baseUrl()}archives/${message.channel}/p${message.ts.replace('.', '')}`;
  return { ok: true, channel: message.channel, permalink: address };
}

function completeUpload({ state }: ApiContext, args: Args): Answer {
  const channel = args.channel_id === undefined ? undefined : String(args.channel_id);
  const refusal = channel === undefined ? undefined : place(state, channel);
  if (refusal !== undefined) return refusal;
  const listed = args.files as readonly { id: string; title?: string }[];
  for (const { id, title } of listed) {
    const file = state.files.get(id);
    if (file?.content === undefined) return refuse('file_not_found');
    Object.assign(file, {
      title,
      channel,
      threadTs: args.thread_ts === undefined ? undefined : String(args.thread_ts),
    });
  }
  return { ok: true, files: listed };
}

/** Refuses what Slack refuses for the place: unknown, archived, or without the bot. */
function place(state: SlackState, id: string): Answer | undefined {
  const channel = state.channels.get(id);
  if (channel === undefined) return refuse('channel_not_found');
  if (channel.isArchived) return refuse('is_archived');
  return channel.isMember ? undefined : refuse('not_in_channel');
}

/** Refuses what breaks Slack's limits, with the same details that Slack gives. */
export function check(args: Args, method: 'post' | 'update'): Answer | undefined {
  const problems = validateMessage({ text: args.text, blocks: args.blocks }, method);
  return problems.length > 0 ? invalid(problems) : undefined;
}

export function blocksOf(args: Args): Blocks {
  return Array.isArray(args.blocks) ? (args.blocks as Blocks) : [];
}

function invalid(problems: readonly LimitProblem[]): Answer {
  return refuse(problems[0]?.code ?? 'invalid_blocks', {
    response_metadata: { messages: problems.map(formatProblem) },
  });
}
