import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Placed } from '../../model/json-file.ts';
import type { Pod } from '../../model/kubernetes.ts';
import { CLOCK_SKEW_MS } from '../text/when.ts';
import type { Termination } from './container-states.ts';
import { BY_SIGNAL_9, isEnd, NO_FAILURE } from './death.ts';
import { fieldOf, viewOfPod } from './read-pod-json.ts';
import { WINDOW_MS } from './siblings.ts';

export const GROUP_ENDS = ['oom-killed', 'killed', 'error'] as const;
export type GroupEnd = (typeof GROUP_ENDS)[number];

/** The end in another pod of the group that came first, and before that of the pod that is looked at. */
export type FirstOfGroup = {
  readonly pod: Cited<string>;
  readonly how: Cited<GroupEnd>;
  readonly at: number;
};

// Pods that are of no use without each other: of one group of a LeaderWorkerSet, of one Ray cluster.
const BOUND = [['leaderworkerset.sigs.k8s.io/name', 'leaderworkerset.sigs.k8s.io/group-index'], ['ray.io/cluster']];
const field = fieldOf('siblings.json');

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
