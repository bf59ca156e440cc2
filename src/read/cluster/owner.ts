import { isEngineName, isHelperName } from '../engine/program-names.ts';
import type { LabelledLine } from '../text/lines.ts';
import type { PodView } from './container-states.ts';
import { engineContainer, hasToldEngine } from './engine-container.ts';
import { containersOf, firstOf, type PodEvidence } from './gather.ts';
import { isOfGroup, placeOf, type SamplePlace } from './sample-place.ts';

/**
 * Whose a metric is: the engine's that is looked at, the only one that it could be although nothing says so (`unsure`), one of
 * several of which nothing tells which it is (`open`), or another pod's.
 */
export type WhoseMetric = 'own' | 'unsure' | 'open' | 'other';

export type Told = {
  /** What pod.json and describe.txt tell. */
  readonly pod: PodEvidence;
  /** Words of the command, where the model may stand. */
  readonly words: readonly string[];
};

/** Which pod, container and server is the engine's, by all that the folder tells; answers for each metric whose it is. */
export function readOwner(told: Told, lines: readonly LabelledLine[]): (line: LabelledLine) => WhoseMetric {
  const places = lines.filter(({ name, labels }) => !isOfGroup(name, labels)).map(placeOfLine);
  const known = knownContainer(told);
  const pod = choosePod(told, known, places);
  const inPod = places.filter((place) => whosePod(place, pod) !== 'other');
  const container = known === undefined ? chooseContainer(inPod, pod) : { name: known, sure: true, several: false };
  const server = chooseServer(told, inPod);
  const isRest = restOf(lines, places, pod);
  return (line) => {
    const place = placeOfLine(line);
    if (isOfGroup(line.name, line.labels))
      return pod.isAlone && place.pod !== undefined ? whosePod(place, pod) : 'other';
    if (isRest(line)) return 'other';
    const inner = place.of === 'init' ? 'own' : whoseContainer(place, container);
    return worst([whosePod(place, pod), inner, place.of === 'engine' ? server(place) : 'own']);
  };
}

// Where the same is told with names, what bears no container is the sum of a pod, and a GPU without a pod none of ours.
function restOf(
  lines: readonly LabelledLine[],
  places: readonly SamplePlace[],
  pod: PodChoice,
): (line: LabelledLine) => boolean {
  const named = new Set(lines.filter((line) => placeOfLine(line).container !== undefined).map(({ name }) => name));
  const hasOwnGpu = places.some((place) => place.of === 'gpu' && place.pod && whosePod(place, pod) === 'own');
  return (line) => {
    const { of, pod: held, container } = placeOfLine(line);
    return of === 'gpu' ? held === undefined && hasOwnGpu : of === 'container' && !container && named.has(line.name);
  };
}

function placeOfLine({ name, labels }: LabelledLine): SamplePlace {
  return placeOf(name, labels);
}

const ORDER: readonly WhoseMetric[] = ['other', 'open', 'unsure', 'own'];

function worst(all: readonly WhoseMetric[]): WhoseMetric {
  return ORDER.find((one) => all.includes(one)) ?? 'own';
}

/** `sure` where the folder says so, or the name does; of several candidates there is none. */
type Choice = {
  readonly name: string | undefined;
  readonly sure: boolean;
  readonly several: boolean;
};
type PodChoice = Choice & { readonly isAlone: boolean; readonly marks: readonly Mark[] };

/** What tells pods of one name apart, and the one that is ours; undefined if several are named and not ours. */
type Mark = { readonly of: 'namespace' | 'uid'; readonly own: string | undefined };

function choosePod(told: Told, known: string | undefined, places: readonly SamplePlace[]): PodChoice {
  const chosen = choosePodName(told, known, places);
  const view = told.pod.views.find(isOfPod);
  const uid = firstOf(told.pod, (one) => one.uid);
  const own = places.filter((place) => place.pod !== undefined && whoseOf(place.pod, chosen) !== 'other');
  return {
    ...chosen,
    isAlone: containersOf(told.pod).filter(({ kind }) => kind === 'container').length === 1,
    marks: [...marksOf('namespace', view?.namespace?.value, own), ...marksOf('uid', uid, own)],
  };
}

function marksOf(of: Mark['of'], told: string | undefined, places: readonly SamplePlace[]): readonly Mark[] {
  const several = new Set(places.flatMap((place) => place[of] ?? [])).size > 1;
  return told !== undefined || several ? [{ of, own: told }] : [];
}

// `kubectl describe node` has a name too.
function isOfPod({ name, namespace, phase, containers }: PodView): boolean {
  return name !== undefined && (namespace ?? phase ?? containers[0]) !== undefined;
}

