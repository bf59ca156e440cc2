import { createHmac } from 'node:crypto';
import { parseJson } from '../../model/json-file.ts';
import { nextNumber, type SlackState } from './state.ts';

/** What came back within Slack's three seconds. `body` is the ack: text, an object, or nothing. */
type Delivery = { readonly status: number; readonly body: unknown; readonly ms: number };

/** One way to the app: HTTP with signatures, or Socket Mode. */
type Deliver = (
  kind: 'slash_commands' | 'interactive' | 'events_api',
  body: Record<string, unknown>,
) => Promise<Delivery>;

type CommandInput = {
  text: string;
  user?: string;
  channel?: string;
  command?: string;
  more?: Record<string, unknown>;
};
type ShortcutInput = {
  message: Record<string, unknown>;
  user?: string;
  channel?: string;
  callbackId?: string;
  more?: Record<string, unknown>;
};
type ClickInput = {
  actionId: string;
  /** The line of a menu, by its words. */
  line?: string;
  on: { channel: string; ts?: string; blocks: readonly Record<string, unknown>[] };
  user?: string;
  more?: Record<string, unknown>;
};

type SubmitInput = {
  /** A view that the stand-in was asked to open. */
  view: Record<string, unknown>;
  /** What stands in the fields in the end, by block id; the others keep what they were opened with. */
  values?: Readonly<Record<string, string>>;
  user?: string;
};

/** People at their keyboards: types commands, clicks buttons, opens the Home tab. */
export type Sender = {
  command(input: CommandInput): Promise<Delivery>;
  shortcut(input: ShortcutInput): Promise<Delivery>;
  /** Clicks the button with this action id in a message that the stand-in holds. */
  click(input: ClickInput): Promise<Delivery>;
  /** Sends a form off. */
  submit(input: SubmitInput): Promise<Delivery>;
  openHome(user?: string): Promise<Delivery>;
  event(event: Record<string, unknown>, more?: Record<string, unknown>): Promise<Delivery>;
};

const TYPIST = 'U_ONCALL';
const PLACE = 'C_ONCALL';

type Stage = { readonly state: SlackState; readonly baseUrl: () => string; readonly now: () => number };

export function createSender(
  state: SlackState,
  options: { deliver: Deliver; baseUrl: () => string; now: () => number },
): Sender {
  const stage: Stage = { state, ...options };
  const event: Sender['event'] = (event, more) =>
    options.deliver('events_api', {
      type: 'event_callback',
      team_id: state.team,
      api_app_id: 'A_APP',
      event_id: `Ev${nextNumber(state)}`,
      event_time: Math.floor(options.now() / 1000),
      event,
      ...more,
    });

  return {
    async command(input) {
      const body = commandOf(stage, input);
      const delivery = await options.deliver('slash_commands', body);
      keepAck(state, { channel: body.channel_id, user: body.user_id }, delivery);
      return delivery;
    },
    shortcut: (input) => options.deliver('interactive', shortcutOf(stage, input)),
    click: (input) => options.deliver('interactive', clickOf(stage, input)),
    submit: (input) => options.deliver('interactive', submissionOf(stage, input)),
    openHome: (user = TYPIST) =>
      event({ type: 'app_home_opened', user, channel: 'D_HOME', tab: 'home', event_ts: '1.000001' }),
    event,
  };
}

function commandOf(stage: Stage, input: CommandInput) {
  const { text, user = TYPIST, channel = PLACE, command = '/oom', more } = input;
  return {
    command,
    text,
    user_id: user,
    user_name: user.toLowerCase(),
    team_id: stage.state.team,
    team_domain: 'standin',
    channel_id: channel,
    channel_name: nameOf(stage, channel),
    api_app_id: 'A_APP',
    is_enterprise_install: 'false',
    ...freshKeys(stage, channel, user),
    ...more,
  };
}

function shortcutOf(stage: Stage, input: ShortcutInput): Record<string, unknown> {
  const { message, user = TYPIST, channel = PLACE, callbackId = 'oom:triage', more } = input;
  return {
    type: 'message_action',
    callback_id: callbackId,
    message_ts: String(message.ts ?? '1.000001'),
    message: { type: 'message', ts: '1.000001', ...message },
    ...whoAndWhere(stage, channel, user),
    ...more,
  };
}

function clickOf(stage: Stage, { actionId, line, on, user = TYPIST, more }: ClickInput): Record<string, unknown> {
  return {
    type: 'block_actions',
    api_app_id: 'A_APP',
    container: { type: 'message', channel_id: on.channel, message_ts: on.ts, is_ephemeral: on.ts === undefined },
    message: { ts: on.ts, blocks: on.blocks },
    actions: [buttonOf(on.blocks, actionId, line)],
    state: { values: {} },
    ...whoAndWhere(stage, on.channel, user),
    ...more,
  };
}

