import type { LogReading } from '../../model/log-reading.ts';
import { parseLogName } from '../../model/snapshot.ts';
import type { StateView } from '../../read/cluster/container-states.ts';
import { type DeathReading, deathTime, isEnd } from '../../read/cluster/death.ts';
import type { KernelReading } from '../../read/kernel/kernel.ts';
import { SOME_YEAR } from '../../read/log/clean-line.ts';
import { CLOCK_SKEW_MS, isOfOtherZone } from '../../read/text/when.ts';
import { ANY_TIME, type Moment, momentsIn } from './moment.ts';

/** What Kubernetes and the kernel tell of the ends of a container. */
type Ends = { readonly death: DeathReading; readonly kernel: KernelReading | undefined };

/** A run of the container: 1 the one in State, 0 the one in Last State, −1 one before those. */
export type Run = -1 | 0 | 1;

/** The container run that wrote a log, and when its lines were written. */
export type RunOfLog = { readonly instance: Run; readonly moment: (line: number) => Moment };

/**
 * Which run wrote a log, by its name. While the container waits for its restart the kubelet gives the log of the run that
 * ended under either name (kubernetes/kubernetes pkg/kubelet/kubelet_pods.go, validateContainerLogStatus); a `describe` cut
 * to its Last State tells of no other run.
 */
export function instanceOf(file: string, death: DeathReading): 0 | 1 {
  if (parseLogName(file)?.instance === 'previous') return 0;
  if (death.kind === 'none') return 1;
  const { state } = death.death.view;
  return state === undefined || state.kind === 'waiting' ? 0 : 1;
}

/** The run behind a log; lines without a time are dated by the life that Kubernetes tells of. */
export function runOfLog({ death, kernel }: Ends, run: LogReading): RunOfLog {
  const named = instanceOf(run.file, death);
  const anchor = deathTime(death) ?? kernel?.victim?.at ?? run.lastAt ?? SOME_YEAR;
  const isBefore = named === 0 && isOfRunBefore(run, lifeOf(death, 0), anchor);
  const instance = isBefore ? -1 : named;
  return { instance, moment: momentsIn(run, lifeOf(death, instance), anchor) };
}

// The kubelet waits five minutes at the most before it starts a container again (MaxContainerBackOff); an image is there by then.
const LONGEST_WAIT_MS = 600_000;

/** Whether a log that was kept for longer is of the run before: it ends as this one is about to begin. */
export function isOfRunBefore(run: LogReading, { from: started, to: ended }: Moment, anchor: number): boolean {
  const moment = momentsIn(run, ANY_TIME, anchor);
  const [first, last] = [moment(1).to, moment(run.lines).from];
  const wait = started - last;
  if (!(wait >= 0 && wait <= LONGEST_WAIT_MS && started - first > CLOCK_SKEW_MS)) return false;
  // The same log in another time zone would begin and end as many hours off.
  return !isOfOtherZone(started - first) || Math.abs(started - first - (ended - last)) > CLOCK_SKEW_MS;
}

/** From when to when a run lived, as far as the status tells. */
export function lifeOf(death: DeathReading, run: Run | undefined): Moment {
  if (death.kind === 'none' || run === undefined) return ANY_TIME;
  const { state, lastState } = death.death.view;
  if (run === -1) return { from: ANY_TIME.from, to: startOf(lastState) ?? ANY_TIME.to };
  const of = run === 0 ? lastState : state;
  const to = isEnd(of) ? of.finishedAt?.value : undefined;
  return { from: startOf(of) ?? ANY_TIME.from, to: to ?? ANY_TIME.to };
}

/** When a container was started, by its state; it is not while it waits. */
export function startOf(state: StateView | undefined): number | undefined {
  return state === undefined || state.kind === 'waiting' ? undefined : state.startedAt?.value;
}
