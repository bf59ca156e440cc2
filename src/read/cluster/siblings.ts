import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Placed } from '../../model/json-file.ts';
import type { ContainerState, ContainerStatus, Pod } from '../../model/kubernetes.ts';
import { known, type Reading, unknown } from '../reading.ts';
import { CLOCK_SKEW_MS, parseTime } from '../text/when.ts';
import type { Termination } from './container-states.ts';
import { BY_SIGNAL_9, isEnd, NO_FAILURE } from './death.ts';
import { fieldOf, viewOfPod } from './read-pod-json.ts';

const field = fieldOf('siblings.json');
/** How long before an end another pod’s end may belong to it. */
const WINDOW_MS = 20 * 60_000;

/**
 * Share of the other replicas of which a container died in the 20 minutes before `until` (epoch ms, the death or the
 * capture). `own` is the name of the pod that is looked at, which stands in the list as well.
 */
export function readSiblings(siblings: readonly Placed<Pod>[], until: number, own?: string): Reading<number> {
  const pods = siblings.filter(
    ({ value }) => value.status !== undefined && (own === undefined || value.metadata?.name !== own),
  );
  if (pods.length === 0) {
    return unknown('empty', 'no other replica with a status is in the snapshot');
  }
  const deaths = pods.flatMap((pod) => deathIn(pod, until) ?? []);
  const proof = deaths.length > 0 ? deaths : pods.flatMap(nameOf);
  const [first, ...more] = proof.slice(0, 12);
  return first === undefined
    ? unknown('failed', 'the sibling pods have no names')
    : known(deaths.length / pods.length, first, ...more);
}

function nameOf({ value, path }: Placed<Pod>): readonly Citation[] {
  const cited =
    field(value.metadata?.name, `${path}/metadata/name`) ?? field(value.status?.phase, `${path}/status/phase`);
  return cited === undefined ? [] : [cited.from];
}

function deathIn({ value, path }: Placed<Pod>, until: number): Citation | undefined {
  const statuses: readonly ContainerStatus[] = value.status?.containerStatuses ?? [];
  for (const [i, status] of statuses.entries()) {
    for (const place of ['state', 'lastState'] as const) {
      const finished = finishedAt(status[place]);
      const at = parseTime(finished);
      if (at === undefined || at > until + CLOCK_SKEW_MS || at < until - WINDOW_MS) continue;
      return field(finished, `${path}/status/containerStatuses/${i}/${place}/terminated/finishedAt`)?.from;
    }
  }
  return undefined;
}

function finishedAt(state: ContainerState | undefined): string | undefined {
  return state?.terminated?.finishedAt;
}

export const GROUP_ENDS = ['oom-killed', 'killed', 'error'] as const;
type GroupEnd = (typeof GROUP_ENDS)[number];

/** The end in another pod of the group that came first, and before that of the pod that is looked at. */
type FirstOfGroup = {
  readonly pod: Cited<string>;
  readonly how: Cited<GroupEnd>;
  readonly at: number;
};

// Pods that are of no use without each other: of one group of a LeaderWorkerSet, of one Ray cluster.
const BOUND = [['leaderworkerset.sigs.k8s.io/name', 'leaderworkerset.sigs.k8s.io/group-index'], ['ray.io/cluster']];
type Looked = {
  readonly name: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** When its own container ended, epoch ms. */
  readonly ended: number | undefined;
};

/** Which other pod of the group ended first; undefined where none did, or the pod belongs to none. */
export function readFirstOfGroup(siblings: readonly Placed<Pod>[], own: Looked): FirstOfGroup | undefined {
  const { ended } = own;
  const group = groupOf(own.labels);
  if (group === undefined || ended === undefined) return undefined;
  return siblings
    .filter(({ value }) => value.metadata?.name !== own.name && groupOf(value.metadata?.labels ?? {}) === group)
    .flatMap(endsIn)
    .filter(({ at, how }) => at >= ended - WINDOW_MS && at < ended + (how.value === 'oom-killed' ? CLOCK_SKEW_MS : 0))
    .toSorted((a, b) => a.at - b.at)[0];
}

function groupOf(labels: Readonly<Record<string, string>>): string | undefined {
  const names = BOUND.find((all) => all.every((one) => labels[one] !== undefined));
  return names?.map((one) => `${one}=${labels[one]}`).join();
}

function endsIn({ value, path }: Placed<Pod>): FirstOfGroup[] {
  const pod = field(value.metadata?.name, `${path}/metadata/name`);
  if (pod === undefined) return [];
  const ends = viewOfPod(value).containers.flatMap(({ state, lastState }) => [state, lastState].filter(isEnd));
  return ends.flatMap((end) => {
    const how = howEnded(end);
    const { finishedAt } = end;
    if (how === undefined || finishedAt === undefined) return [];
    const from = placed(how.from, path);
    return [{ pod, how: { ...how, from }, at: finishedAt.value }];
  });
}

// What was told to stop, or ended in order, ended for another's sake.
function howEnded({ reason, exitCode }: Termination): Cited<GroupEnd> | undefined {
  if (reason?.value === 'OOMKilled') return { value: 'oom-killed', from: reason.from };
  if (exitCode === undefined || NO_FAILURE.has(exitCode.value)) return undefined;
  return { value: exitCode.value === BY_SIGNAL_9 ? 'killed' : 'error', from: exitCode.from };
}

// The reader of one pod cites its file.
function placed(from: Citation, path: string): Citation {
  return from.kind === 'field' ? { ...from, file: 'siblings.json', path: `${path}${from.path}` } : from;
}
