import { type Actor, authorise, type Rights } from '../../model/authorise.ts';
import { OomError } from '../../model/errors.ts';
import type { Message } from '../../model/message.ts';
import { nearest } from '../../model/nearest.ts';
import type { Silence } from '../../model/silence.ts';
import { silenced, silenceEnded, silencesMessage } from '../../report/silences.ts';
import { durationOf, typedWords } from '../command.ts';
import type { IncidentStore } from '../incident-ports.ts';
import type { Ids } from '../ports.ts';

export type SilenceDeps = {
  readonly store: Pick<IncidentStore, 'incidentPlaces' | 'silence' | 'unsilence' | 'silences'>;
  readonly acts: { now(): Promise<number> };
  readonly ids: Ids;
  readonly rights: Rights;
  /** Of the configuration. */
  readonly clusters: readonly string[];
  readonly commandName: string;
  /** Takes secrets out of what people type. */
  readonly redact: (text: string) => string;
};

type Place = Pick<Silence, 'cluster' | 'namespace' | 'workload'>;

const LONGEST_MS = 30 * 24 * 3_600_000;
const MOST_OF_REASON = 300;

/** `silence`, `silence <workload> <time> <reason>`, `silence <workload> off`. Throws OomError for what cannot be meant. */
export async function askSilence(deps: SilenceDeps, actor: Actor, text: string): Promise<Message> {
  const { store, acts, ids, commandName } = deps;
  const [name, span = '', ...words] = typedWords(text);
  const at = await acts.now();
  if (name === undefined) {
    return silencesMessage(
      (await store.silences(at)).filter((one) => isMine(deps, actor, one)),
      commandName,
    );
  }
  const place = await placeOf(deps, actor, name);
  if (span === 'off') {
    return silenceEnded(`${place.namespace}/${place.workload}`, await store.unsilence(place, { by: actor.user, at }));
  }
  const ms = durationOf(span);
  const usage = `Type \`${commandName} silence ${name.slice(0, 80)} 4h <reason>\`.`;
  if (ms === undefined || ms > LONGEST_MS) {
    const given =
      span === '' ? 'for how long?' : `${span.slice(0, 40)} is not a time such as 30m, 4h or 3d, at most 30d.`;
    throw new OomError('bad-input', `Not silenced: ${given}`, { next: usage });
  }
  const reason = deps.redact(words.join(' ')).slice(0, MOST_OF_REASON);
  if (reason === '') throw new OomError('bad-input', 'Not silenced: a reason is needed.', { next: usage });
  const silence: Silence = { id: ids.next('sil'), ...place, until: at + ms, by: actor.user, reason, at };
  await store.silence(silence);
  return silenced(silence);
}

function isMine({ rights }: SilenceDeps, actor: Actor, place: Pick<Place, 'cluster' | 'namespace'>): boolean {
  const permission = authorise(rights, actor, 'silence', place);
  // People of another organization decide nothing.
  return permission.kind === 'allowed' && permission.evidence === 'full';
}

// A workload that had an incident may be named alone; any other by its namespace.
async function placeOf(deps: SilenceDeps, actor: Actor, text: string): Promise<Place> {
  const parts = text.replace(/^[A-Z]\w*\//, '').split('/');
  const workload = parts.at(-1) ?? '';
  const known = (await deps.store.incidentPlaces())
    .filter((place) => isMine(deps, actor, place))
    .map((place) => ({ ...place, workload: place.workload.slice(place.workload.indexOf('/') + 1) }));
  const matches = known.filter(
    (place) =>
      place.workload === workload &&
      (parts.at(-2) ?? place.namespace) === place.namespace &&
      (parts.at(-3) ?? place.cluster) === place.cluster,
  );
  const places = new Map(
    matches.map(({ cluster, namespace }) => [`${cluster}/${namespace}/${workload}`, { cluster, namespace, workload }]),
  );
  const [only, ...others] = places.values();
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    throw new OomError('bad-input', `Several workloads are named ${workload.slice(0, 80)}.`, {
      next: `Type one of ${[...places.keys()]
        .slice(0, 3)
        .map((one) => `\`${one}\``)
        .join(', ')}.`,
    });
  }
  return unseenPlace(deps, actor, { parts, known: known.map((one) => one.workload) });
}

function unseenPlace(
  deps: SilenceDeps,
  actor: Actor,
  { parts, known }: { readonly parts: readonly string[]; readonly known: readonly string[] },
): Place {
  const [workload = '', namespace, named] = parts.toReversed();
  const cluster = named ?? (deps.clusters.length === 1 ? deps.clusters[0] : undefined);
  if (namespace === undefined || cluster === undefined) {
    const near = nearest(workload, [...known]);
    const full = `Type it as \`${deps.clusters.length > 1 ? 'cluster/' : ''}namespace/workload\`.`;
    throw new OomError('not-found', `No incident of workload ${workload.slice(0, 80)} here.`, {
      next: near === undefined ? full : `Did you mean \`${near}\`? ${full}`,
    });
  }
  const place = { cluster, namespace, workload };
  if (deps.clusters.includes(cluster) && isMine(deps, actor, place)) return place;
  throw new OomError('forbidden', `This channel may not silence ${cluster}/${namespace}.`.slice(0, 200), {
    next: 'Ask in the channel of the team that owns it.',
  });
}
