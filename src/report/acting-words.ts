import type { Doubt } from '../model/click.ts';
import { type Block, code, type Message } from '../model/message.ts';
import type { Plan } from '../model/plan.ts';
import { clip, flatten, note, paragraph, quote, say as sayAny, user } from './words/sentence.ts';

const say = (...words: Parameters<typeof sayAny>): Message => flatten(sayAny(...words));

/** Why a click did not count, and what to do. */
const CLICKS: Readonly<Record<string, readonly [string, string]>> = {
  'no-such-plan': [
    'No such plan.',
    'The id starts with `plan_` and is in the plan message. To plan again, type `plan <incident>` in Slack.',
  ],
  changed: [
    'Nothing was approved: this button is from an older version of the plan.',
    'Decide on the newest plan of the incident.',
  ],
  expired: ['Nothing was approved: the plan has expired.', 'Plan again: `plan <incident>`.'],
  'own-plan': ['You requested this plan, so another approver has to approve it.', 'Ask another approver.'],
  'already-used': ['This plan is already approved. A plan runs once.', 'See its message or `status` for the run.'],
  'already-rejected': ['This plan was rejected.', 'Plan again: `plan <incident>`.'],
  'already-counted': ['You already approved this plan.', 'Another approver has to approve it too.'],
  replaced: ['A newer plan has replaced this one.', 'Decide on the newest plan of the incident.'],
  busy: [
    'Nothing was approved: another run is active on this workload.',
    'Wait for it to finish or abort it, then approve again.',
  ],
  paused: ['Nothing was approved: all acting is paused.', 'Type `resume` to end the pause.'],
};

export function clickRefused(why: string): Message {
  const [says, next] = CLICKS[why] ?? ['The click did not count.', 'See the latest message of the incident.'];
  return say('warn', says, [paragraph(next)]);
}

export function planRefused(says: string, next: string, paste: string | null): Message {
  const [head, rest] = splitHeadline(says);
  const blocks: Block[] = [...(rest === '' ? [] : [paragraph(clip(rest, 2000))]), paragraph(next)];
  if (paste !== null) blocks.push(quote('To paste', paste.split('\n').slice(0, 60)));
  return say('warn', clip(head, 290), blocks);
}

// What does not fit in the headline goes below it: the last sentence says what to do.
function splitHeadline(says: string): [head: string, rest: string] {
  const at = says.length > 290 ? says.lastIndexOf('. ', 289) : -1;
  return at === -1 ? [says, ''] : [says.slice(0, at + 1), says.slice(at + 2)];
}

export function actRefused(why: string, next: string): Message {
  return say('bad', clip(why, 290), [paragraph(next)]);
}

/** `doubts` names earlier approvers whose approval no longer counts, with the reason. */
export function approvalCounted(
  { have, need }: { readonly have: number; readonly need: number },
  doubts: readonly Doubt[],
): Message {
  return say('info', `Your approval counts: ${have} of ${need}.`, [
    ...formerYes(doubts, 'lapsed', ' and no longer counts'),
    paragraph('Nothing changes until all approvals are in.'),
  ]);
}

/** All approvals are in, but the permission of an earlier approver could not be checked. */
export function approverUnknown(doubts: readonly Doubt[]): Message {
  return say('warn', 'Nothing was approved: could not check whether an earlier approver still has permission.', [
    ...formerYes(doubts, 'unknown', ''),
    paragraph('Click again in a minute, or ask another approver.'),
  ]);
}

function formerYes(doubts: readonly Doubt[], of: Doubt['kind'], rest: string): Block[] {
  return doubts
    .filter(({ kind }) => kind === of)
    .map(({ who, why }) => paragraph(user(who), ` approved before${rest}: ${why}.`));
}

export function runBegins(runId: string, command: string): Message {
  return say('ok', 'Approved. The run starts now.', [
    paragraph('To stop it and roll back: ', code(`${command} abort ${runId}`)),
  ]);
}

