import { countText } from '../../slack/limits/message-limits.ts';
import type { SlackState, StoredEphemeral, StoredFile, StoredMessage } from '../../standins/slack/state.ts';
import type { ChannelMessage, ShownEntries } from '../page/shown.ts';
import type { ShownView } from '../page/shown-message.ts';
import { SCENARIOS } from '../scenarios/scenarios.ts';
import { CHANNEL, type Stage } from './stage.ts';

const ROLES = { U_ONCALL: 'on-call', U_APPROVER: 'approver', U_STRANGER: 'no permissions' };

/** The playground itself, as the page shows it. */
export function shownPlayground(
  { cluster, slack, speed }: Stage,
  more: Pick<ShownEntries['playground'], 'playbooks' | 'traffic'>,
): ShownEntries['playground'] {
  const { name, says, services } = cluster.scenario;
  const [service] = services;
  const users = [...slack.state.users.values()];
  const groups = new Set(users.flatMap((user) => user.groups));
  return {
    scenario: name,
    says,
    suggestion: `/oom triage ${service?.namespace}/${service?.name}`,
    scenarios: SCENARIOS.map((one) => ({ name: one.name, says: one.says })),
    speed,
    people: users.map((user) => ({ id: user.id, name: user.name, role: ROLES[user.id as keyof typeof ROLES] ?? '' })),
    names: {
      users: Object.fromEntries([[slack.state.botUser, 'oombot'], ...users.map((user) => [user.id, user.name])]),
      groups: Object.fromEntries([...groups].map((id) => [id, id.replace(/^S_/, '').toLowerCase()])),
    },
    channel: slack.state.channels.get(CHANNEL)?.name ?? CHANNEL,
    ...more,
  };
}

/** Everything in Slack that somebody sees, by key. */
export function shownSlack(state: SlackState): Readonly<Record<string, unknown>> {
  const messages = [
    ...state.messages.map((message) => fromMessage(message)),
    ...state.ephemerals.map((message) => fromEphemeral(message, state)),
    ...[...state.files.values()].flatMap((file) => fromFile(file, state)),
  ];
  const views = [...state.openViews].flatMap(([user, open]) => {
    const top = open.at(-1);
    return top === undefined ? [] : [[`view/${user}`, fromView(top.id, top.view)] as const];
  });
  return {
    ...Object.fromEntries(messages.map((message) => [`message/${message.ts}`, message])),
    ...Object.fromEntries([...state.homes].map(([user, view]) => [`home/${user}`, view.blocks])),
    ...Object.fromEntries(views),
  };
}

function fromMessage({ ts, threadTs, user, text, blocks, history }: StoredMessage): ChannelMessage {
  const shown = { id: ts, ts, user, text, blocks, isEdited: history.length > 1, counts: countsOf(text, blocks) };
  return threadTs === undefined ? shown : { ...shown, threadTs };
}

function fromEphemeral({ ts, text, blocks, user }: StoredEphemeral, { botUser }: SlackState): ChannelMessage {
  return { id: ts, ts, user: botUser, text, blocks, onlyFor: user, counts: countsOf(text, blocks) };
}

function fromFile(file: StoredFile, { botUser }: SlackState): readonly ChannelMessage[] {
  const { id, ts, threadTs, name, title, bytes } = file;
  if (ts === undefined) return [];
  const shown = { name, title: title ?? name, bytes: bytes?.length ?? 0, href: `/files/${id}` };
  return [{ id: ts, ts, threadTs, user: botUser, text: '', blocks: [], file: shown }];
}

const countsOf = (text: string, blocks: readonly unknown[]) => ({
  blocks: blocks.length,
  characters: blocks.length > 0 ? countText(blocks) : text.length,
});

/** A dialog as the page draws it. */
export function fromView(id: string, view: Readonly<Record<string, unknown>>): ShownView {
  const words = (part: unknown): string | undefined => (part as { text?: string } | undefined)?.text;
  return {
    id,
    title: words(view.title) ?? '',
    submit: words(view.submit),
    close: words(view.close) ?? 'Close',
    blocks: view.blocks as ShownView['blocks'],
  };
}
