import { type Actor, authorise, type Rights, type Verb } from '../../model/authorise.ts';
import { OomError } from '../../model/errors.ts';
import type { Incident } from '../../model/incident.ts';
import { nearest } from '../../model/nearest.ts';
import { typedWords, undoTypography } from '../command.ts';
import { isOombotId, wrongKindOfId } from '../id-kinds.ts';
import type { IncidentStore } from '../incident-ports.ts';
import type { IncidentPlace, Store, StoredFinding } from '../ports.ts';
import { incidentsNamed, isPlace, listIncidents, noneNamed } from './named-incidents.ts';

export type ExplainDeps = {
  readonly store: Pick<Store, 'incident' | 'findings'> & Pick<IncidentStore, 'incidentPlaces'>;
  readonly rights: Rights;
  /** As it is typed: `/oom`, or `oom` in a terminal. */
  readonly commandName: string;
  /** The topic, engine or flag of `explain` whose name is most like a word; left out where none can be meant. */
  readonly topicNear?: ((word: string) => string | undefined) | undefined;
};

export type FindDeps = ExplainDeps & { readonly store: ExplainDeps['store'] & Pick<Store, 'openPlaces'> };

type Asked = { readonly actor: Actor; readonly verb: Verb };

/**
 * The incident that a text begins with, by its id or by the name of a pod or workload with an open one, and the words
 * behind it. Without either the only open one is meant.
 */
export async function findIncident(
  deps: FindDeps,
  asked: Asked,
  text: string,
): Promise<{ readonly incident: Incident; readonly rest: string }> {
  const plain = undoTypography(text);
  const [word = ''] = plain.split(/\s+/, 1);
  const rest = plain.slice(word.length).trim();
  if (isOombotId(word)) return { incident: await incidentById(deps, asked, word), rest };
  const open = await openHere(deps, asked);
  const incident = await namedAmong(deps, asked, word, open);
  if (incident !== undefined) return { incident, rest };
  return { incident: await onlyOne(deps, asked, open), rest: plain };
}

/** Undefined for a word that names none and may be no name at all. */
async function namedAmong(
  deps: FindDeps,
  asked: Asked,
  word: string,
  open: readonly IncidentPlace[],
): Promise<Incident | undefined> {
  const named = incidentsNamed(word, open);
  if (named.length > 0) return onlyOne(deps, asked, named);
  if (!isPlace(word)) return undefined;
  const { says, next } = noneNamed(word, deps.commandName);
  throw new OomError('not-found', says, { next });
}

async function openHere(deps: FindDeps, asked: Asked): Promise<readonly IncidentPlace[]> {
  return (await deps.store.openPlaces()).filter((place) => isAllowed(deps, asked, place));
}

/** The incident of this id. An unreadable incident is answered like a missing one, so that ids reveal nothing. */
export async function incidentById(deps: ExplainDeps, asked: Asked, id: string): Promise<Incident> {
  const { store, commandName } = deps;
  const other = wrongKindOfId(id, { wanted: 'incident', command: commandName });
  if (other !== undefined) throw new OomError('bad-input', other.says, { next: other.next });
  const incident = await store.incident(id);
  if (incident !== undefined && isAllowed(deps, asked, incident)) return incident;
  const known = (await store.incidentPlaces()).filter((place) => isAllowed(deps, asked, place));
  const near = nearest(
    id,
    known.map((one) => one.id),
  );
  const isChannel = asked.actor.place === 'slack';
  const others = isChannel ? 'Ask in the channel of the team that owns it. ' : '';
  const elsewhere = `${others}\`${commandName} history\` lists the incidents here.${topicWords(deps, id)}`;
  const where = isChannel ? ' in the namespaces of this channel' : '';
  throw new OomError('not-found', `No incident ${id.slice(0, 60)}${where}.`, {
    next: near === undefined ? elsewhere : `Did you mean \`${near}\`?`,
  });
}

function topicWords({ commandName, topicNear }: ExplainDeps, word: string): string {
  if (topicNear === undefined) return '';
  const near = isOombotId(word) ? undefined : topicNear(word);
  const explain = `${commandName} explain`;
  return near === undefined
    ? ` \`${explain} topics\` lists settings, fixes and engines.`
    : ` Did you mean \`${explain} ${near}\`?`;
}

type Explained = {
  readonly latest: StoredFinding;
  /** Namespace and workload. */
  readonly place: string;
  readonly evidence: 'full' | 'verdict-only';
};

/** The newest finding of the incident of this id, or of the open one of this pod or workload, and whether the actor may see its evidence. */
export async function explainIncident(deps: FindDeps, actor: Actor, text: string): Promise<Explained> {
  const asked = { actor, verb: 'explain' } as const;
  const [id = '', ...more] = typedWords(text);
  if (isOombotId(id) && more.length > 0) throw moreWords(deps, id, more);
  const named = isOombotId(text)
    ? undefined
    : await namedAmong(deps, asked, undoTypography(text), await openHere(deps, asked));
  const incident = named ?? (await incidentById(deps, asked, text));
  const permission = authorise(deps.rights, actor, 'explain', incident);
  const evidence = permission.kind === 'allowed' ? permission.evidence : 'verdict-only';
  const place = `${incident.namespace}/${incident.workload.replace(/^[^/]*\//, '')}`;
  return { latest: await latestFinding(deps, incident.id), place, evidence };
}

function moreWords({ commandName }: ExplainDeps, id: string, more: readonly string[]): OomError {
  return new OomError('bad-input', `Unexpected “${more.join(' ').slice(0, 60)}” after the incident.`, {
    next: `Type \`${commandName} explain ${id}\`.`,
  });
}

export async function latestFinding({ store }: Pick<ExplainDeps, 'store'>, id: string): Promise<StoredFinding> {
  const latest = (await store.findings(id)).at(-1);
  if (latest !== undefined) return latest;
  throw new OomError('not-found', `The findings of ${id} were deleted.`, { next: 'Triage the pod again.' });
}

async function onlyOne(deps: FindDeps, asked: Asked, open: readonly IncidentPlace[]): Promise<Incident> {
  const { commandName } = deps;
  const [first, ...others] = open;
  if (first === undefined) {
    throw new OomError('not-found', 'No open incidents here.', {
      next: `\`${commandName} history\` lists the closed ones.`,
    });
  }
  if (others.length === 0) return incidentById(deps, asked, first.id);
  throw new OomError('bad-input', `Which incident? ${open.length} are open here.`, {
    next: `Type \`${commandName} ${asked.verb} <incident>\` with one of ${listIncidents(open, commandName)}.`,
  });
}

export function isAllowed({ rights }: Pick<FindDeps, 'rights'>, { actor, verb }: Asked, place: Place): boolean {
  const permission = authorise(rights, actor, verb, place);
  // People of another organization may read the verdict, and decide nothing.
  return permission.kind === 'allowed' && (permission.evidence === 'full' || !DECIDING.has(verb));
}

const DECIDING: ReadonlySet<Verb> = new Set(['ack', 'resolve', 'feedback', 'handover']);

type Place = Pick<IncidentPlace, 'cluster' | 'namespace'>;
