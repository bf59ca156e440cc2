/** A conversation of the stand-in. The bot posts only where it is a member. */
export type Channel = {
  readonly id: string;
  readonly name: string;
  isMember: boolean;
  isArchived: boolean;
  isExtShared: boolean;
};

export type StoredMessage = {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs: string | undefined;
  /** Who wrote it: the bot, or a person. */
  readonly user: string;
  text: string;
  blocks: readonly Record<string, unknown>[];
  /** Every state it had, the current one last. */
  readonly history: {
    readonly at: number;
    readonly text: string;
    readonly blocks: readonly Record<string, unknown>[];
  }[];
};

export type StoredEphemeral = {
  readonly channel: string;
  readonly ts: string;
  readonly user: string;
  readonly via: 'response_url' | 'chat.postEphemeral' | 'ack';
  readonly text: string;
  readonly blocks: readonly Record<string, unknown>[];
};

export type StoredFile = {
  readonly id: string;
  readonly name: string;
  bytes: Buffer | undefined;
  title: string | undefined;
  channel: string | undefined;
  threadTs: string | undefined;
  /** When it was shared, as a message has it. */
  ts: string | undefined;
};

/** A call of the Web API as it came in, with the answer's error or `ok`. */
export type RecordedCall = {
  readonly method: string;
  readonly at: number;
  readonly args: Readonly<Record<string, unknown>>;
  readonly answer: string;
  /** HTTP status of the answer. */
  readonly status: number;
};

/** What reached the app from a person. `ms` until its ack; `status` is 0 if none came in time. */
export type RecordedDelivery = {
  readonly what: string;
  readonly user: string;
  readonly at: number;
  readonly status: number;
  readonly ms: number;
};

export type ResponseUrl = { readonly channel: string; readonly user: string; readonly since: number; uses: number };

/** Opens one modal, within three seconds. */
export type Trigger = { readonly user: string; readonly since: number; isUsed: boolean };

/** A modal on somebody's screen. */
export type OpenView = {
  readonly id: string;
  readonly user: string;
  hash: string;
  view: Readonly<Record<string, unknown>>;
};

type SlackUser = { readonly id: string; readonly name: string; readonly groups: readonly string[] };

/** All that the stand-in keeps; tests and the playground read it. */
export type SlackState = {
  readonly team: string;
  readonly botUser: string;
  readonly channels: Map<string, Channel>;
  readonly users: Map<string, SlackUser>;
  readonly messages: StoredMessage[];
  readonly ephemerals: StoredEphemeral[];
  readonly files: Map<string, StoredFile>;
  readonly homes: Map<string, Record<string, unknown>>;
  /** Every view that was opened, updated or pushed. */
  readonly views: Record<string, unknown>[];
  /** By person, the topmost last. */
  readonly openViews: Map<string, OpenView[]>;
  readonly responseUrls: Map<string, ResponseUrl>;
  readonly triggers: Map<string, Trigger>;
  readonly calls: RecordedCall[];
  readonly deliveries: RecordedDelivery[];
  nextNumber: number;
};

export function createState(): SlackState {
  return {
    team: 'T_TEAM',
    botUser: 'U_BOT',
    channels: new Map([
      ['C_ONCALL', { id: 'C_ONCALL', name: 'oncall', isMember: true, isArchived: false, isExtShared: false }],
    ]),
    users: new Map(
      [
        { id: 'U_ONCALL', name: 'oncall', groups: ['S_ONCALL'] },
        { id: 'U_APPROVER', name: 'approver', groups: ['S_APPROVERS'] },
        { id: 'U_STRANGER', name: 'stranger', groups: [] },
      ].map((user) => [user.id, user]),
    ),
    messages: [],
    ephemerals: [],
    files: new Map(),
    homes: new Map(),
    views: [],
    openViews: new Map(),
    responseUrls: new Map(),
    triggers: new Map(),
    calls: [],
    deliveries: [],
    nextNumber: 1,
  };
}

/** The next number of this stand-in: ids and time stamps are told apart by it. */
export function nextNumber(state: SlackState): number {
  const number = state.nextNumber;
  state.nextNumber += 1;
  return number;
}

/** The time stamp of a new message: seconds of the stand-in's clock, told apart by a running number as Slack does. */
export function nextTs(state: SlackState, now: number): string {
  return `${Math.floor(now / 1000)}.${String(nextNumber(state)).padStart(6, '0')}`;
}

/** A message of a person in a channel; it is not delivered to the bot. */
export function say(
  state: SlackState,
  { now, ...message }: { channel: string; user: string; text: string; threadTs?: string | undefined; now: number },
): StoredMessage {
  const shown = { text: message.text, blocks: [] };
  const ts = nextTs(state, now);
  const stored = { threadTs: undefined, ...message, ts, blocks: [], history: [{ at: now, ...shown }] };
  state.messages.push(stored);
  return stored;
}

export function findMessage(state: SlackState, channel: string, ts: string): StoredMessage | undefined {
  return state.messages.find((m) => m.channel === channel && m.ts === ts);
}

/** The replies below a message, in order. */
export function repliesTo(state: SlackState, parent: { channel: string; ts: string }): StoredMessage[] {
  return state.messages.filter((m) => m.channel === parent.channel && m.threadTs === parent.ts);
}

/** Every string that a reader would see in a message, for assertions. */
export function textsOf(message: { text: string; blocks: readonly Record<string, unknown>[] }): string {
  return [message.text, ...message.blocks.flatMap(strings)].join('\n');
}

const SHOWN = new Set(['text', 'title', 'label', 'name', 'fallback']);

function strings(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(strings);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' ? (SHOWN.has(key) ? [inner] : []) : strings(inner),
  );
}
