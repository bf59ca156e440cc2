import type { Actor } from '../../model/authorise.ts';
import { OomError } from '../../model/errors.ts';
import type { FindingName } from '../../model/feedback.ts';
import type { Message } from '../../model/message.ts';
import { nearest } from '../../model/nearest.ts';
import { accuracyMessage } from '../../report/accuracy.ts';
import { HISTORY_PAGE, historyMessage } from '../../report/history.ts';
import { typedWords } from '../command.ts';
import type { IncidentStore } from '../incident-ports.ts';
import type { Clock, IncidentPlace } from '../ports.ts';
import { type FindDeps, isAllowed } from './find-incident.ts';

export type HistoryDeps = Pick<FindDeps, 'rights' | 'commandName'> & {
  readonly store: Pick<IncidentStore, 'incidentPlaces' | 'incidents' | 'feedback'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly findings: () => readonly FindingName[];
};

/** `history [workload] [page]`: incidents open and closed, the one seen last first. `history --accuracy`: how often findings were right. */
export async function readHistory(deps: HistoryDeps, actor: Actor, text: string): Promise<Message> {
  const words = typedWords(text);
  const option = words.find((word) => word.startsWith('-'));
  if (option === undefined) return listIncidents(deps, actor, words);
  if (option !== '--accuracy') throw badOption(deps, option);
  if (words.length > 1) throw badOption(deps, words.find((word) => word !== option) ?? '');
  const asked = { actor, verb: 'history' } as const;
  const judged = (await deps.store.feedback()).filter((one) => isAllowed(deps, asked, one));
  return accuracyMessage(judged, deps.findings(), deps.commandName);
}

function badOption({ commandName }: HistoryDeps, word: string): OomError {
  const what = word.startsWith('-') ? `Unknown option ${word}` : `Unexpected “${word}” after --accuracy`;
  return new OomError('bad-input', `${what}.`.slice(0, 200), {
    next: `Type \`${commandName} history [workload] [page]\` or \`${commandName} history --accuracy\`.`,
  });
}

async function listIncidents(deps: HistoryDeps, actor: Actor, words: readonly string[]): Promise<Message> {
  const last = words.at(-1) ?? '';
  const wantedPage = /^[1-9]\d{0,5}$/.test(last) ? Number(last) : 1;
  const workload = (wantedPage === 1 && last !== '1' ? words : words.slice(0, -1)).join(' ');
  const mine = (await deps.store.incidentPlaces()).filter((place) =>
    isAllowed(deps, { actor, verb: 'history' }, place),
  );
  const found = workload === '' ? mine : mine.filter((place) => isOf(place, workload));
  if (found.length === 0 && workload !== '') throw noneOf(deps, mine, workload);
  const pages = Math.max(1, Math.ceil(found.length / HISTORY_PAGE));
  const page = Math.min(pages, wantedPage);
  const ids = found.slice((page - 1) * HISTORY_PAGE, page * HISTORY_PAGE).map(({ id }) => id);
  const judged = (await deps.store.feedback()).filter(({ incidentId }) => ids.includes(incidentId));
  return historyMessage({
    ...{ incidents: await deps.store.incidents(ids), judged, findings: deps.findings() },
    ...{ count: found.length, page, pages, workload },
    ...{ now: deps.clock.now(), commandName: deps.commandName },
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
  return new OomError('not-found', `No incident of workload ${workload.slice(0, 100)} here.`, {
    next: near === undefined ? `\`${commandName} history\` lists all workloads.` : `Did you mean \`${near}\`?`,
  });
}
