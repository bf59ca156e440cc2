import type { Cited } from '../../model/engine-reader.ts';
import type { LogName } from '../../model/snapshot.ts';
import type { KnownLife } from '../metrics/series.ts';
import { known, type Reading, unknown } from '../reading.ts';
import { CLOCK_SKEW_MS } from '../text/when.ts';
import type { ContainerView, StateView, Termination } from './container-states.ts';
import { engineContainer, undecided } from './engine-container.ts';
import { containersOf, type PodEvidence } from './gather.ts';

/** `helper` runs no engine in a pod that has none: a router, the head of a Ray cluster. */
type ContainerRole = 'engine' | 'init' | 'sidecar' | 'helper';

/** The newest termination of one container. */
export type ContainerDeath = {
  readonly container: string | undefined;
  readonly role: ContainerRole;
  /** Where it stands: `state` (the container has not restarted) or `lastState` (it has): decides which log holds it. */
  readonly place: 'state' | 'lastState';
  readonly end: Termination;
  /** Seconds; unknown `contradictory` where the end lies before the start or in the future. */
  readonly uptime: Reading<number>;
  /** Epoch ms. */
  readonly at: Reading<number>;
  readonly restarts: Cited<number> | undefined;
  readonly view: ContainerView;
};

export type DeathReading =
  | {
      readonly kind: 'death';
      /** The one that matters: the engine's, and of another container where the engine did not end. */
      readonly death: ContainerDeath;
      readonly all: readonly ContainerDeath[];
      /** Container that is taken for the engine, whether it died or not. */
      readonly engine: string | undefined;
      /** Names of the other containers of the pod. */
      readonly others: readonly string[];
      /** Of several that ended in different ways it may be any: nothing tells which of them runs the engine. */
      readonly isOpen: boolean;
    }
  | { readonly kind: 'none'; readonly engine: string | undefined; readonly detail: string };

/** The newest termination of each container, and which one matters. `takenAt` (epoch ms) tells times in the future. */
export function readDeath(evidence: PodEvidence, takenAt?: number): DeathReading {
  const engine = engineContainer(evidence)?.name?.value;
  const all: ContainerDeath[] = [];
  for (const view of evidence.views.flatMap((pod) => pod.containers)) {
    const death = deathOf(view, engine, takenAt);
    if (death !== undefined && !isDouble(death, all)) all.push(death);
  }
  const death = all.toSorted((a, b) => weight(b, all) - weight(a, all) || timeOf(b) - timeOf(a))[0];
  if (death !== undefined) {
    const names = containersOf(evidence).flatMap(({ name }) => name?.value ?? []);
    const others = death.container === undefined ? [] : names.filter((name) => name !== death.container);
    return { kind: 'death', death, all, engine, others, isOpen: isOpen(evidence, all) };
  }
  const seen = evidence.views.some((pod) => pod.containers.length > 0);
  const detail = seen ? 'no container of the pod shows a termination' : 'the snapshot shows no container status';
  return { kind: 'none', engine, detail };
}

// Where all of them were killed for memory, the engine was.
function isOpen(evidence: PodEvidence, all: readonly ContainerDeath[]): boolean {
  const could = undecided(evidence).map(({ name }) => name?.value);
  const deaths = all.filter(({ container }) => could.includes(container));
  return could.length > 1 && deaths.length > 0 && !(deaths.length === could.length && deaths.every(isOomKilled));
}

// pod.json and describe.txt report the same death twice; a nameless fragment adds nothing to a status that has one.
function isDouble(death: ContainerDeath, all: readonly ContainerDeath[]): boolean {
  return all.some((other) => other.container === death.container || death.container === undefined);
}

function deathOf(view: ContainerView, engine: string | undefined, takenAt?: number): ContainerDeath | undefined {
  const place = isEnd(view.state) ? 'state' : 'lastState';
  const end = isEnd(view.state) ? view.state : view.lastState;
  if (!isEnd(end)) return undefined;
  // An init container that did its work has ended too.
  if (view.kind === 'init' && end.reason?.value !== 'OOMKilled' && (end.exitCode?.value ?? 0) === 0) return undefined;
  return {
    container: view.name?.value,
    role: roleOf(view, engine),
    place,
    end,
    at: endOf(end, takenAt),
    uptime: uptimeOf(end, takenAt),
    restarts: view.restarts,
    view,
  };
}

export function isEnd(state: StateView | undefined): state is Termination {
  return state?.kind === 'terminated';
}

