import { idsOf, podOfGroup } from '../../pod/cgroup-ids.ts';
import { type DeathReading, isEnd } from '../../pod/death.ts';
import { containersOf, firstOf, type PodEvidence } from '../../pod/gather.ts';
import type { ContainerView, StateView } from '../../pod/view.ts';
import { CLOCK_SKEW_MS } from '../../text/when.ts';
import { type Run, startOf } from './run-of-log.ts';

/** `at` epoch ms; `taskMemcg` the group whose process it was, where the kernel names it. */
type Kill = { readonly at: number | undefined; readonly taskMemcg?: string | undefined };

/** Which run of the container a kill ended, by the id in its group, else by its time; undefined where neither tells. */
export function runOfKill(kill: Kill, death: DeathReading, pod: PodEvidence): Run | undefined {
  if (death.kind === 'none' || death.isOpen || death.death.role !== 'engine') return undefined;
  return byId(kill, death.death.view, pod) ?? byTime(kill, death.death.view);
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
