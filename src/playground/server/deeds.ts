import { z } from 'zod';
import type { Fault } from '../../standins/slack/faults.ts';
import type { Delivery } from '../../standins/slack/sender.ts';
import { nextTs, say } from '../../standins/slack/state.ts';
import { isRealToken } from '../../standins/slack/web-api.ts';
import { type Deed, FAULTS, type FaultName, type Outcome } from '../page/shown.ts';
import { FASTEST } from './bot-messages.ts';
import { CHANNEL, type Stage } from './stage.ts';

const as = z.enum(['U_ONCALL', 'U_APPROVER', 'U_STRANGER']);
const words = z.string().max(4000);

/** What the page may ask; strict, since any program on this machine can ask it. */
export const AnyDeed: z.ZodType<Deed> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('type'), as, text: words, thread: words.optional() }),
  z.strictObject({
    kind: z.literal('click'),
    as,
    on: words,
    action: words,
    block: words.optional(),
    line: words.optional(),
  }),
  z.strictObject({ kind: z.literal('triage'), as, on: words }),
  z.strictObject({ kind: z.literal('submit'), as, view: words, values: z.record(z.string(), words) }),
  z.strictObject({ kind: z.literal('dismiss'), as }),
  z.strictObject({ kind: z.literal('home'), as }),
  z.strictObject({ kind: z.literal('scenario'), name: words }),
  z.strictObject({ kind: z.literal('bot'), what: z.enum(['kill', 'start']) }),
  z.strictObject({ kind: z.literal('speed'), speed: z.number().min(1).max(FASTEST) }),
  z.strictObject({ kind: z.literal('traffic'), factor: z.number().min(0).max(10) }),
  z.strictObject({ kind: z.literal('fault'), fault: z.enum(Object.keys(FAULTS) as [FaultName]) }),
]);

/** What a person does in Slack; the others change the playground itself. */
export type SlackDeed = Extract<Deed, { as: string }>;

const COMMAND = '/oom';
const OK = { ok: true } as const;
const refused = (says: string): Outcome => ({ ok: false, says });

/** Does in Slack what a person does on the page. Answers what the person sees if it does not work. */
export async function doInSlack(stage: Stage, deed: SlackDeed): Promise<Outcome> {
  const people = stage.people();
  switch (deed.kind) {
    case 'type':
      return typeText(stage, deed);
    case 'click': {
      const { as: user, on, action: actionId, block: blockId, line } = deed;
      const place = placeOf(stage, on, user);
      if (place === undefined) return refused('This message is no longer there.');
      return delivered(() => people.click({ actionId, blockId, line, on: place, user }));
    }
    case 'triage': {
      const message = stage.slack.state.messages.find(({ ts }) => ts === deed.on);
      if (message === undefined) return refused('This message is no longer there.');
      const { ts, text, blocks } = message;
      return delivered(() => people.shortcut({ message: { ts, text, blocks }, user: deed.as, channel: CHANNEL }));
    }
    case 'submit':
      return submit(stage, deed);
    case 'dismiss':
      await people.dismiss(deed.as).catch(() => undefined);
      return OK;
    case 'home':
      return delivered(() => people.openHome(deed.as));
  }
}

async function typeText(stage: Stage, deed: Extract<SlackDeed, { kind: 'type' }>): Promise<Outcome> {
  const { as: user, thread } = deed;
  const text = deed.text.trim();
  const { state } = stage.slack;
  const now = stage.cluster.clock.now();
  if (text === '') return OK;
  if (isRealToken(text))
    return refused('This looks like a real Slack token. It was not sent. Use no real tokens here.');
  if (!text.startsWith('/')) {
    say(state, { channel: CHANNEL, user, text, threadTs: thread, now });
    return OK;
  }
  const [command = '', ...rest] = text.split(' ');
  if (command !== COMMAND) return refused(`${command} is not a command here. Type ${COMMAND} help.`);
  if (thread !== undefined) return refused(`${COMMAND} does not work in threads. Type it in the channel.`);
  const outcome = await delivered(() =>
    stage.people().command({ text: rest.join(' ').trim(), user, channel: CHANNEL }),
  );
  if (outcome.ok) return outcome;
  // What Slackbot says.
  const failed = `${COMMAND} failed because the app did not respond.`;
  state.ephemerals.push({ channel: CHANNEL, user, ts: nextTs(state, now), via: 'ack', text: failed, blocks: [] });
  return outcome;
}

async function submit(stage: Stage, deed: Extract<SlackDeed, { kind: 'submit' }>): Promise<Outcome> {
  const open = stage.slack.state.openViews.get(deed.as)?.find(({ id }) => id === deed.view);
  if (open === undefined) return refused('This form is no longer open.');
  let body: unknown;
  const outcome = await delivered(async () => {
    const delivery = await stage.people().submit({ view: open.view, values: deed.values, user: deed.as });
    body = delivery.body;
    return delivery;
  });
  const { response_action: action, errors } = (body ?? {}) as {
    response_action?: string;
    errors?: Record<string, string>;
  };
  return outcome.ok && action === 'errors' ? { ok: false, errors: errors ?? {} } : outcome;
}

type Place = Parameters<ReturnType<Stage['people']>['click']>[0]['on'];

function placeOf({ slack: { state } }: Stage, on: string, user: string): Place | undefined {
  if (on === 'home') return { home: state.homes.get(user) ?? {} };
  const message = state.messages.find(({ ts }) => ts === on);
  if (message !== undefined) return message;
  const ephemeral = state.ephemerals.find((one) => one.ts === on && one.user === user);
  return ephemeral && { ...ephemeral, isEphemeral: true };
}

async function delivered(deliver: () => Promise<Delivery>): Promise<Outcome> {
  try {
    const { status } = await deliver();
    return status === 200 ? OK : refused(`The bot answered HTTP ${status}. Try again.`);
  } catch {
    return refused('The bot did not respond. Is it running?');
  }
}

/** Plans what goes wrong with the bot's next call. */
export function planFault({ slack: { faults, state } }: Stage, fault: FaultName): void {
  const channel = state.channels.get(CHANNEL);
  if (fault !== 'not-in-channel') faults.next('*', NEXT_CALL[fault]);
  else if (channel !== undefined) channel.isMember = !channel.isMember;
}

const NEXT_CALL: Readonly<Record<Exclude<FaultName, 'not-in-channel'>, Fault>> = {
  'rate-limited': { kind: 'rate-limited', retryAfterSeconds: 5 },
  'http-500': { kind: 'http', status: 500 },
  slow: { kind: 'slow', ms: 4000 },
  lost: { kind: 'lost' },
};
