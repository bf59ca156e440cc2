import type { Incident } from '../model/incident.ts';
import { type Block, bold, type Choice, code, type Message } from '../model/message.ts';
import type { Run } from '../model/plan.ts';
import { stateWords } from './incident-state.ts';
import { sureWords } from './words/confidence.ts';
import { ago, clip, list, note, paragraph, say, user, type Words } from './words/sentence.ts';
import { headlineOf } from './words/verdict-words.ts';

const MOST_RUNS = 20;
/** How many incidents are shown at once. */
export const PAGE = 20;

export type Status = {
  /** Those of this page. */
  readonly incidents: readonly Incident[];
  /** How many there are in all. */
  readonly open: number;
  readonly page: number;
  readonly pages: number;
  readonly runs: readonly Run[];
  readonly paused: { readonly by: string; readonly at: number; readonly reason: string } | undefined;
};

/** A page of the open incidents, the one seen last first; then the runs under way, and whether acting is paused. */
export function statusMessage(status: Status, now: number, commandName: string): Message {
  const { incidents, open, runs, paused } = status;
  const acting = [...pauseBlocks(paused, now), ...runBlocks(runs, now)];
  if (open === 0) {
    return say(acting.length === 0 ? 'ok' : 'warn', 'No open incident.', [
      ...acting,
      note('To read a pod, type ', code(`${commandName} triage <pod>`)),
    ]);
  }
  const count = open === 1 ? '1 open incident' : `${open} open incidents`;
  const listed = incidents.map((one) => line(one, now));
  const message = say('warn', `${count}.`, [
    ...list('Seen last first', listed),
    ...pageNote(status, commandName),
    ...acting,
    note('For the reasons, type ', code(`${commandName} explain <id>`)),
  ]);
  const choices = pageChoices(status);
  return choices.length === 0 ? message : { ...message, choices };
}

function pageNote({ page, pages }: Status, commandName: string): Block[] {
  if (pages === 1) return [];
  return [note(`Page ${page} of ${pages}; for another one, type `, code(`${commandName} status <page>`))];
}

function pageChoices({ page, pages }: Status): Choice[] {
  const to = (label: string, other: number): Choice[] =>
    other < 1 || other > pages ? [] : [{ asks: 'status', label, value: String(other) }];
  return [...to('Previous page', page - 1), ...to('Next page', page + 1)];
}

function pauseBlocks(paused: Status['paused'], now: number): Block[] {
  if (paused === undefined) return [];
  const reason = paused.reason === '' ? '' : `: ${clip(paused.reason, 300)}`;
  return [paragraph(bold('All acting is paused'), ' by ', user(paused.by), `, ${ago(paused.at, now)} ago${reason}`)];
}

function runBlocks(runs: readonly Run[], now: number): Block[] {
  const items = runs
    .slice(0, MOST_RUNS)
    .map((run) => [
      code(clip(`${run.target.cluster}/${run.target.object.namespace}/${run.target.object.name}`, 300)),
      `, ${stateOf(run)}, begun ${ago(run.startedAt, now)} ago by `,
      user(run.startedBy),
      ', ',
      code(run.id),
      stepOf(run),
    ]);
  return list('Runs under way', items);
}

function stateOf({ state, command }: Run): string {
  if (state === 'compensating') return 'goes back';
  return command === 'abort' || command === 'abandon' ? 'is being aborted' : state;
}

// At a terminal no card shows how far it is. What a step says is of the card: a channel may be shared.
function stepOf({ steps }: Run): string {
  const now = steps.find(({ phase }) => phase === 'running');
  if (now === undefined) return '';
  return `, step ${now.n} of ${steps.length}${now.endedAt === null ? '' : ' asks: go-on or abort'}`;
}

function line(incident: Incident, now: number): Words {
  const times =
    incident.seen === 1
      ? `${ago(incident.lastSeenAt, now)} ago`
      : `seen ${incident.seen} times, last ${ago(incident.lastSeenAt, now)} ago`;
  return [
    bold(clip(`${headlineOf(incident)}${sureWords(incident)}`, 200)),
    ' in ',
    code(clip(`${incident.cluster}/${incident.namespace}/${incident.workload}`, 300)),
    `, ${times}, `,
    code(incident.id),
    ...stateWords(incident),
  ];
}

/** There is no store at this path. */
export function noStore(path: string): Message {
  const says =
    'A running bot keeps its own: ask it by `/oom status`, or here with `--bot`, where `acting.port` is set.';
  return say('info', `Nothing was kept from here yet: there is no store at ${clip(path, 200)}.`, [note(says)]);
}
