import { type Answer, type ApiContext, type Args, type Method, refuse } from './api-context.ts';
import { FILE_METHODS } from './files.ts';
import { MESSAGE_METHODS } from './messages.ts';
import { VIEW_METHODS } from './views.ts';

// The methods of the Web API that we use, as far as we use them.
const METHODS: Readonly<Record<string, Method>> = {
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
  'conversations.info': ({ state }, args) => {
    const channel = state.channels.get(String(args.channel));
    if (channel === undefined) return refuse('channel_not_found');
    return { ok: true, channel: { id: channel.id, name: channel.name, is_ext_shared: channel.isExtShared } };
  },
  'usergroups.users.list': ({ state }, args) => ({
    ok: true,
    users: [...state.users.values()].filter((u) => u.groups.includes(String(args.usergroup))).map((u) => u.id),
  }),
  ...MESSAGE_METHODS,
  ...VIEW_METHODS,
  ...FILE_METHODS,
};

/** Answers a call as Slack does: first who asks, then what is asked. */
export function callMethod(context: ApiContext, name: string, args: Args, authorization: string): Answer {
  const method = METHODS[name];
  if (method === undefined) return refuse('unknown_method');
  const token = /^Bearer (x(oxb|app)-.*)$/.exec(authorization);
  if (token === null) return refuse('not_authed');
  const isAppToken = token[2] === 'app';
  if (isAppToken !== (name === 'apps.connections.open')) return refuse('not_allowed_token_type');
  return isRealToken(token[1] ?? '') ? refuse('invalid_auth') : method(context, args);
}

/** Whether a text holds what looks like a token of a real workspace: the stand-in lets none in. */
export function isRealToken(text: string): boolean {
  return /\bxox[a-z](?:\.[a-z]+)?-\d{6,}|\bxapp-\d-A[A-Z0-9]{6,}/.test(text);
}
