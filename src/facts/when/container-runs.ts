import type { LogReading } from '../../model/log-reading.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { idsOf, podOfGroup } from '../../read/cluster/cgroup-ids.ts';
import type { ContainerView, StateView } from '../../read/cluster/container-states.ts';
import { BY_SIGNAL_9, type DeathReading, isEnd } from '../../read/cluster/death.ts';
import { containersOf, firstOf, type PodEvidence } from '../../read/cluster/gather.ts';
import { MOST_RUNS } from '../../read/log/last-run.ts';
import { CLOCK_SKEW_MS } from '../../read/text/when.ts';
import type { LogChoice } from '../log/choose-logs.ts';
import { type Run, startOf } from '../log/run-of-log.ts';

/**
 * The runs that one log holds, each as a reading of its own lines: split where the supervisor says that it starts the
 * program again, and where the last run begins. The tail stays that of the whole log.
 */
export function runsOf(whole: LogReading, main: LogChoice['main']): readonly LogReading[] {
  const lastFrom = main === undefined || main.hits.length === whole.hits.length ? undefined : main.hits[0]?.line;
  const restarts = whole.hits.filter(({ signature }) => hasRole(signature, 'restarts')).map(({ line }) => line);
  const starts = [...new Set([...restarts, ...(lastFrom === undefined ? [] : [lastFrom])])].toSorted((a, b) => a - b);
  if (starts.length === 0) return [whole];
  const from = [0, ...starts].slice(-MOST_RUNS);
  return from.map((start, i) => {
    const end = from[i + 1] ?? Number.POSITIVE_INFINITY;
    return { ...whole, hits: whole.hits.filter(({ line }) => line >= start && line < end) };
  });
}

/** `at` epoch ms; `taskMemcg` the group whose process it was, where the kernel names it. */
type Kill = { readonly at: number | undefined; readonly taskMemcg?: string | undefined };

/**
 * Which run of the container each kill ended: by the id in its group, by an end by signal 9 that it is the nearest to, else by
 * its time; undefined where none tells.
 */
export function runsOfKills(
  kills: readonly Kill[],
  death: DeathReading,
  pod: PodEvidence,
): readonly (Run | undefined)[] {
  if (death.kind === 'none' || death.isOpen || death.death.role !== 'engine') return kills.map(() => undefined);
  const { view } = death.death;
  const named = kills.map((kill) => byId(kill, view, pod));
  const open = kills.filter((_, i) => named[i] === undefined);
  const ends = ([1, 0] as const).map((run) => ({
    run,
    kill: nearestTo(run === 1 ? view.state : view.lastState, open),
  }));
  return kills.map((kill, i) => named[i] ?? ends.find((end) => end.kill === kill)?.run ?? byTime(kill, view));
}

// `dmesg -T` reckons from the start of the node, and drifts by minutes where its clock was set since (util-linux, dmesg(1)).
const DRIFT_MS = 600_000;

function nearestTo(state: StateView | undefined, kills: readonly Kill[]): Kill | undefined {
  const end = isEnd(state) && state.exitCode?.value === BY_SIGNAL_9 ? state.finishedAt?.value : undefined;
  const off = ({ at }: Kill) => Math.abs((at ?? Number.NaN) - (end ?? Number.NaN));
  return kills.filter((kill) => off(kill) <= DRIFT_MS).toSorted((x, y) => off(x) - off(y))[0];
}

const FULL_ID = /[0-9a-f]{64}/;

function byId({ taskMemcg = '' }: Kill, view: ContainerView, pod: PodEvidence): Run | undefined {
  const ids = idsOf(view);
  const run = ([1, 0] as const).find((one) => ids[one] !== undefined && taskMemcg.includes(ids[one]));
  if (run !== undefined) return run;
  // A pod of one container has no other groups than those of its runs.
  const uid = firstOf(pod, (one) => one.uid)?.toLowerCase();
  const isForeign = ids[0] !== undefined && FULL_ID.test(taskMemcg) && uid !== undefined;
  const isOwnPod = isForeign && podOfGroup(taskMemcg) === uid && containersOf(pod).length === 1;
  return isOwnPod && hasOneBefore(view) ? -1 : undefined;
}

// Of several runs before it may be any, and days older.
function hasOneBefore({ state, restarts }: ContainerView): boolean {
  const newest = state === undefined || state.kind === 'waiting' ? 1 : 2;
  return restarts?.value === newest;
}

function byTime({ at }: Kill, { state, lastState }: ContainerView): Run | undefined {
  if (at === undefined) return undefined;
  const [now, last] = [startOf(state), startOf(lastState)];
  if (now !== undefined && at >= now) return isPast(at, state) ? undefined : 1;
  if (last !== undefined) return at < last ? -1 : isPast(at, lastState) ? undefined : 0;
  return now === undefined ? undefined : -1;
}

function isPast(at: number, state: StateView | undefined): boolean {
  const end = isEnd(state) ? state.finishedAt?.value : undefined;
  return end !== undefined && at > end + CLOCK_SKEW_MS;
}
