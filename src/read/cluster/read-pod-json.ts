import type { FieldCitation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Placed } from '../../model/json-file.ts';
import type {
  Condition,
  ContainerSpec,
  ContainerState,
  ContainerStatus,
  Event,
  Pod,
  Probe,
} from '../../model/kubernetes.ts';
import { clip } from '../text/lines.ts';
import { parseTime } from '../text/when.ts';
import type {
  ConditionView,
  ContainerView,
  EventView,
  PodView,
  ProbeView,
  StateView,
  VolumeView,
} from './container-states.ts';

type Scalar = string | number | boolean;
type Field = <T extends Scalar>(value: T | undefined, path: string) => Cited<T> | undefined;

/** Cites a scalar of a JSON file by its pointer; undefined stays undefined. */
export function fieldOf(file: string): Field {
  return (value, path) => {
    if (value === undefined) return undefined;
    const from: FieldCitation = { kind: 'field', file, path, text: clip(JSON.stringify(value)) };
    return { value, from };
  };
}

const field = fieldOf('pod.json');

export function pointerWord(word: string): string {
  return word.replaceAll('~', '~0').replaceAll('/', '~1');
}

function time(value: string | undefined, path: string): Cited<number> | undefined {
  const text = field(value, path);
  const at = text === undefined ? undefined : parseTime(text.value);
  return text === undefined || at === undefined ? undefined : { value: at, from: text.from };
}

/** pod.json in the form that all readers share. */
export function viewOfPod(pod: Pod): PodView {
  const { metadata, spec, status } = pod;
  return {
    name: field(metadata?.name, '/metadata/name'),
    namespace: field(metadata?.namespace, '/metadata/namespace'),
    node: field(spec?.nodeName, '/spec/nodeName'),
    phase: field(status?.phase, '/status/phase'),
    reason: field(status?.reason, '/status/reason'),
    message: field(status?.message, '/status/message'),
    uid: metadata?.uid,
    createdAt: time(metadata?.creationTimestamp, '/metadata/creationTimestamp'),
    deletedAt: time(metadata?.deletionTimestamp, '/metadata/deletionTimestamp'),
    graceSec: field(spec?.terminationGracePeriodSeconds, '/spec/terminationGracePeriodSeconds'),
    defaultContainer: field(
      metadata?.annotations?.['kubectl.kubernetes.io/default-container'],
      '/metadata/annotations/kubectl.kubernetes.io~1default-container',
    ),
    gates: (spec?.schedulingGates ?? []).flatMap(
      (gate, i) => field(gate.name, `/spec/schedulingGates/${i}/name`) ?? [],
    ),
    labels: metadata?.labels ?? {},
    annotations: metadata?.annotations,
    conditions: (status?.conditions ?? []).map((condition, i) => conditionOf(condition, `/status/conditions/${i}`)),
    containers: containersOf(pod),
    volumes: (spec?.volumes ?? []).map((volume, i) => volumeOf(volume, `/spec/volumes/${i}`)),
    hostIpc: spec?.hostIPC === true,
  };
}

function conditionOf(condition: Condition, path: string): ConditionView {
  return {
    type: condition.type ?? '',
    status: field(condition.status, `${path}/status`),
    reason: field(condition.reason, `${path}/reason`),
    message: field(condition.message, `${path}/message`),
    changedAt: time(condition.lastTransitionTime, `${path}/lastTransitionTime`),
  };
}

type Volume = NonNullable<NonNullable<Pod['spec']>['volumes']>[number];

function volumeOf(volume: Volume, path: string): VolumeView {
  const limit = volume.emptyDir?.sizeLimit;
  return {
    name: volume.name ?? '',
    medium: field(volume.emptyDir?.medium, `${path}/emptyDir/medium`),
    sizeLimit: asText(field(limit, `${path}/emptyDir/sizeLimit`)),
  };
}

function asText(cited: Cited<string | number> | undefined): Cited<string> | undefined {
  return cited === undefined ? undefined : { value: String(cited.value), from: cited.from };
}

type Located<T> = { readonly value: T; readonly path: string };

// A status without a spec happens too: trimmed siblings, or a pod whose spec could not be read.
function containersOf(pod: Pod): ContainerView[] {
  const { spec, status } = pod;
  const init = pair(
    locate(spec?.initContainers, '/spec/initContainers'),
    locate(status?.initContainerStatuses, '/status/initContainerStatuses'),
  ).map(([s, t]) => containerOf(s, t, s?.value.restartPolicy === 'Always' ? 'sidecar' : 'init'));
  const main = pair(
    locate(spec?.containers, '/spec/containers'),
    locate(status?.containerStatuses, '/status/containerStatuses'),
  ).map(([s, t]) => containerOf(s, t, 'container'));
  return [...init, ...main];
}

function locate<T>(items: readonly T[] | undefined, base: string): Located<T>[] {
  return (items ?? []).map((value, i) => ({ value, path: `${base}/${i}` }));
}

type Pair = readonly [Located<ContainerSpec> | undefined, Located<ContainerStatus> | undefined];

function pair(specs: readonly Located<ContainerSpec>[], statuses: readonly Located<ContainerStatus>[]): Pair[] {
  const both = specs.map((spec): Pair => [spec, statuses.find((status) => status.value.name === spec.value.name)]);
  const alone = statuses.filter((status) => !specs.some((spec) => spec.value.name === status.value.name));
  return [...both, ...alone.map((status): Pair => [undefined, status])];
}

