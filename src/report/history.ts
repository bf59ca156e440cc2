import type { Feedback, FindingName } from '../model/feedback.ts';
import { type Incident, isHealthyReading } from '../model/incident.ts';
import { bold, code, type Message } from '../model/message.ts';
import { nameOfCause, stateWords } from './incident-state.ts';
import { ago, clip, counted, list, note, say, type Words } from './words/sentence.ts';
import { NO_TIME, timeOf } from './words/span-words.ts';
import { headlineOf } from './words/verdict-words.ts';

/** Incidents per page: a Slack list has 15 items. */
export const HISTORY_PAGE = 15;

type History = {
  /** The incidents of this page. */
  readonly incidents: readonly Incident[];
  /** Feedback on them. */
  readonly judged: readonly Feedback[];
  readonly findings: readonly FindingName[];
  readonly count: number;
  readonly page: number;
  readonly pages: number;
  /** The requested workload and cause; empty for all. */
  readonly workload: string;
  readonly cause: string;
  /** The requested span, epoch ms. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** How many incidents were compared, where there are more. */
  readonly searched: number | undefined;
  readonly now: number;
  readonly commandName: string;
};

/** Open and closed incidents, most recent first. */
export function historyMessage(history: History): Message {
  const { incidents, count, page, pages, commandName, searched } = history;
  const of = filterWords(history);
  const partly =
    searched === undefined
      ? []
      : [note(`Only the newest ${searched} incidents were searched; narrow it with `, code('--since'), '.')];
  if (count === 0) return say('ok', `No incidents${of}.`, partly);
  return say('info', `${counted(count, 'incident')}${of}.`, [
    ...list(
      'Most recent first',
      incidents.map((incident) => line(incident, history)),
    ),
    ...(pages === 1 ? [] : [note(`Page ${page} of ${pages}; another page: `, code(anotherPage(history)))]),
    ...partly,
    note(
      ...['Search: ', code(`${commandName} history [workload] --cause cuda oom --since 7d`)],
      ...[' · Post-mortem: ', code(`${commandName} export <incident>`)],
      ...[' · Accuracy: ', code(`${commandName} history --accuracy`)],
    ),
  ]);
}

// ` of llm/vllm-server with cause “cuda oom” from 2026-11-01 00:00:00 UTC until …`
function filterWords({ workload, cause, since, until }: History): string {
  return [
    workload === '' ? '' : ` of ${clip(workload, 100)}`,
    cause === '' ? '' : ` with cause “${clip(cause, 60)}”`,
    since === undefined ? '' : ` since ${timeOf(since)?.words ?? NO_TIME}`,
    until === undefined ? '' : ` until ${timeOf(until)?.words ?? NO_TIME}`,
  ].join('');
}

function anotherPage({ workload, cause, since, until, commandName }: History): string {
  return [
    `${commandName} history`,
    ...(workload === '' ? [] : [clip(workload, 100)]),
    ...(cause === '' ? [] : [`--cause ${clip(cause, 60)}`]),
    ...(since === undefined ? [] : [`--since ${minuteOf(since)}`]),
    ...(until === undefined ? [] : [`--until ${minuteOf(until)}`]),
    '<page>',
  ].join(' ');
}

function minuteOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

const REASON = 100;

function line(incident: Incident, { judged, findings, now }: History): Words {
  const { cluster, namespace, workload, seen, state, id, lastSeenAt } = incident;
  const what = isHealthyReading(incident) ? 'Healthy' : headlineOf(incident);
  const times = seen === 1 ? '' : `seen ${seen} times, last `;
  return [
    bold(clip(what, 200)),
    ' in ',
    code(clip(`${cluster}/${namespace}/${workload}`, 200)),
    `, ${times}${ago(lastSeenAt, now)} ago${state === 'open' ? ', open' : ''}`,
    ...stateWords(incident, REASON),
    ...judged.filter(({ incidentId }) => incidentId === id).map((one) => judgedWords(one, findings)),
    ', ',
    code(id),
  ];
}

function judgedWords({ right, actual }: Feedback, findings: readonly FindingName[]): string {
  return right ? ', finding was right' : `, finding was wrong (${clip(nameOfCause(actual, findings), 80)})`;
}