function roleOf(view: ContainerView, engine: string | undefined): ContainerRole {
  if (view.kind === 'init') return 'init';
  if (view.kind === 'sidecar') return 'sidecar';
  if (view.name === undefined || view.name.value === engine) return 'engine';
  return engine === undefined ? 'helper' : 'sidecar';
}

function endOf(end: Termination, takenAt: number | undefined): Reading<number> {
  const { finishedAt, startedAt } = end;
  if (finishedAt === undefined) return unknown('not-in-snapshot', 'the time at which the container ended is not known');
  if (takenAt !== undefined && finishedAt.value > takenAt + CLOCK_SKEW_MS) {
    return unknown('contradictory', 'the end lies after the time at which the snapshot was taken');
  }
  if (startedAt !== undefined && finishedAt.value < startedAt.value) {
    return unknown('contradictory', 'the end lies before the start');
  }
  return { ...known(finishedAt.value, finishedAt.from), at: finishedAt.value };
}

function uptimeOf(end: Termination, takenAt: number | undefined): Reading<number> {
  const at = endOf(end, takenAt);
  if (at.kind === 'unknown') return at;
  const { startedAt, finishedAt } = end;
  if (startedAt === undefined || finishedAt === undefined) {
    return unknown('not-in-snapshot', 'the time at which the container started is not known');
  }
  return { ...known((at.value - startedAt.value) / 1000, startedAt.from, finishedAt.from), at: at.value };
}

/** The exit code of a process that ended by signal 9, as the kernel sends it for lack of memory. */
export const BY_SIGNAL_9 = 137;

/** By the reason, or where what was to run was ended before the runtime could name one. */
export function isOomKilled({ end }: ContainerDeath): boolean {
  return end.reason?.value === 'OOMKilled' || INIT_OOM.test(end.message?.value ?? '');
}

// runc says so only where the cgroup counted a kill (libcontainer/process_linux.go).
const INIT_OOM = /\bcontainer init was OOM-killed\b/;

// An OOM kill is about the container whose status reports it, since memory.max limits each cgroup by itself: a sidecar's kill
// does not explain the engine's end, however near. It counts if the engine did not end, or exited with 0 after it.
function weight(death: ContainerDeath, all: readonly ContainerDeath[]): number {
  if (death.role !== 'engine') return isOomKilled(death) ? 1 : 0;
  const isInOrder = death.end.exitCode?.value === 0 && !isOomKilled(death);
  const isAfter = (other: ContainerDeath) => timeOf(other) > 0 && timeOf(other) <= timeOf(death);
  return isInOrder && all.some((other) => isOomKilled(other) && isAfter(other)) ? 0 : 2;
}

function timeOf(death: ContainerDeath): number {
  return death.at.kind === 'known' ? death.at.value : 0;
}

/** How the death that matters ended; undefined where there was none, or nothing tells its code. */
export function exitCodeOf(death: DeathReading): number | undefined {
  return death.kind === 'death' && !death.isOpen ? death.death.end.exitCode?.value : undefined;
}

/** What is no failure: none, and what a container returns that was told to stop (128 and the number of SIGINT or SIGTERM). */
export const NO_FAILURE: ReadonlySet<number> = new Set([0, 130, 143]);

/** Whether the run that wrote a log ended with a failure. */
export function hasFailed(log: LogName | undefined, death: DeathReading): boolean {
  const exitCode = exitCodeOf(death);
  if (death.kind !== 'death' || log === undefined || exitCode === undefined) return false;
  return !NO_FAILURE.has(exitCode) && (log.instance === 'previous' || death.death.place === 'state');
}

/** When the container ended, epoch ms. */
export function deathTime(death: DeathReading): number | undefined {
  return death.kind === 'death' && death.death.at.kind === 'known' ? death.death.at.value : undefined;
}

/** The lives of a container whose start its status tells: the one that runs or ended last, and the one before. Without a name, of the container that died, else of the engine's. */
export function knownLives(pod: PodEvidence, death: DeathReading, container: string | undefined): readonly KnownLife[] {
  const named = container && containersOf(pod).find(({ name }) => name?.value === container);
  const view = named || (death.kind === 'death' ? death.death.view : engineContainer(pod));
  return [view?.lastState, view?.state].flatMap(spanOf);
}

function spanOf(state: StateView | undefined): KnownLife[] {
  if (state === undefined || state.kind === 'waiting' || state.startedAt === undefined) return [];
  const from = state.startedAt.value;
  const to = isEnd(state) ? state.finishedAt?.value : undefined;
  return to !== undefined && to < from ? [] : [{ from, to }];
}
