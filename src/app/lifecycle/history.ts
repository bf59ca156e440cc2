import type { Actor } from '../../model/authorise.ts';
import { OomError } from '../../model/errors.ts';
import type { FindingName } from '../../model/feedback.ts';
import type { Message } from '../../model/message.ts';
import { nearest } from '../../model/nearest.ts';
import { accuracyMessage } from '../../report/accuracy.ts';
import { HISTORY_PAGE, historyMessage } from '../../report/history.ts';
import { typedWords } from '../command.ts';
import type { IncidentEntry, IncidentStore } from '../incident-ports.ts';
import type { Clock, IncidentPlace, Store } from '../ports.ts';
import { searchCause } from './cause-search.ts';
import { type FindDeps, isAllowed } from './find-incident.ts';
import { type HistoryQuery, parseHistory } from './history-query.ts';

export type HistoryDeps = Pick<FindDeps, 'rights' | 'commandName'> & {
  readonly store: Pick<IncidentStore, 'incidentPlaces' | 'incidents' | 'feedback'> & Pick<Store, 'findings'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly findings: () => readonly FindingName[];
};

/** `history [workload] [--cause words] [--since time] [--until time] [page]`: incidents open and closed, the one seen last first. `history --accuracy`: how often findings were right. */
export async function readHistory(deps: HistoryDeps, actor: Actor, text: string): Promise<Message> {
  const query = parseHistory(typedWords(text), { now: deps.clock.now(), commandName: deps.commandName });
  const asked = { actor, verb: 'history' } as const;
  if (!query.accuracy) return listIncidents(deps, asked, query);
  const judged = (await deps.store.feedback()).filter((one) => isAllowed(deps, asked, one));
  return accuracyMessage(judged, deps.findings(), deps.commandName);
}

async function listIncidents(deps: HistoryDeps, asked: Asked, query: HistoryQuery): Promise<Message> {
  const mine = (await deps.store.incidentPlaces()).filter((place) => isAllowed(deps, asked, place));
  const { workload, cause } = subjectOf(deps, mine, query);
  const inTime = mine.filter((one) => isSeenIn(one, query) && (workload === '' || isOf(one, workload)));
  const { found, searched } = await withCause(deps, inTime, cause);
  const pages = Math.max(1, Math.ceil(found.length / HISTORY_PAGE));
  const page = Math.min(pages, query.page);
  const ids = found.slice((page - 1) * HISTORY_PAGE, page * HISTORY_PAGE).map(({ id }) => id);
  const judged = (await deps.store.feedback()).filter(({ incidentId }) => ids.includes(incidentId));
  return historyMessage({
    ...{ incidents: await deps.store.incidents(ids), judged, findings: deps.findings() },
    ...{ count: found.length, page, pages, workload, cause, searched },
    ...{ since: query.since, until: query.until },
    ...{ now: deps.clock.now(), commandName: deps.commandName },
  });
}

type Asked = Parameters<typeof isAllowed>[1];
type Subject = { readonly workload: string; readonly cause: string };

// What no workload is called is taken as words of a cause.
function subjectOf(deps: HistoryDeps, mine: readonly IncidentPlace[], { subject, cause }: HistoryQuery): Subject {
  if (subject === '' || mine.some((place) => isOf(place, subject))) return { workload: subject, cause };
  if (cause === '' && searchCause(subject, deps.findings()).kind === 'search') return { workload: '', cause: subject };
  throw noneOf(deps, mine, subject);
}

// An incident lasts from its first failure to its last.
function isSeenIn({ openedAt, lastSeenAt }: IncidentEntry, { since, until }: HistoryQuery): boolean {
  return (since === undefined || lastSeenAt >= since) && (until === undefined || openedAt < until);
}

/** Findings are read one incident at a time, so only the newest of many are compared. */
const MOST_SEARCHED = 300;

type Found = { readonly found: readonly IncidentEntry[]; readonly searched: number | undefined };

async function withCause(deps: HistoryDeps, all: readonly IncidentEntry[], cause: string): Promise<Found> {
  if (cause === '') return { found: all, searched: undefined };
  const wanted = searchCause(cause, deps.findings());
  if (wanted.kind === 'unknown') throw noCause(deps, cause, wanted.nearest);
  const found = all.filter(wanted.matches);
  if (wanted.finding === undefined) return { found, searched: undefined };
  const having: IncidentEntry[] = [];
  for (const one of found.slice(0, MOST_SEARCHED)) {
    const newest = (await deps.store.findings(one.id)).at(-1);
    if (newest?.diagnosis.verdict.finding === wanted.finding) having.push(one);
  }
  return { found: having, searched: found.length > MOST_SEARCHED ? MOST_SEARCHED : undefined };
}

function noCause({ commandName }: HistoryDeps, cause: string, near: string | undefined): OomError {
  const names = 'Name a cause (`gpu.startup`), a category (`kv-cache`), a finding, or words such as `cuda oom`.';
  return new OomError('bad-input', `No cause is called “${cause.slice(0, 100)}”.`, {
    next: near === undefined ? names : `Did you mean \`${commandName} history --cause ${near}\`? ${names}`,
  });
}

// `vllm-server`, `llm/vllm-server`, `Deployment/vllm-server`
function isOf({ workload, namespace, cluster }: IncidentPlace, wanted: string): boolean {
  const name = nameOf(workload);
  return [name, workload, `${namespace}/${name}`, `${cluster}/${namespace}/${name}`].includes(wanted);
}

function nameOf(workload: string): string {
  return workload.slice(workload.indexOf('/') + 1);
}

function noneOf({ commandName }: HistoryDeps, mine: readonly IncidentPlace[], workload: string): OomError {
  const near = nearest(
    workload,
    mine.map((place) => nameOf(place.workload)),
  );
  return new OomError('not-found', `No incident of a workload or cause ${workload.slice(0, 100)} here.`, {
    next: near === undefined ? `\`${commandName} history\` lists all workloads.` : `Did you mean \`${near}\`?`,
  });
}
