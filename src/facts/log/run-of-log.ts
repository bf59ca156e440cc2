import type { LogReading } from '../../model/log-reading.ts';
import { parseLogName } from '../../model/snapshot.ts';
import type { StateView } from '../../read/cluster/container-states.ts';
import { type DeathReading, deathTime, isEnd } from '../../read/cluster/death.ts';
import type { KernelReading } from '../../read/kernel/kernel.ts';
import { cleanLine, nearestTime, SOME_YEAR } from '../../read/log/clean-line.ts';
import { CLOCK_SKEW_MS, isOfOtherZone, mayBeOfOtherZone } from '../../read/text/when.ts';
import { tailLines } from './tail-lines.ts';

/** Between which times something happened, epoch ms; infinite on the side that nothing bounds. */
export type Moment = { readonly from: number; readonly to: number };

export const ANY_TIME: Moment = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** The moment of one known time; any where it is not known. */
export function momentAt(at: number | undefined): Moment {
  return at === undefined ? ANY_TIME : { from: at, to: at };
}

/** A container that is restarted in a loop fails again within minutes (kubelet, MaxContainerBackOff of 300 s and the start). */
export const ONE_INCIDENT_MS = 3_600_000;

/** Whether one failure is seen to lie so long after the other that they are two incidents. */
export function areApart(a: Moment, b: Moment): boolean {
  const between = Math.max(a.from - b.to, b.from - a.to);
  return between > ONE_INCIDENT_MS && !isOfOtherZone(between);
}

/** Whether what lies between two times tells their order: not where one of them may be told in another time zone. */
export function tellsOrder(between: number): boolean {
  const off = Math.abs(between);
  return off > 0 && off <= ONE_INCIDENT_MS && !mayBeOfOtherZone(off);
}

/** When the lines of a run were written: by their own time, else by those of the lines around, else in the life of what wrote them. */
export function momentsIn(run: LogReading, life: Moment, anchor: number): (line: number) => Moment {
  const dated = datedLines(run, anchor);
  return (line) => ({
    from: dated.findLast((one) => one.line <= line)?.at ?? life.from,
    to: dated.find((one) => one.line >= line)?.at ?? life.to,
  });
}

type Dated = { readonly line: number; readonly at: number };

function datedLines(run: LogReading, anchor: number): readonly Dated[] {
  const hits = run.hits.map(({ line, text, at }) => ({ line, at: at ?? timeIn(text, anchor) }));
  const tail = tailLines(run).map(({ line, text }) => ({ line, at: timeIn(text, anchor) }));
  return [...hits, ...tail]
    .flatMap(({ line, at }) => (at === undefined ? [] : [{ line, at }]))
    .toSorted((a, b) => a.line - b.line);
}

function timeIn(text: string, anchor: number): number | undefined {
  const { at, head } = cleanLine(text);
  return at ?? (head && nearestTime(head, anchor));
}

/** What Kubernetes and the kernel say about the ends of a container. */
type Ends = { readonly death: DeathReading; readonly kernel: KernelReading | undefined };

/** A run of the container: 1 the one in State, 0 the one in Last State, −1 one before those. */
export type Run = -1 | 0 | 1;

/** The container run that wrote a log, and when its lines were written. */
export type RunOfLog = { readonly instance: Run; readonly moment: (line: number) => Moment };

/**
 * Which run wrote a log, by its name. While the container waits for its restart the kubelet gives the log of the run that
 * ended under either name (kubernetes/kubernetes pkg/kubelet/kubelet_pods.go, validateContainerLogStatus); a `describe` cut
 * to its Last State reports no other run.
 */
export function instanceOf(file: string, death: DeathReading): 0 | 1 {
  if (parseLogName(file)?.instance === 'previous') return 0;
  if (death.kind === 'none') return 1;
  const { state } = death.death.view;
  return state === undefined || state.kind === 'waiting' ? 0 : 1;
}

/** The run behind a log; lines without a time are dated by the life that Kubernetes reports. */
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
