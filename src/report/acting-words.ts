import type { Doubt } from '../model/click.ts';
import { type Block, code, type Message } from '../model/message.ts';
import type { Plan } from '../model/plan.ts';
import { clip, flatten, note, paragraph, quote, say as sayAny, user } from './words/sentence.ts';

const say = (...words: Parameters<typeof sayAny>): Message => flatten(sayAny(...words));

/** Why a click did not count, in words, with what to do. */
const CLICKS: Readonly<Record<string, readonly [string, string]>> = {
  'no-such-plan': [
    'There is no such plan.',
    'Name one by the id on its card, `plan_…`; in Slack, `plan <incident>` makes a new one.',
  ],
  changed: [
    'Nothing was approved: the plan is not the one that this button was made for.',
    'Look at the newest plan of the incident and decide there.',
  ],
  expired: [
    'Nothing was approved: the plan has expired, and the workload may have changed since.',
    'Ask for it again: `plan <incident>`.',
  ],
  'own-plan': ['You have asked for this plan, so somebody else has to approve it.', 'Ask someone who may approve.'],
  'already-used': [
    'This plan was approved before, and it runs once.',
    'Its card shows how the run goes, and `status`.',
  ],
  'already-rejected': ['This plan was rejected.', 'Ask for a new one: `plan <incident>`.'],
  'already-counted': ['Your approval counts already; it is not counted twice.', 'Somebody else has to approve too.'],
  replaced: ['A newer plan has taken the place of this one.', 'Decide on the newest plan of the incident.'],
  busy: [
    'Nothing was approved: another run is under way on this workload.',
    'Wait until it has ended, or abort it; then approve again.',
  ],
  paused: ['Nothing was approved: all acting is paused.', '`resume` lets it go on, for those who may.'],
};

export function clickRefused(why: string): Message {
  const [says, next] = CLICKS[why] ?? ['The click did not count.', 'Look at the newest card.'];
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
    ...formerYes(doubts, 'lapsed', ', and that counts no more'),
    paragraph('Nothing is changed until the others have approved.'),
  ]);
}

/** Said where all would be there, if it could be told that those who had approved before still may. */
export function approverUnknown(doubts: readonly Doubt[]): Message {
  return say('warn', 'Nothing was approved: whether an earlier approver still may cannot be told now.', [
    ...formerYes(doubts, 'unknown', ''),
    paragraph(
      'Your approval was not counted, and nothing was changed. Click again in a minute, or have others approve.',
    ),
  ]);
}

function formerYes(doubts: readonly Doubt[], of: Doubt['kind'], rest: string): Block[] {
  return doubts
    .filter(({ kind }) => kind === of)
    .map(({ who, why }) => paragraph(user(who), ` had approved before${rest}: ${why}.`));
}

export function runBegins(runId: string, command: string): Message {
  return say('ok', 'Approved: the run begins.', [
    paragraph('To stop it and go back: ', code(`${command} abort ${runId}`)),
  ]);
}

export function planRejected(who: string, planId: string, reason: string | null): Message {
  return say('info', 'The plan was rejected; nothing was changed.', [
    ...(reason === null ? [] : [paragraph(clip(`Because: ${reason}`, 2000))]),
    note('plan ', code(planId), ' · by ', user(who)),
  ]);
}

const ENDS: Readonly<Record<string, string>> = {
  expired: 'This plan has expired; nothing was changed. Ask for it again: `plan <incident>`.',
  replaced: 'A newer plan has taken the place of this one; nothing was changed by it.',
  'already-rejected': 'This plan was rejected; nothing was changed.',
};

/** What stands in the place of a plan that cannot be approved any more. */
export function planEnded(why: string, planId: string): Message {
  return say('info', ENDS[why] ?? 'This plan cannot be approved any more.', [note('plan ', code(planId))]);
}

export function needsTyping({ id, confirm }: Plan, command: string): Message {
  return say('warn', 'Nothing was approved: this plan takes down what serves, so the button alone is not enough.', [
    paragraph('If that is what you want, type ', code(`${command} approve ${id} --confirm=${confirm}`)),
  ]);
}

const OPTIONS: Readonly<Record<string, string>> = {
  approve: '`--confirm=<workload>` and `--break-glass="why"`',
  reject: '`--reason="why"`',
  abort: '`--without-rollback`',
};

/** Said instead of doing something that leaves out words which are not understood. */
export function wordsUnknown(words: string, verb: string): Message {
  const known = OPTIONS[verb];
  const said = clip(words, 60);
  const what = /^[-–—]/.test(words) ? `${verb} has no option ${said}` : `${verb} does not know what “${said}” means`;
  const takes = known === undefined ? `${verb} takes an id alone.` : `It takes an id, and ${known}.`;
  return say('warn', `Nothing was done: ${what}.`, [
    paragraph(verb === 'resume' ? 'resume stands alone: it lets all acting go on, everywhere.' : takes),
  ]);
}

export function breakGlassRefused(why: 'no-reason' | 'not-allowed', planId: string, command: string): Message {
  if (why === 'not-allowed') {
    return actRefused(
      'Nothing was approved: you may not approve alone by break-glass.',
      'Ask for the approvals that are missing; `acting.breakGlass` lists who may.',
    );
  }
  return say('warn', 'Nothing was approved: break-glass needs its reason, which everybody will read.', [
    paragraph('Type ', code(`${command} approve ${planId} --break-glass="why it cannot wait"`)),
  ]);
}

export function brokeGlass(who: string, planId: string, reason: string): Message {
  return say('bad', 'A plan was approved alone, by break-glass.', [
    paragraph(user(who), ` gave this reason: ${clip(reason, 500)}`),
    note('plan ', code(planId)),
  ]);
}

export function actingPaused(who: string, reason: string): Message {
  return say('warn', 'All acting is paused: no run writes anything until somebody resumes it.', [
    paragraph(user(who), `: ${clip(reason === '' ? 'no reason given' : reason, 500)}`),
  ]);
}

export function actingResumed(who: string): Message {
  return say('info', 'Acting goes on.', [note('by ', user(who))]);
}

export function commandTaken(what: string): Message {
  return say('info', what, [paragraph('The card of the run shows how it goes, and `status`.')]);
}

/** A command to a run that comes too late, or to none: nobody is kept from anything. */
export function commandVain(what: string, next: string): Message {
  return say('warn', what, [paragraph(next)]);
}

export function noActing(): Message {
  return say('info', 'This bot changes nothing: no cluster allows it in the configuration.', [
    paragraph(
      '`oom plan` in a terminal prints the change, the rollback and the commands. To allow it here: `clusters[].acting`, `act`, and a store that lasts.',
    ),
  ]);
}

export function formNotOpened(): Message {
  return say('warn', 'The form could not be opened; the plan is as it was.', [
    paragraph('Click Edit again, or type the value: `plan <incident> <action> --flag=value`.'),
  ]);
}
