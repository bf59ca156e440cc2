import type { Placed } from '../../model/json-file.ts';
import type { Event, Pod } from '../../model/kubernetes.ts';
import type { ContainerView, DescribeReading, EventView, PodView } from './container-states.ts';
import { viewOfEvents, viewOfPod } from './read-pod-json.ts';

export type PodInput = {
  readonly pod?: Pod;
  readonly describe?: DescribeReading;
  readonly events?: readonly Placed<Event>[];
  /** The container that the log files name, where they name one. */
  readonly logged?: string;
};

/**
 * What is known of the pod, best source first (pod.json before describe.txt). `events` are those of the
 * pod, of its node and of its owners, `others` those of other pods. `hasEvents`: whether an events file or table was there
 * at all.
 */
export type PodEvidence = {
  readonly views: readonly PodView[];
  readonly events: readonly EventView[];
  readonly others: readonly EventView[];
  readonly hasEvents: boolean;
  /** Lines of describe.txt, by number, about other pods, and those where it is unclear. */
  readonly otherLines: ReadonlySet<number>;
  readonly unsureLines: ReadonlySet<number>;
  readonly logged?: string;
};

/** The one form of pod.json, events.json and describe.txt from which deaths and container specs are read. */
export function gatherPod(input: PodInput): PodEvidence {
  const views = [
    ...(input.pod === undefined ? [] : [viewOfPod(input.pod)]),
    ...(input.describe === undefined ? [] : [input.describe.pod]),
  ];
  const seen = [...(input.events === undefined ? [] : viewOfEvents(input.events)), ...(input.describe?.events ?? [])];
  const isOwn = ownEvents(seen, nameOf(views), views.find(({ node }) => node !== undefined)?.node?.value);
  return {
    views,
    events: seen.filter(isOwn),
    others: [...seen.filter((event) => !isOwn(event)), ...(input.describe?.othersEvents ?? [])],
    hasEvents: input.events !== undefined || (input.describe?.hasEvents ?? false),
    otherLines: input.describe?.others ?? new Set(),
    unsureLines: input.describe?.unsure ?? new Set(),
    ...(input.logged !== undefined && { logged: input.logged }),
  };
}

// `kubectl get events` lists those of a whole namespace. Where nobody tells which pod this is about and the table names
// several, none of them is known to be this one, unless they are replicas: then the first that a warning names.
function ownEvents(
  events: readonly EventView[],
  own: string | undefined,
  node: string | undefined,
): (event: EventView) => boolean {
  const name = own ?? replicaIn(events);
  return (event) => {
    const [pod, host] = [nameOfObject(event, 'pod'), nameOfObject(event, 'node')];
    return (pod === undefined || pod === name) && (host === undefined || node === undefined || host === node);
  };
}

function replicaIn(events: readonly EventView[]): string | undefined {
  const pods = new Set(events.flatMap((event) => nameOfObject(event, 'pod') ?? []));
  if (new Set([...pods].map(workloadOf)).size !== 1) return undefined;
  const warned = events.find((event) => event.type === 'Warning' && nameOfObject(event, 'pod') !== undefined);
  return warned === undefined ? [...pods][0] : nameOfObject(warned, 'pod');
}

// `chat-7f5c9d8b6-x2x9q` of a Deployment, `chat-0` of a StatefulSet. A hash without a digit could be a word of the name.
const REPLICA =
  /-(?:(?=[a-z]{0,9}\d)[a-z0-9]{5,10}-[a-z0-9]{5}|[2456789bcdfghj-np-tv-xz]{5,10}-[2456789bcdfghj-np-tv-xz]{5}|\d{1,4})$/;

/** The name of a pod without what its controller adds to it. */
export function workloadOf(pod: string): string {
  return pod.replace(REPLICA, '');
}

function nameOfObject({ object }: EventView, kind: 'pod' | 'node'): string | undefined {
  return object?.kind?.toLowerCase() === kind ? object.name : undefined;
}

function nameOf(told: readonly PodView[]): string | undefined {
  return told.find(({ name }) => name !== undefined)?.name?.value;
}

/** The first source that has the field. */
export function firstOf<T>(evidence: PodEvidence, pick: (view: PodView) => T | undefined): T | undefined {
  for (const view of evidence.views) {
    const value = pick(view);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Containers of all sources; one that two sources name is taken from the first, and a nameless one only where no better source has any. */
export function containersOf(evidence: PodEvidence): readonly ContainerView[] {
  const found: ContainerView[] = [];
  for (const view of evidence.views) {
    const before = [...found];
    found.push(...view.containers.filter((container) => isNew(container, before)));
  }
  return found;
}

function isNew(container: ContainerView, before: readonly ContainerView[]): boolean {
  const name = container.name?.value;
  return name === undefined ? before.length === 0 : !before.some((other) => other.name?.value === name);
}
