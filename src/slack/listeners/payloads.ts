import { z } from 'zod';
import type { Asker } from '../../app/ports.ts';
import type { PayloadRequest } from './use-cases.ts';

// Only what is used, leniently: Slack adds fields at any time, and null stands for missing in org-wide installs.
const maybe = z.string().nullish();
const Team = z.object({ id: z.string() }).nullish();

const CommandBody = z.object({
  text: z.string().default(''),
  user_id: z.string(),
  channel_id: z.string(),
  team_id: maybe,
  enterprise_id: maybe,
  response_url: maybe,
});

const interaction = {
  user: z.object({ id: z.string(), team_id: maybe }),
  channel: z.object({ id: z.string() }).nullish(),
  container: z.object({ channel_id: maybe, message_ts: maybe, is_ephemeral: z.boolean().nullish() }).nullish(),
  team: Team,
  enterprise: Team,
  response_url: maybe,
};

const ShortcutBody = z.object({ ...interaction, message: z.record(z.string(), z.unknown()) });

const ClickBody = z.object({
  ...interaction,
  message: z.record(z.string(), z.unknown()).nullish(),
  actions: z
    .array(z.object({ action_id: z.string(), value: maybe, selected_option: z.object({ value: maybe }).nullish() }))
    .min(1),
});

const SubmissionBody = z.object({ user: interaction.user, team: Team, enterprise: Team });

const Trigger = z.object({ trigger_id: z.string() });

export const HomeOpened = z.object({ event: z.object({ user: z.string(), tab: maybe }) });

const HomeClick = z.object({ view: z.object({ type: z.literal('home') }) });

/** Whether a button was clicked in the Home tab, which is in no channel. */
export const isInHome = (body: unknown): boolean => HomeClick.safeParse(body).success;

export const GroupChanged = z.object({ event: z.object({ subteam_id: z.string() }) });

const Anyone = z.object({
  user_id: maybe,
  user: z.object({ id: z.string() }).nullish(),
  channel_id: maybe,
  channel: z.object({ id: z.string() }).nullish(),
  response_url: maybe,
});

/** Who is to be told that a delivery could not be read, as far as it says; undefined where nobody could be reached. */
export function askerOf(body: unknown): Asker | undefined {
  const found = Anyone.safeParse(body);
  if (!found.success) return undefined;
  const user = found.data.user_id ?? found.data.user?.id;
  const responseUrl = found.data.response_url ?? undefined;
  if (user === undefined || responseUrl === undefined) return undefined;
  return { user, conversation: found.data.channel_id ?? found.data.channel?.id ?? '', responseUrl };
}

/** Who the bot is, as `auth.test` says. */
export type Identity = {
  readonly botUserId: string;
  readonly botId: string | undefined;
  readonly teamId: string | undefined;
  readonly enterpriseId: string | undefined;
};

/** A typed command as a request. Throws a ZodError for what is no command. */
export function requestOfCommand(body: unknown, home: Identity): PayloadRequest {
  const command = CommandBody.parse(body);
  return {
    text: command.text,
    asker: {
      user: command.user_id,
      conversation: command.channel_id,
      responseUrl: command.response_url ?? undefined,
    },
    channel: command.channel_id,
    teamId: command.team_id ?? undefined,
    externallyShared: isShared(body, home, { team: command.team_id, enterprise: command.enterprise_id }),
  };
}

/** The words of the message on which the shortcut was chosen, as a request. */
export function requestOfShortcut(body: unknown, home: Identity): PayloadRequest {
  const shortcut = ShortcutBody.parse(body);
  return requestOf(body, shortcut, wordsOf(shortcut.message), home);
}

/** The value of the clicked button, or of the line of a menu, as a request. */
export function requestOfClick(body: unknown, home: Identity): PayloadRequest {
  const click = ClickBody.parse(body);
  const [action] = click.actions;
  return requestOf(body, click, action?.value ?? action?.selected_option?.value ?? '', home);
}

/** What opens a modal in answer to a click. Throws a ZodError where there is none. */
export function triggerOf(body: unknown): string {
  return Trigger.parse(body).trigger_id;
}

