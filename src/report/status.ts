import type { Incident } from '../model/incident.ts';
import { type Block, bold, type Choice, code, type Message, type Span } from '../model/message.ts';
import type { Plan, Run } from '../model/plan.ts';
import { stateWords } from './incident-state.ts';
import { sureWords } from './words/confidence.ts';
import { subjectOf } from './words/plan-words.ts';
import { ago, clip, counted, list, note, paragraph, say, spansOf, user, type Words } from './words/sentence.ts';
import { headlineOf } from './words/verdict-words.ts';

const MOST_RUNS = 8;
const MOST_REFUSED = 3;
// Incidents with a menu: what a screen shows.
const MOST_ROWS = 5;
/** Incidents per page. */
export const PAGE = 10;

export type Status = {
  /** The incidents of this page. */
  readonly incidents: readonly Incident[];
  /** All open incidents. */
  readonly open: number;
  readonly page: number;
  readonly pages: number;
  readonly runs: readonly Run[];
  /** Plans that wait for approval. */
  readonly plans: readonly Plan[];
  /** Notices that Slack refused for good. */
  readonly refused: readonly { readonly incidentId: string; readonly kind: string; readonly conversation: string }[];
  /** Links to the messages of incidents, plans and runs, by id. */
  readonly links: ReadonlyMap<string, string>;
  readonly paused: { readonly by: string; readonly at: number; readonly reason: string } | undefined;
};

type StatusOptions = {
  /** It is shown where people click: its page can be redrawn, and each incident has a menu. */
  readonly clickable: boolean;
  /** Where plans are offered; nowhere where it is left out. */
  readonly mayPlan?: ((place: { readonly cluster: string; readonly namespace: string }) => boolean) | undefined;
  /** Whether there are temporary changes to list. */
  readonly changes?: boolean;
};

/** Open incidents, most recent first, then runs and plans that wait for approval. */
export function statusMessage(
  status: Status,
  now: number,
  commandName: string,
  options: StatusOptions = { clickable: false },
): Message {
  const { incidents, page, pages, paused, links } = status;
  const title = titleOf(status);
  const hasWork = status.open > 0 || status.runs.length > 0 || status.plans.length > 0 || paused !== undefined;
  const more = pages === 1 ? [] : [` · page ${page} of ${pages}: `, code(`${commandName} status <page>`)];
  return {
    ...say(hasWork ? 'warn' : 'ok', title, [
      ...pauseBlocks(paused, now),
      ...incidentBlocks(
        incidents.map((one) => ({ words: incidentLine(one, now, links), menu: menuOf(one, options) })),
        options,
      ),
      ...shortList(
        'Running',
        status.runs.map((run) => runLine(run, now, links)),
      ),
      ...shortList(
        'Waiting for approval',
        status.plans.map((plan) => planLine(plan, links)),
      ),
      ...shortList(
        'Refused by Slack',
        status.refused.map((one) => refusedLine(one, links)),
        { most: MOST_REFUSED, where: '' },
      ),
      note(
        'Triage a pod: ',
        code(`${commandName} triage <pod>`),
        ' · explain: ',
        code(`${commandName} explain <id>`),
        ...more,
      ),
    ]),
    choices: choicesOf(status, options),
  };
}

function titleOf({ open, runs, plans }: Status): string {
  const parts = [
    open === 0 ? 'no open incidents' : counted(open, 'open incident'),
    ...(runs.length === 0 ? [] : [`${runs.length} running`]),
    ...(plans.length === 0 ? [] : [`${plans.length} waiting for approval`]),
  ];
  return `oombot: ${parts.join(', ')}`;
}

const IN_THREADS = { most: MOST_RUNS, where: ', in the threads of their incidents' };

function shortList(title: string, items: readonly Words[], { most, where } = IN_THREADS): Block[] {
  const more = items.length - most;
  return list(title, more > 0 ? [...items.slice(0, most), [`${more} more${where}`]] : items);
}

function incidentBlocks(
  lines: readonly { readonly words: Words; readonly menu: Choice[] }[],
  { clickable }: StatusOptions,
): Block[] {
  const words = lines.map((line) => line.words);
  if (!clickable || lines.length === 0) return list('Open incidents', words);
  const rows = lines.slice(0, MOST_ROWS);
  return [
    paragraph(bold('Open incidents')),
    ...rows.map((row): Block => ({ kind: 'row', spans: spansOf(row.words), menu: row.menu })),
    ...list('', words.slice(MOST_ROWS)),
  ];
}

function menuOf(incident: Incident, { mayPlan }: StatusOptions): Choice[] {
  const { id } = incident;
  return [
    { asks: 'ack', label: "I'm on it", value: id },
    ...(mayPlan?.(incident) === true ? [{ asks: 'plan', label: 'Plan mitigation…', value: id } as const] : []),
    { asks: 'fix', label: 'Permanent fix', value: id },
    { asks: 'resolve', label: 'Resolve…', value: id },
  ];
}