export function planRejected(who: string, planId: string, reason: string | null): Message {
  return say('info', 'Plan rejected. Nothing was changed.', [
    ...(reason === null ? [] : [paragraph(clip(`Reason: ${reason}`, 2000))]),
    note('plan ', code(planId), ' · by ', user(who)),
  ]);
}

const ENDS: Readonly<Record<string, string>> = {
  expired: 'This plan expired. Nothing was changed. Plan again: `plan <incident>`.',
  replaced: 'A newer plan replaced this one. Nothing was changed.',
  'already-rejected': 'This plan was rejected. Nothing was changed.',
};

/** Replaces the message of a plan that can no longer be approved. */
export function planEnded(why: string, planId: string): Message {
  return say('info', ENDS[why] ?? 'This plan can no longer be approved.', [note('plan ', code(planId))]);
}

/** In the place of a plan that expired before Slack took its card. */
export function planLate({ id, incidentId }: Pick<Plan, 'id' | 'incidentId'>, command: string): Message {
  return say('info', 'This plan expired while Slack was away. Nothing was changed.', [
    paragraph('Plan again: ', code(`${command} plan ${incidentId}`)),
    note('plan ', code(id)),
  ]);
}

export function needsTyping({ id, confirm }: Plan, command: string): Message {
  return say('warn', 'Nothing was approved: this plan stops ready replicas, so a click is not enough.', [
    paragraph('To approve it, type ', code(`${command} approve ${id} --confirm=${confirm}`)),
  ]);
}

const OPTIONS: Readonly<Record<string, string>> = {
  approve: '`--confirm=<workload>` and `--break-glass="why"`',
  reject: '`--reason="why"`',
  abort: '`--without-rollback`',
};

/** Unknown words are refused, not ignored. */
export function wordsUnknown(words: string, verb: string): Message {
  const known = OPTIONS[verb];
  const said = clip(words, 60);
  const what = /^[-–—]/.test(words) ? `${verb} has no option ${said}` : `${verb} does not know "${said}"`;
  const takes = known === undefined ? `${verb} takes only an id.` : `It takes an id and ${known}.`;
  return say('warn', `Nothing was done: ${what}.`, [
    paragraph(verb === 'resume' ? 'resume takes no arguments. It resumes all acting, everywhere.' : takes),
  ]);
}

export function breakGlassRefused(why: 'no-reason' | 'not-allowed', planId: string, command: string): Message {
  if (why === 'not-allowed') {
    return actRefused(
      'Nothing was approved: you do not have break-glass permission.',
      'Get the missing approvals; `acting.breakGlass` lists who may approve alone.',
    );
  }
  return say('warn', 'Nothing was approved: break-glass needs a reason. It is posted in the channel.', [
    paragraph('Type ', code(`${command} approve ${planId} --break-glass="why it cannot wait"`)),
  ]);
}

export function brokeGlass(who: string, planId: string, reason: string): Message {
  return say('bad', 'Plan approved by one person with break-glass.', [
    paragraph(user(who), `: ${clip(reason, 500)}`),
    note('plan ', code(planId)),
  ]);
}

export function actingPaused(who: string, reason: string): Message {
  return say('warn', 'All acting is paused. No run changes anything until someone resumes acting.', [
    paragraph(user(who), `: ${clip(reason === '' ? 'no reason given' : reason, 500)}`),
  ]);
}

export function actingResumed(who: string): Message {
  return say('info', 'Acting resumed.', [note('by ', user(who))]);
}

export function commandTaken(what: string): Message {
  return say('info', what, [paragraph('See its message or `status`.')]);
}

/** A command for a run that is done, or for no run. */
export function commandVain(what: string, next: string): Message {
  return say('warn', what, [paragraph(next)]);
}

export function noActing(): Message {
  return say('info', 'Acting is off: the config allows it in no cluster.', [
    paragraph(
      '`oom plan` in a terminal prints the diff, the commands and the rollback. To turn acting on, set `clusters[].acting`, `act` and a persistent store.',
    ),
  ]);
}

export function formNotOpened(): Message {
  return say('warn', 'Could not open the form. The plan is unchanged.', [
    paragraph('Click Edit again, or type `plan <incident> <action> --flag=value`.'),
  ]);
}
