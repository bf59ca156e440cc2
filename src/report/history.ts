import type { Feedback, FindingName } from '../model/feedback.ts';
import { type Incident, isHealthyReading } from '../model/incident.ts';
import { bold, code, type Message } from '../model/message.ts';
import { nameOfCause, stateWords } from './incident-state.ts';
import { ago, clip, counted, list, note, say, type Words } from './words/sentence.ts';
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
  /** The requested workload; empty for all. */
  readonly workload: string;
  readonly now: number;
  readonly commandName: string;
};

/** Open and closed incidents, most recent first. */
export function historyMessage(history: History): Message {
  const { incidents, count, page, pages, workload, commandName } = history;
  const of = workload === '' ? '' : ` of ${clip(workload, 150)}`;
  if (count === 0) return say('ok', `No incidents${of}.`);
  const again = `${commandName} history ${workload === '' ? '' : `${workload} `}<page>`;
  return say('info', `${counted(count, 'incident')}${of}.`, [
    ...list(
      'Most recent first',
      incidents.map((incident) => line(incident, history)),
    ),
    ...(pages === 1 ? [] : [note(`Page ${page} of ${pages}; another page: `, code(again))]),
    note('Accuracy of findings: ', code(`${commandName} history --accuracy`)),
  ]);
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