function choicesOf({ page, pages }: Status, { clickable, changes = false }: StatusOptions): Choice[] {
  const to = (label: string, other: number): Choice[] =>
    other < 1 || other > pages ? [] : [{ asks: 'status', label, value: String(other) }];
  const turn = [...to('Previous page', page - 1), ...to('Next page', page + 1)];
  if (!clickable) return turn;
  const shift: Choice = { asks: 'handover', label: 'Shift handover', value: 'shift' };
  const list: Choice[] = changes ? [{ asks: 'changes', label: 'Temporary changes', value: 'list' }] : [];
  return [...turn, ...to('Refresh', page), shift, ...list];
}

function pauseBlocks(paused: Status['paused'], now: number): Block[] {
  if (paused === undefined) return [];
  const reason = paused.reason === '' ? '' : `: ${clip(paused.reason, 300)}`;
  return [paragraph(bold('All acting is paused'), ' by ', user(paused.by), `, ${ago(paused.at, now)} ago${reason}`)];
}

function idOf(id: string, links: Status['links']): Span {
  const url = links.get(id);
  return url === undefined ? code(id) : { kind: 'link', text: id, url };
}

const placeOf = ({ cluster, object }: Run['target']): Span =>
  code(clip(`${cluster}/${object.namespace}/${object.name}`, 210));

function runLine(run: Run, now: number, links: Status['links']): Words {
  const { target, startedAt, startedBy, id } = run;
  const since = `, ${stateOf(run)}, started ${ago(startedAt, now)} ago by `;
  return [placeOf(target), since, user(startedBy), ', ', idOf(id, links), stepOf(run)];
}

function planLine(plan: Plan, links: Status['links']): Words {
  const expires = { kind: 'time', at: plan.expiresAt } as const;
  return [
    bold(clip(subjectOf(plan), 110)),
    ' in ',
    placeOf(plan.target),
    ', expires ',
    expires,
    ', ',
    idOf(plan.id, links),
  ];
}

const REFUSED: Readonly<Record<string, string>> = {
  decided: 'decision on',
  remind: 'reminder to approve',
  report: 'result of',
  change: 'notice about',
  details: 'details of',
  closed: 'notice that the incident is closed',
  alert: 'notice that an alert is resolved',
  thread: 'details of the finding',
  handover: 'handover',
  timeline: 'timeline of the handover',
  shift: 'shift handover',
};
const IDS: ReadonlySet<string> = new Set(['decided', 'remind', 'report', 'change', 'details']);

function refusedLine({ incidentId, kind, conversation }: Status['refused'][number], links: Status['links']): Words {
  const [topic = '', id = ''] = kind.split('/');
  const about = IDS.has(topic) ? [' ', code(clip(id, 60))] : [];
  const incident = topic === 'shift' ? [] : [', ', idOf(incidentId, links)];
  return [REFUSED[topic] ?? topic, ...about, ', not posted in ', code(conversation), ...incident];
}

function stateOf({ state, command }: Run): string {
  if (state === 'compensating') return 'rolling back';
  return command === 'abort' || command === 'abandon' ? 'aborting' : state;
}

// Only the number of the step: its text stays in the run message, since a channel may be shared.
function stepOf({ steps }: Run): string {
  const now = steps.find(({ phase }) => phase === 'running');
  if (now === undefined) return '';
  return `, step ${now.n} of ${steps.length}${now.endedAt === null ? '' : ' needs a decision: go-on or abort'}`;
}

const nameOf = ({ workload }: Incident): string => workload.slice(workload.indexOf('/') + 1);

function incidentLine(incident: Incident, now: number, links: Status['links']): Words {
  const times =
    incident.seen === 1
      ? `${ago(incident.lastSeenAt, now)} ago`
      : `seen ${incident.seen} times, last ${ago(incident.lastSeenAt, now)} ago`;
  return [
    bold(clip(`${headlineOf(incident)}${sureWords(incident)}`, 150)),
    ' in ',
    code(clip(`${incident.cluster}/${incident.namespace}/${nameOf(incident)}`, 210)),
    `, ${times}, `,
    idOf(incident.id, links),
    ...stateWords(incident),
  ];
}

/** There is no store at this path for the command `verb`. */
export function noStore(path: string, verb: string): Message {
  const port = verb === 'status' ? ', or `oom status --bot` if `acting.port` is set' : '';
  const says = `A running bot has its own store: type \`/oom ${verb}\` in Slack${port}.`;
  return say('info', `No incidents: there is no store at ${clip(path, 200)}.`, [note(says)]);
}