function containerOf(spec: Pair[0], status: Pair[1], kind: ContainerView['kind']): ContainerView {
  const s = spec?.value;
  const p = spec?.path ?? '';
  const t = status?.value;
  const q = status?.path ?? '';
  return {
    name: field(s?.name, `${p}/name`) ?? field(t?.name, `${q}/name`),
    kind,
    image: field(s?.image, `${p}/image`) ?? field(t?.image, `${q}/image`),
    command: wordsOf(s?.command, `${p}/command`),
    args: wordsOf(s?.args, `${p}/args`),
    env: (s?.env ?? []).flatMap(({ name, value }, i) =>
      name === undefined ? [] : [{ name, value: field(value, `${p}/env/${i}/value`) }],
    ),
    // Limits in force stand in the status: an in-place resize does not change the template.
    limits: new Map([
      ...quantities(s?.resources?.limits, `${p}/resources/limits`),
      ...quantities(t?.resources?.limits, `${q}/resources/limits`),
    ]),
    requests: new Map([
      ...quantities(s?.resources?.requests, `${p}/resources/requests`),
      ...quantities(t?.resources?.requests, `${q}/resources/requests`),
    ]),
    claims: (s?.resources?.claims ?? []).flatMap(({ name }, i) => field(name, `${p}/resources/claims/${i}/name`) ?? []),
    liveness: probeOf(s?.livenessProbe, `${p}/livenessProbe`),
    readiness: probeOf(s?.readinessProbe, `${p}/readinessProbe`),
    startup: probeOf(s?.startupProbe, `${p}/startupProbe`),
    mounts: (s?.volumeMounts ?? []).map(({ name, mountPath }) => ({ volume: name ?? '', path: mountPath ?? '' })),
    allMounts: listOf(s?.volumeMounts, `${p}/volumeMounts`),
    state: stateOf(t?.state, `${q}/state`),
    lastState: stateOf(t?.lastState, `${q}/lastState`),
    containerID: field(t?.containerID, `${q}/containerID`),
    ready: field(t?.ready, `${q}/ready`),
    restarts: field(t?.restartCount, `${q}/restartCount`),
  };
}

// A running pod has its token mounted at least: a spec without any mount is trimmed.
function listOf(list: readonly unknown[] | undefined, path: string): FieldCitation | undefined {
  if (list === undefined || list.length === 0) return undefined;
  return { kind: 'field', file: 'pod.json', path, text: clip(JSON.stringify(list)) };
}

function wordsOf(words: readonly string[] | undefined, path: string): Cited<string>[] {
  return (words ?? []).flatMap((word, i) => field(word, `${path}/${i}`) ?? []);
}

function quantities(
  map: Readonly<Record<string, string | number>> | undefined,
  path: string,
): (readonly [string, Cited<string>])[] {
  return Object.entries(map ?? {}).flatMap(([name, value]) => {
    const cited = asText(field(value, `${path}/${pointerWord(name)}`));
    return cited === undefined || value === '' ? [] : [[name, cited] as const];
  });
}

function probeOf(probe: Probe | undefined, path: string): ProbeView | undefined {
  if (probe === undefined) return undefined;
  // The value cited is the first number that is set; the object itself may have been re-ordered by the schema.
  const numbers = ['failureThreshold', 'periodSeconds', 'initialDelaySeconds', 'timeoutSeconds'] as const;
  const set = numbers.find((name) => probe[name] !== undefined);
  const from = set === undefined ? undefined : field(probe[set], `${path}/${set}`)?.from;
  const { initialDelaySeconds: delaySec, periodSeconds: periodSec, timeoutSeconds: timeoutSec } = probe;
  const { failureThreshold: threshold, terminationGracePeriodSeconds: graceSec } = probe;
  return { delaySec, periodSec, timeoutSec, threshold, graceSec, from };
}

function stateOf(state: ContainerState | undefined, path: string): StateView | undefined {
  if (state?.terminated !== undefined) {
    const t = state.terminated;
    const p = `${path}/terminated`;
    return {
      kind: 'terminated',
      reason: field(t.reason, `${p}/reason`),
      exitCode: field(t.exitCode, `${p}/exitCode`),
      signal: field(t.signal, `${p}/signal`),
      startedAt: time(t.startedAt, `${p}/startedAt`),
      finishedAt: time(t.finishedAt, `${p}/finishedAt`),
      message: field(t.message, `${p}/message`),
      containerID: field(t.containerID, `${p}/containerID`),
    };
  }
  if (state?.waiting !== undefined) {
    return {
      kind: 'waiting',
      reason: field(state.waiting.reason, `${path}/waiting/reason`),
      message: field(state.waiting.message, `${path}/waiting/message`),
    };
  }
  if (state?.running === undefined) return undefined;
  return { kind: 'running', startedAt: time(state.running.startedAt, `${path}/running/startedAt`) };
}

const eventField = fieldOf('events.json');

/** events.json in the form that all readers share; an entry without a reason is no event. */
export function viewOfEvents(events: readonly Placed<Event>[]): readonly EventView[] {
  return events.flatMap(({ value, path }) => {
    const reason = eventField(value.reason, `${path}/reason`);
    return reason === undefined ? [] : [eventOf(value, path, reason)];
  });
}

function eventOf(event: Event, path: string, reason: Cited<string>): EventView {
  const object = event.involvedObject ?? event.regarding;
  const last = event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime;
  return {
    type: event.type,
    reason,
    message: eventField(event.message, `${path}/message`) ?? eventField(event.note, `${path}/note`),
    object: object === undefined ? undefined : { kind: object.kind, name: object.name },
    container: /\{([^}]{1,63})\}/.exec(object?.fieldPath ?? '')?.[1],
    count: event.series?.count ?? event.count ?? 1,
    firstAt: parseTime(event.firstTimestamp ?? event.eventTime),
    lastAt: parseTime(last ?? event.metadata?.creationTimestamp),
    agoSec: undefined,
  };
}