/** Who has sent a form; where it was opened is known to the form alone. */
export function requestOfSubmission(body: unknown, conversation: string, home: Identity): PayloadRequest {
  const { user, team, enterprise } = SubmissionBody.parse(body);
  const asker = { user: user.id, conversation, responseUrl: undefined };
  const teamId = user.team_id ?? team?.id;
  return {
    text: '',
    asker,
    channel: conversation,
    teamId,
    externallyShared: isShared(body, home, { team: teamId, enterprise: enterprise?.id }),
  };
}

type Interaction = Omit<z.infer<typeof ClickBody>, 'actions'>;

function requestOf(body: unknown, from: Interaction, text: string, home: Identity): PayloadRequest {
  const channel = from.channel?.id ?? from.container?.channel_id ?? '';
  const team = from.user.team_id ?? from.team?.id;
  const byOthers = [from.message?.user_team, from.message?.source_team].some(
    (t) => typeof t === 'string' && isOther(t, home),
  );
  return {
    text,
    asker: { user: from.user.id, conversation: channel, responseUrl: from.response_url ?? undefined },
    channel,
    teamId: team ?? undefined,
    externallyShared: byOthers || isShared(body, home, { team, enterprise: from.enterprise?.id }),
    ...(from.container?.message_ts &&
      from.container.is_ephemeral !== true && { clicked: { conversation: channel, ts: from.container.message_ts } }),
  };
}

// A form knows no booleans: a slash command sends the word.
const Flag = z.union([
  z.boolean(),
  z.enum(['true', 'false', '1', '0']).transform((word) => word === 'true' || word === '1'),
]);
const Hints = z.object({ is_ext_shared_channel: Flag.nullish().catch(null), context_team_id: maybe });

// The payload's own word, or an asker or context of another organization; undefined where it says nothing. Workspaces of
// one enterprise are no strangers.
function isShared(
  body: unknown,
  home: Identity,
  asker: { team: string | null | undefined; enterprise: string | null | undefined },
): boolean | undefined {
  const hints = Hints.safeParse(body).data;
  const flag = hints?.is_ext_shared_channel ?? undefined;
  if (flag === true) return true;
  const sameEnterprise = home.enterpriseId !== undefined && asker.enterprise === home.enterpriseId;
  if (sameEnterprise) return flag;
  const teams = [asker.team, hints?.context_team_id];
  return teams.some((team) => typeof team === 'string' && isOther(team, home)) || flag;
}

function isOther(team: string, home: Identity): boolean {
  // Org-wide payloads name the enterprise where others name the workspace.
  return home.teamId !== undefined && team !== home.teamId && team !== home.enterpriseId;
}

const WORDS_MAX = 20_000;

/** All that a reader sees in a message: text, blocks and attachments, each line once, entities undone. */
export function wordsOf(message: Readonly<Record<string, unknown>>): string {
  const parts = [message.text, ...readable(message.blocks), ...readable(message.attachments)];
  const lines = parts.flatMap((part) => (typeof part === 'string' ? undoMarkup(part).split('\n') : []));
  return [...new Set(lines.map((line) => line.trimEnd()))].join('\n').trim().slice(0, WORDS_MAX);
}

const SEEN = new Set(['text', 'title', 'pretext', 'fallback', 'value', 'name']);

function readable(value: unknown, depth = 0): string[] {
  if (depth > 12 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return joined(value).flatMap((inner) => (typeof inner === 'string' ? [inner] : readable(inner, depth + 1)));
  return Object.entries(value).flatMap(([key, inner]) => {
    if (typeof inner === 'string') return SEEN.has(key) ? [inner] : [];
    return readable(inner, depth + 1);
  });
}

// The parts of one rich text line belong together, and a name may be one of them.
function joined(values: readonly unknown[]): unknown[] {
  const texts = values.map((v) => (isPiece(v) ? v.text : undefined));
  return values.length > 0 && texts.every((t) => t !== undefined) ? [texts.join('')] : [...values];
}

function isPiece(value: unknown): value is { text: string } {
  return (
    typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string' && 'type' in value
  );
}

function undoMarkup(text: string): string {
  return text
    .replace(/<(?:https?:|mailto:)[^|>]*\|([^>]*)>/g, '$1')
    .replace(/<(https?:[^|>]*)>/g, '$1')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}
