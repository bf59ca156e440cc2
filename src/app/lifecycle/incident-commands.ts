import type { Actor } from '../../model/authorise.ts';
import { OomError } from '../../model/errors.ts';
import { type Feedback, type FindingName, NOT_KNOWN, NOT_MEMORY } from '../../model/feedback.ts';
import type { Incident } from '../../model/incident.ts';
import type { Message } from '../../model/message.ts';
import { nearest } from '../../model/nearest.ts';
import { type CauseGroup, causeGroups } from '../../report/feedback-choices.ts';
import { acknowledged, alreadyResolved, feedbackTaken, nameOfCause, resolved } from '../../report/incident-state.ts';
import type { IncidentStore } from '../incident-ports.ts';
import type { Clock } from '../ports.ts';
import { type FindDeps, findIncident, incidentById, latestFinding } from './find-incident.ts';

export type IncidentDeps = FindDeps & {
  readonly store: FindDeps['store'] & Pick<IncidentStore, 'closeIncident' | 'acknowledge' | 'saveFeedback'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The findings of the playbook in force. */
  readonly findings: () => readonly FindingName[];
  /** Takes secrets out of what people type. */
  readonly redact: (text: string) => string;
};

/** The answer to the asker; `changed` where the incident is another one now than it was shown. */
type IncidentAnswer = { readonly message: Message; readonly incident: Incident; readonly changed: boolean };

const MOST_OF_REASON = 500;

/** `resolve [incident] [reason]`. Throws OomError for an incident that is not there, or not here. */
export async function resolveIncident(deps: IncidentDeps, actor: Actor, text: string): Promise<IncidentAnswer> {
  const { incident, rest } = await findIncident(deps, { actor, verb: 'resolve' }, text);
  const why = deps.redact(unquoted(rest)).slice(0, MOST_OF_REASON);
  const at = deps.clock.now();
  const before = await deps.store.closeIncident(incident.id, { actor: actor.user, why, at });
  if (before.state === 'closed') return { message: alreadyResolved(before, at), incident: before, changed: false };
  return { message: resolved(before), incident: before, changed: true };
}

/** `ack [incident]`: from now on everybody sees who is on it. */
export async function acknowledgeIncident(deps: IncidentDeps, actor: Actor, text: string): Promise<IncidentAnswer> {
  const { incident, rest } = await findIncident(deps, { actor, verb: 'ack' }, text);
  if (rest !== '') {
    throw new OomError('bad-input', `Unexpected “${rest.slice(0, 60)}” after the incident; nothing was changed.`, {
      next: `Type \`${deps.commandName} ack ${incident.id}\`.`,
    });
  }
  const at = deps.clock.now();
  const before = await deps.store.acknowledge(incident.id, { by: actor.user, at });
  const message = before.state === 'closed' ? alreadyResolved(before, at) : acknowledged(before, actor.user, at);
  return { message, incident: before, changed: before.state === 'open' && before.ackBy !== actor.user };
}

/** `feedback <incident> yes|no [finding] [note]`: whether its newest finding is right, and if not, what it was. */
export async function judgeFinding(deps: IncidentDeps, actor: Actor, text: string): Promise<IncidentAnswer> {
  const { incident, rest } = await findIncident(deps, { actor, verb: 'feedback' }, text);
  const finding = await judgedFinding(deps, incident);
  const [answer = '', ...words] = rest.split(/\s+/);
  const names = deps.findings();
  const judged = readAnswer(answer.toLowerCase(), words, { names, finding, usage: usageOf(deps, incident.id) });
  const note = judged.note === null ? null : deps.redact(judged.note).slice(0, MOST_OF_REASON);
  const { right, actual } = judged;
  const at = deps.clock.now();
  await deps.store.saveFeedback({ incidentId: incident.id, finding, right, actual, note, by: actor.user, at });
  return { message: feedbackTaken(incident, { finding, right, actual }, names), incident, changed: false };
}

/** Of a finding that is wrong: which one, and what it may have been. */
export type FeedbackForm = {
  readonly incident: Incident;
  /** The name of the finding. */
  readonly said: string;
  readonly groups: readonly CauseGroup[];
};

/** What a dialog about a wrong finding shows. Throws as the command does. */
export async function openFeedback(deps: IncidentDeps, actor: Actor, id: string): Promise<FeedbackForm> {
  const incident = await incidentById(deps, { actor, verb: 'feedback' }, id);
  const { verdict } = (await latestFinding(deps, incident.id)).diagnosis;
  const names = deps.findings();
  return { incident, said: nameOfCause(verdict.finding, names), groups: causeGroups(names, verdict) };
}

async function judgedFinding(deps: IncidentDeps, { id }: Incident): Promise<string> {
  return (await latestFinding(deps, id)).diagnosis.verdict.finding;
}

type Judged = Pick<Feedback, 'right' | 'actual' | 'note'>;
type Choices = { readonly names: readonly FindingName[]; readonly finding: string; readonly usage: string };

function readAnswer(answer: string, words: readonly string[], { names, finding, usage }: Choices): Judged {
  const bad = (says: string, next = usage) => new OomError('bad-input', `Feedback not stored: ${says}`, { next });
  if (answer !== 'yes' && answer !== 'no') throw bad('is the finding right, yes or no?');
  if (answer === 'yes') return { right: true, actual: null, note: noteOf(words) };
  const [actual = NOT_KNOWN, ...note] = words;
  if (actual === finding) throw bad(`${actual} is the finding itself.`, 'If it is right, type `yes`.');
  const known = [NOT_MEMORY, NOT_KNOWN, ...names.map(({ id }) => id)];
  if (known.includes(actual)) return { right: false, actual, note: noteOf(note) };
  const near = nearest(actual, known);
  throw bad(`unknown finding \`${actual.slice(0, 60)}\`.`, near === undefined ? usage : `Did you mean \`${near}\`?`);
}

function usageOf({ commandName }: IncidentDeps, id: string): string {
  const line = `${commandName} feedback ${id}`;
  return `Type \`${line} yes\`, or \`${line} no <finding> [note]\` with \`${NOT_MEMORY}\`, \`${NOT_KNOWN}\` or the real finding.`;
}

function noteOf(words: readonly string[]): string | null {
  const note = unquoted(words.join(' '));
  return note === '' ? null : note;
}

function unquoted(text: string): string {
  return text.trim().replace(/^["“”](.*)["“”]$/s, '$1');
}