function choosePodName({ pod }: Told, known: string | undefined, places: readonly SamplePlace[]): Choice {
  const named = pod.views.find(isOfPod)?.name?.value;
  if (named !== undefined) return ofWorkload(named, places);
  const groups = Map.groupBy(
    places.filter((place) => place.pod !== undefined),
    (place) => place.pod ?? '',
  );
  const could = [...groups].filter(([name, own]) => !isHelperName(name) && !own.every(isOfHelper));
  const evident = [...groups].filter(
    ([name, own]) => (isEngineName(name) && !own.every(isOfHelper)) || own.some((place) => isEvident(place, known)),
  );
  const left = evident.length > 0 ? evident : could;
  if (left.length > 1) return { name: undefined, sure: false, several: true };
  return {
    name: onlyOf(
      left.map(([name]) => name),
      groups,
    ),
    sure: evident.length > 0,
    several: false,
  };
}

// With none left, whatever bears a name is another.
function onlyOf([only]: readonly string[], all: { readonly size: number }): string | undefined {
  return only ?? (all.size > 0 ? '' : undefined);
}

// `describe` may be of the Deployment, whose pods bear its name with more behind it.
function ofWorkload(name: string, places: readonly SamplePlace[]): Choice {
  const pods = new Set(places.flatMap(({ pod }) => pod ?? []));
  const below = [...pods].filter((pod) => pod.startsWith(`${name}-`));
  const [only] = below;
  if (pods.has(name) || only === undefined) return { name, sure: true, several: false };
  return { name: below.length === 1 ? only : undefined, sure: true, several: below.length > 1 };
}

function isOfHelper({ container }: SamplePlace): boolean {
  return container !== undefined && isHelperName(container);
}

// Who answers for an engine's metrics, or holds a GPU.
function isEvident({ of, container }: SamplePlace, known: string | undefined): boolean {
  if (of === 'engine' || of === 'gpu') return true;
  return container !== undefined && (container === known || isEngineName(container));
}

function whosePod(place: SamplePlace, chosen: PodChoice): WhoseMetric {
  const marked = chosen.marks.map(({ of, own }): WhoseMetric => {
    if (place[of] === undefined || place[of] === own) return 'own';
    return own === undefined ? 'open' : 'other';
  });
  return worst([...marked, place.pod === undefined ? 'own' : whoseOf(place.pod, chosen)]);
}

function whoseOf(name: string, { name: own, sure, several }: Choice): WhoseMetric {
  if (several) return isHelperName(name) ? 'other' : 'open';
  if (own === undefined) return 'own';
  if (name !== own) return 'other';
  return sure ? 'own' : 'unsure';
}

// By what the folder says apart from the metrics.
function knownContainer({ pod }: Told): string | undefined {
  return (hasToldEngine(pod) ? engineContainer(pod)?.name?.value : undefined) ?? pod.logged;
}

function chooseContainer(places: readonly SamplePlace[], chosen: PodChoice): Choice {
  const names = new Set(places.flatMap(({ of, container }) => (of === 'init' ? [] : (container ?? []))));
  const could = [...names].filter((name) => !isHelperName(name));
  const engines = could.filter(isEngineName);
  const left = engines.length > 0 ? engines : could;
  if (left.length > 1) return { name: undefined, sure: false, several: true };
  const sure = engines.length > 0 || (chosen.name !== undefined && chosen.sure);
  return { name: onlyOf(left, names), sure, several: false };
}

function whoseContainer({ container }: SamplePlace, chosen: Choice): WhoseMetric {
  return container === undefined ? 'own' : whoseOf(container, chosen);
}

// Replicas behind one job are told apart by what was scraped; one server has one name for what it serves.
function chooseServer({ words }: Told, places: readonly SamplePlace[]): (place: SamplePlace) => WhoseMetric {
  const servers = places.filter(({ of, pod }) => of === 'engine' && pod === undefined);
  const modelOf = modelsOf(servers);
  const keyOf = (place: SamplePlace) => `${place.replica} ${modelOf(place)}`;
  const keys = new Set(servers.map(keyOf));
  if (keys.size < 2) return () => 'own';
  const isOurs = (place: SamplePlace) => words.includes(modelOf(place) ?? '');
  const ours = new Set(servers.filter(isOurs).map(keyOf));
  return (place) => {
    if (place.pod !== undefined) return 'own';
    if (ours.size === 0) return 'open';
    if (!isOurs(place)) return 'other';
    return ours.size === 1 ? 'own' : 'open';
  };
}

// What a server reports about itself, such as its settings, names no model: it is of the one that the server serves.
function modelsOf(servers: readonly SamplePlace[]): (place: SamplePlace) => string | undefined {
  const ofReplica = new Map<string, Set<string>>();
  for (const { replica, model } of servers) {
    if (model !== undefined) ofReplica.set(replica, (ofReplica.get(replica) ?? new Set()).add(model));
  }
  return ({ replica, model }) => {
    const served = [...(ofReplica.get(replica) ?? [])];
    return model ?? (served.length === 1 ? served[0] : undefined);
  };
}
