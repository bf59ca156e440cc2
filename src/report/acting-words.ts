import type { Doubt } from '../model/click.ts';
import { type Block, code, type Message } from '../model/message.ts';
import type { Plan } from '../model/plan.ts';
import { clip, flatten, note, paragraph, quote, say as sayAny, user } from './words/sentence.ts';

const say = (...words: Parameters<typeof sayAny>): Message => flatten(sayAny(...words));

/** Why a click did not count, in words, with what to do. */
const CLICKS: Readonly<Record<string, readonly [string, string]>> = {
  'no-such-plan': [
    'There is no such plan.',
    'Its id starts with `plan_` and is on its message. `plan <incident>` in Slack makes a new one.',
  ],
  changed: [
    'Nothing was approved: this button belongs to an older version of the plan.',
    'Decide on the newest plan of the incident.',
  ],
  expired: ['Nothing was approved: the plan has expired.', 'Plan again: `plan <incident>`.'],
  'own-plan': ['You asked for this plan, so somebody else has to approve it.', 'Ask another approver.'],
  'already-used': ['This plan is approved already, and it runs once.', 'See its message or `status` for the run.'],
  'already-rejected': ['This plan was rejected.', 'Plan again: `plan <incident>`.'],
  'already-counted': ['Your approval counts already.', 'Somebody else has to approve too.'],
  replaced: ['A newer plan has replaced this one.', 'Decide on the newest plan of the incident.'],
  busy: [
    'Nothing was approved: another run is active on this workload.',
    'Wait for it to end, or abort it, then approve again.',
  ],
  paused: ['Nothing was approved: all acting is paused.', '`resume` ends the pause.'],
};

export function clickRefused(why: string): Message {
  const [says, next] = CLICKS[why] ?? ['The click did not count.', 'See the newest message of the incident.'];
  return say('warn', says, [paragraph(next)]);
}

export function planRefused(says: string, next: string, paste: string | null): Message {
  const [head, rest] = splitHeadline(says);
  const blocks: Block[] = [...(rest === '' ? [] : [paragraph(clip(rest, 2000))]), paragraph(next)];
  if (paste !== null) blocks.push(quote('To paste', paste.split('\n').slice(0, 60)));
  return say('warn', clip(head, 290), blocks);
}

// What does not fit into a headline goes on below it: what to do stands in the last sentence.
function splitHeadline(says: string): [head: string, rest: string] {
  const at = says.length > 290 ? says.lastIndexOf('. ', 289) : -1;
  return at === -1 ? [says, ''] : [says.slice(0, at + 1), says.slice(at + 2)];
}

export function actRefused(why: string, next: string): Message {
  return say('bad', clip(why, 290), [paragraph(next)]);
}

/** `doubts` are those who had approved before: who may no longer is named, with why. */
export function approvalCounted(
  { have, need }: { readonly have: number; readonly need: number },
  doubts: readonly Doubt[],
): Message {
  return say('info', `Your approval counts: ${have} of ${need}.`, [
    ...formerYes(doubts, 'lapsed', ', which no longer counts'),
    paragraph('Nothing changes until the others have approved.'),
  ]);
}

/** Said where all would be there, if it could be told that those who had approved before still may. */
export function approverUnknown(doubts: readonly Doubt[]): Message {
  return say('warn', 'Nothing was approved: it is unknown whether an earlier approver still may approve.', [
    ...formerYes(doubts, 'unknown', ''),
    paragraph('Click again in a minute, or have others approve.'),
  ]);
}

function formerYes(doubts: readonly Doubt[], of: Doubt['kind'], rest: string): Block[] {
  return doubts
    .filter(({ kind }) => kind === of)
    .map(({ who, why }) => paragraph(user(who), ` had approved before${rest}: ${why}.`));
}

export function runBegins(runId: string, command: string): Message {
  return say('ok', 'Approved: the run starts.', [
    paragraph('To stop it and roll back: ', code(`${command} abort ${runId}`)),
  ]);
}

export function planRejected(who: string, planId: string, reason: string | null): Message {
  return say('info', 'The plan was rejected; nothing was changed.', [
    ...(reason === null ? [] : [paragraph(clip(`Because: ${reason}`, 2000))]),
    note('plan ', code(planId), ' · by ', user(who)),
  ]);
}

const ENDS: Readonly<Record<string, string>> = {
  expired: 'This plan has expired; nothing was changed. Plan again: `plan <incident>`.',
  replaced: 'A newer plan has replaced this one; nothing was changed.',
  'already-rejected': 'This plan was rejected; nothing was changed.',
};

/** What stands in the place of a plan that cannot be approved any more. */
export function planEnded(why: string, planId: string): Message {
  return say('info', ENDS[why] ?? 'This plan can no longer be approved.', [note('plan ', code(planId))]);
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

/** Said instead of ignoring words that are not understood. */
export function wordsUnknown(words: string, verb: string): Message {
  const known = OPTIONS[verb];
  const said = clip(words, 60);
  const what = /^[-–—]/.test(words) ? `${verb} has no option ${said}` : `${verb} does not know "${said}"`;
  const takes = known === undefined ? `${verb} takes an id alone.` : `It takes an id, and ${known}.`;
  return say('warn', `Nothing was done: ${what}.`, [
    paragraph(verb === 'resume' ? 'resume takes no words: it resumes all acting, everywhere.' : takes),
  ]);
}

export function breakGlassRefused(why: 'no-reason' | 'not-allowed', planId: string, command: string): Message {
  if (why === 'not-allowed') {
    return actRefused(
      'Nothing was approved: you may not break the glass.',
      'Get the missing approvals; `acting.breakGlass` lists who may approve alone.',
    );
  }
  return say('warn', 'Nothing was approved: break-glass needs a reason, which is posted in the channel.', [
    paragraph('Type ', code(`${command} approve ${planId} --break-glass="why it cannot wait"`)),
  ]);
}

export function brokeGlass(who: string, planId: string, reason: string): Message {
  return say('bad', 'A plan was approved by one person, with break-glass.', [
    paragraph(user(who), ` gave this reason: ${clip(reason, 500)}`),
    note('plan ', code(planId)),
  ]);
}

export function actingPaused(who: string, reason: string): Message {
  return say('warn', 'All acting is paused: no run changes anything until someone resumes it.', [
    paragraph(user(who), `: ${clip(reason === '' ? 'no reason given' : reason, 500)}`),
  ]);
}

export function actingResumed(who: string): Message {
  return say('info', 'Acting is resumed.', [note('by ', user(who))]);
}

export function commandTaken(what: string): Message {
  return say('info', what, [paragraph('See its message or `status`.')]);
}

/** A command to a run that has ended, or to none. */
export function commandVain(what: string, next: string): Message {
  return say('warn', what, [paragraph(next)]);
}

export function noActing(): Message {
  return say('info', 'This bot changes nothing: the config allows it for no cluster.', [
    paragraph(
      '`oom plan` in a terminal prints the change, its rollback and the commands. To allow it: `clusters[].acting`, `act` and a persistent store.',
    ),
  ]);
}

export function formNotOpened(): Message {
  return say('warn', 'The form could not be opened; the plan is unchanged.', [
    paragraph('Click Edit again, or type `plan <incident> <action> --flag=value`.'),
  ]);
}