function submissionOf({ state }: Stage, { view, values = {}, user = TYPIST }: SubmitInput): Record<string, unknown> {
  const blocks = (view.blocks ?? []) as {
    block_id?: string;
    element?: { type: string; action_id: string; initial_value?: string };
  }[];
  const filled = blocks.flatMap(({ block_id: id, element }) => {
    if (id === undefined || element === undefined) return [];
    const value = (values[id] ?? element.initial_value ?? '') || null;
    const given = element.type === 'static_select' ? { selected_option: value && { value } } : { value };
    return [[id, { [element.action_id]: given }] as const];
  });
  return {
    type: 'view_submission',
    api_app_id: 'A_APP',
    user: { id: user, username: user.toLowerCase(), team_id: state.team },
    team: { id: state.team, domain: 'standin' },
    view: { ...view, id: 'V_VIEW', state: { values: Object.fromEntries(filled) } },
  };
}

function whoAndWhere(stage: Stage, channel: string, user: string) {
  return {
    user: { id: user, username: user.toLowerCase(), team_id: stage.state.team },
    channel: { id: channel, name: nameOf(stage, channel) },
    team: { id: stage.state.team, domain: 'standin' },
    ...freshKeys(stage, channel, user),
  };
}

function freshKeys({ state, baseUrl, now }: Stage, channel: string, user: string) {
  const number = nextNumber(state);
  state.responseUrls.set(String(number), { channel, user, since: now(), uses: 0 });
  return { trigger_id: `${number}.trigger`, response_url: `${baseUrl()}response/${number}` };
}

function nameOf({ state }: Stage, channel: string): string {
  return state.channels.get(channel)?.name ?? 'privategroup';
}

// What an ack shows, only the person who typed sees.
function keepAck(state: SlackState, to: { channel: string; user: string }, delivery: Delivery): void {
  const { body } = delivery;
  const text = typeof body === 'string' ? body : (body as { text?: string } | undefined)?.text;
  if (delivery.status === 200 && text !== undefined && text !== '')
    state.ephemerals.push({ ...to, via: 'ack', text, blocks: [] });
}

type Line = { readonly text: { readonly text: string } };

function buttonOf(
  blocks: readonly Record<string, unknown>[],
  actionId: string,
  line: string | undefined,
): Record<string, unknown> {
  for (const block of blocks) {
    const elements = (block.elements ?? []) as Record<string, unknown>[];
    const found = block.type === 'actions' ? elements.find((e) => e.action_id === actionId) : undefined;
    if (found === undefined) continue;
    const { options = [], ...button } = found as { options?: Line[] };
    const chosen = options.find(({ text }) => text.text === line);
    if (line !== undefined && chosen === undefined) throw new Error(`no line ${line} in the menu ${actionId}`);
    const given = chosen === undefined ? {} : { selected_option: chosen };
    return { ...button, ...given, block_id: block.block_id ?? 'b1', action_ts: '1.000001' };
  }
  throw new Error(`no button ${actionId} in this message`);
}

/** Delivers over HTTP to the app's receiver, signed as Slack signs. `skewSeconds` makes an old signature. */
export function deliverByHttp(options: {
  url: string;
  signingSecret: string;
  now: () => number;
  skewSeconds?: number;
  headers?: Readonly<Record<string, string>>;
}): Deliver {
  return async (kind, body) => {
    const isEvent = kind === 'events_api';
    const raw = isEvent ? JSON.stringify(body) : formOf(kind, body);
    const stamp = String(Math.floor(options.now() / 1000) - (options.skewSeconds ?? 0));
    const hash = createHmac('sha256', options.signingSecret).update(`v0:${stamp}:${raw}`).digest('hex');
    const began = performance.now();
    const response = await fetch(options.url, {
      method: 'POST',
      headers: {
        'content-type': isEvent ? 'application/json' : 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': stamp,
        'x-slack-signature': `v0=${hash}`,
        ...options.headers,
      },
      body: raw,
      signal: AbortSignal.timeout(4_000),
    });
    const text = await response.text();
    return { status: response.status, body: parseJson(text) ?? text, ms: performance.now() - began };
  };
}

function formOf(kind: string, body: Record<string, unknown>): string {
  if (kind === 'interactive') return new URLSearchParams({ payload: JSON.stringify(body) }).toString();
  return new URLSearchParams(
    Object.entries(body).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  ).toString();
}
