import { nextNumber, type OpenView, type SlackState } from './state.ts';

export type CommandInput = {
  text: string;
  user?: string;
  channel?: string;
  command?: string;
  more?: Record<string, unknown>;
};
export type ShortcutInput = {
  message: Record<string, unknown>;
  user?: string;
  channel?: string;
  callbackId?: string;
  more?: Record<string, unknown>;
};
type Blocks = readonly Record<string, unknown>[];
export type ClickInput = {
  actionId: string;
  /** The block that it stands in; without it, the first that has this action. */
  blockId?: string | undefined;
  /** The line of a menu, by its words. */
  line?: string | undefined;
  /** A message, one to a single person if `ts` is missing or `isEphemeral`; or somebody's Home tab. */
  on:
    | { channel: string; ts?: string; isEphemeral?: boolean; blocks: Blocks }
    | { home: Readonly<Record<string, unknown>> };
  user?: string;
  more?: Record<string, unknown>;
};

export type SubmitInput = {
  /** A view that the stand-in was asked to open. */
  view: Readonly<Record<string, unknown>>;
  /** What stands in the fields in the end, by block id; the others keep what they were opened with. */
  values?: Readonly<Record<string, string>>;
  user?: string;
};

export const TYPIST = 'U_ONCALL';
const PLACE = 'C_ONCALL';

export type PayloadStage = {
  readonly state: SlackState;
  readonly baseUrl: () => string;
  readonly now: () => number;
  readonly monotonic: () => number;
};

export function commandOf(stage: PayloadStage, input: CommandInput) {
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

export function shortcutOf(stage: PayloadStage, input: ShortcutInput): Record<string, unknown> {
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

export function clickOf(stage: PayloadStage, input: ClickInput): Record<string, unknown> {
  const { on, user = TYPIST, more } = input;
  const base = { type: 'block_actions', api_app_id: 'A_APP', state: { values: {} } };
  if ('home' in on) {
    // A click in a view comes without a channel and without a response_url.
    const { channel: _, response_url: __, ...who } = whoAndWhere(stage, 'D_HOME', user);
    const actions = [elementOf((on.home.blocks ?? []) as Blocks, input)];
    const view = { ...on.home, id: `V_HOME_${user}` };
    return { ...base, container: { type: 'view', view_id: view.id }, view, actions, ...who, ...more };
  }
  const isEphemeral = on.isEphemeral ?? on.ts === undefined;
  return {
    ...base,
    container: { type: 'message', channel_id: on.channel, message_ts: on.ts, is_ephemeral: isEphemeral },
    message: { ts: on.ts, blocks: on.blocks },
    actions: [elementOf(on.blocks, input)],
    ...whoAndWhere(stage, on.channel, user),
    ...more,
  };
}

type InputBlock = {
  readonly block_id?: string;
  readonly element?: { readonly type: string; readonly action_id: string; readonly initial_value?: string };
};

export function submissionOf({ state }: PayloadStage, input: SubmitInput): Record<string, unknown> {
  const { view, values = {}, user = TYPIST } = input;
  const filled = ((view.blocks ?? []) as readonly InputBlock[]).flatMap(({ block_id: id, element }) => {
    if (id === undefined || element === undefined) return [];
    const value = (values[id] ?? element.initial_value ?? '') || null;
    const given = element.type === 'static_select' ? { selected_option: value && { value } } : { value };
    return [[id, { [element.action_id]: given }] as const];
  });
  return {
    type: 'view_submission',
    ...whose(state, user),
    view: { ...view, ...keysOf(openViewOf(state, user, view)), state: { values: Object.fromEntries(filled) } },
  };
}

export function closingOf({ state }: PayloadStage, open: OpenView): Record<string, unknown> {
  return {
    type: 'view_closed',
    ...whose(state, open.user),
    view: { ...open.view, ...keysOf(open) },
    is_cleared: false,
  };
}

/** The modal on somebody's screen that shows this view. */
export function openViewOf(state: SlackState, user: string, view: OpenView['view']): OpenView | undefined {
  return state.openViews.get(user)?.findLast((open) => open.view === view);
}

const keysOf = (open: OpenView | undefined) => ({ id: open?.id ?? 'V_VIEW', hash: open?.hash ?? '1.view' });

function whose(state: SlackState, user: string) {
  return {
    api_app_id: 'A_APP',
    user: { id: user, username: user.toLowerCase(), team_id: state.team },
    team: { id: state.team, domain: 'standin' },
  };
}

function whoAndWhere(stage: PayloadStage, channel: string, user: string) {
  return {
    ...whose(stage.state, user),
    channel: { id: channel, name: nameOf(stage, channel) },
    ...freshKeys(stage, channel, user),
  };
}

function freshKeys({ state, baseUrl, now, monotonic }: PayloadStage, channel: string, user: string) {
  const number = nextNumber(state);
  const trigger = `${number}.trigger`;
  state.responseUrls.set(String(number), { channel, user, since: now(), uses: 0 });
  state.triggers.set(trigger, { user, since: monotonic(), isUsed: false });
  return { trigger_id: trigger, response_url: `${baseUrl()}response/${number}` };
}

function nameOf({ state }: PayloadStage, channel: string): string {
  return state.channels.get(channel)?.name ?? 'privategroup';
}

type Line = { readonly text: { readonly text: string } };

function elementOf(blocks: Blocks, { actionId, blockId, line }: ClickInput): Record<string, unknown> {
  for (const block of blocks) {
    if (blockId !== undefined && block.block_id !== blockId) continue;
    const elements = [block.type === 'actions' ? block.elements : (block.accessory ?? [])].flat() as Record<
      string,
      unknown
    >[];
    const found = elements.find((element) => element.action_id === actionId);
    if (found === undefined) continue;
    const { options = [], ...button } = found as { options?: Line[] };
    const chosen = options.find(({ text }) => text.text === line);
    if (line !== undefined && chosen === undefined) throw new Error(`no line ${line} in the menu ${actionId}`);
    const given = chosen === undefined ? {} : { selected_option: chosen };
    return { ...button, ...given, block_id: block.block_id ?? 'b1', action_ts: '1.000001' };
  }
  throw new Error(`no button ${actionId} in this message`);
}
