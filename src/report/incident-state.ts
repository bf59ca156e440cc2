import { type Feedback, type FindingName, NOT_KNOWN, NOT_MEMORY } from '../model/feedback.ts';
import { type Incident, isHealthyReading } from '../model/incident.ts';
import { type Choice, code, type Message } from '../model/message.ts';
import { ago, clip, note, paragraph, say as sayAny, spansOf, user, type Words } from './words/sentence.ts';
import { headlineOf } from './words/verdict-words.ts';

const SHORT_REASON = 60;
const REASON = 200;

/** The menu of a finding: acknowledge, resolve, permanent fix, and feedback. */
export function menuOf(incident: Incident): Choice[] {
  const judge: Choice[] = [
    { asks: 'right', label: 'Finding is right', value: incident.id },
    { asks: 'wrong', label: 'Finding is wrong…', value: incident.id },
  ];
  const fix: Choice[] = isHealthyReading(incident) ? [] : [{ asks: 'fix', label: 'Permanent fix', value: incident.id }];
  if (incident.state === 'closed') return [...fix, ...judge];
  return [
    { asks: 'ack', label: "I'm on it", value: incident.id },
    { asks: 'resolve', label: 'Resolve…', value: incident.id },
    ...fix,
    ...judge,
  ];
}

/** Who is on an incident, or who closed it and why; shown after its id. */
export function stateWords(incident: Incident, length = SHORT_REASON): Words {
  if (isHealthyReading(incident)) return [];
  if (incident.state === 'closed') return [', resolved by ', ...closedWords(incident, length)];
  const again = incident.reopenedAt === null ? [] : [', reopened'];
  return [...again, ...(incident.ackBy === null ? [] : [', ', user(incident.ackBy), ' is on it'])];
}

function closedWords({ closedBy, closedWhy }: Incident, length: number): Words {
  const why = clip((closedWhy ?? '').replace(/\s+/g, ' ').replace(/\.$/, ''), length);
  return [user(closedBy ?? 'oombot'), why === '' ? '' : `: ${why}`];
}

export function resolved(incident: Incident): Message {
  return sayAbout(incident, 'ok', 'Resolved: ', ['If it fails again, the incident reopens.']);
}

export function alreadyResolved(incident: Incident, now: number): Message {
  const when = incident.closedAt === null ? '' : `, ${ago(incident.closedAt, now)} ago`;
  if (isHealthyReading(incident)) return sayAbout(incident, 'info', 'Nothing to resolve, the pod was healthy: ', []);
  const who: Words = ['Resolved by ', ...closedWords(incident, REASON), `${when}. If it fails again, it reopens.`];
  return sayAbout(incident, 'info', 'Already resolved: ', who);
}

/** `before` is the incident before `by` took it. */
export function acknowledged(before: Incident, by: string, now: number): Message {
  const since = before.ackAt === null ? '' : ` ${ago(before.ackAt, now)} ago`;
  if (before.ackBy === by) return sayAbout(before, 'info', `You took this one${since}: `, []);
  if (before.ackBy === null) return sayAbout(before, 'ok', "You're on it: ", []);
  return sayAbout(before, 'ok', "You're on it: ", [
    'You took over from ',
    user(before.ackBy),
    `, who took it${since}.`,
  ]);
}

function sayAbout(incident: Incident, mark: 'ok' | 'info', says: string, words: Words): Message {
  const what = clip(`${says}${subjectOf(incident)}`, 280);
  return sayAny(mark, `${what}.`, [...(words.length === 0 ? [] : [paragraph(...words)]), note(code(incident.id))]);
}

/** Where and what it is: `llm/vllm-server · GPU memory ran out at startup`. */
export function subjectOf(incident: Incident): string {
  return `${placeOf(incident)} · ${headlineOf(incident)}`;
}

/** `llm/vllm-server` */
export function placeOf({ namespace, workload }: Incident): string {
  return `${namespace}/${workload.slice(workload.indexOf('/') + 1)}`;
}

/** In the thread: the incident is closed. It asks whether the finding was right. */
export function closedNotice(incident: Incident): Message {
  const who: Words = ['Resolved by ', ...closedWords(incident, REASON), '.'];
  return {
    ...sayAny('ok', 'Resolved. Was the finding right?', []),
    blocks: [
      { kind: 'headline', mark: 'ok', spans: spansOf(who) },
      paragraph('Was the finding right? If it fails again, the incident reopens.'),
    ],
    choices: [
      { asks: 'right', label: 'Yes', value: incident.id },
      { asks: 'wrong', label: 'No…', value: incident.id },
    ],
  };
}

/** Replaces the progress message: a closed incident failed again. `closed` is the incident as it was. */
export function reopened(closed: Incident, link: string | undefined): Message {
  return sayAny('bad', `${clip(`Reopened: ${subjectOf(closed)}`, 280)}.`, [
    paragraph('Resolved before by ', ...closedWords(closed, REASON), '.'),
    ...(link === undefined ? [] : [paragraph({ kind: 'link', text: 'Open the finding', url: link })]),
    note(code(closed.id)),
  ]);
}

/** Slack did not open the dialog: shows the command that does the same. */
export function dialogNotOpened({ id }: Incident, kind: 'resolve' | 'wrong'): Message {
  const typed = kind === 'resolve' ? `resolve ${id} <reason>` : `feedback ${id} no <finding> <note>`;
  return sayAny('warn', 'Could not open the dialog. Nothing was changed.', [
    paragraph('Click again, or type it after the slash command: ', code(typed)),
  ]);
}

export function feedbackTaken(
  { id }: Incident,
  { finding, right, actual }: Pick<Feedback, 'finding' | 'right' | 'actual'>,
  names: readonly FindingName[],
): Message {
  const was = right ? 'right' : `wrong, it was: ${nameOfCause(actual, names)}`;
  const says = `Noted: “${clip(nameOfCause(finding, names), 100)}” was ${clip(was, 140)}.`;
  return sayAny('ok', says, [note('To change it, answer again · ', code(id))]);
}

/** The name of a reported cause. */
export function nameOfCause(id: string | null, names: readonly FindingName[]): string {
  if (id === NOT_MEMORY) return 'not memory';
  if (id === null || id === NOT_KNOWN) return "don't know";
  return names.find((one) => one.id === id)?.name ?? id;
}
