import type { Citation } from '../../model/citation.ts';
import type { KnownLife } from '../metrics/series.ts';
import { known, type Reading, unknown } from '../reading.ts';
import type { StateView } from './container-states.ts';
import { type ContainerDeath, type DeathReading, isEnd } from './death.ts';
import { engineContainer } from './engine-container.ts';
import { containersOf, firstOf, type PodEvidence } from './gather.ts';

/** How long the instances of a container lived that have died. Those of other replicas started and die with it, so they tell nothing new. */
export type LivesReading = {
  /** Whether all lives were of nearly one length. */
  readonly isSteady: Reading<boolean>;
  /** Seconds. */
  readonly usual: Reading<number>;
  /** Seconds: half of what lies between the shortest and the longest. */
  readonly spread: Reading<number>;
};

type Life = { readonly seconds: number; readonly from: readonly Citation[] };

// A tenth to either side: what grows evenly meets its bound at nearly one age, what depends on traffic does not.
const STEADY_SHARE = 0.1;

export function readLives(pod: PodEvidence, death: DeathReading): LivesReading {
  const lives = livesOf(pod, death);
  const [first, ...more] = lives.flatMap(({ from }) => from).slice(0, 4);
  if (first === undefined || lives.length < 2) {
    const missing = unknown('not-in-snapshot', 'of no second death of the container is the age known');
    return { isSteady: missing, usual: missing, spread: missing };
  }
  const lengths = lives.map(({ seconds }) => seconds);
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)];
  const [middle, spread] = [(longest + shortest) / 2, (longest - shortest) / 2];
  return {
    isSteady: known(spread <= STEADY_SHARE * middle, first, ...more),
    usual: known(lengths.reduce((sum, one) => sum + one, 0) / lengths.length, first, ...more),
    spread: known(spread, first, ...more),
  };
}

function livesOf(pod: PodEvidence, reading: DeathReading): readonly Life[] {
  if (reading.kind === 'none') return [];
  const { view } = reading.death;
  const last = [view.state, view.lastState].flatMap(lifeOf);
  return [...last, ...onlyOneBefore(pod, reading.death, last)];
}

function lifeOf(state: StateView | undefined): Life[] {
  if (!isEnd(state) || state.startedAt === undefined || state.finishedAt === undefined) return [];
  const seconds = (state.finishedAt.value - state.startedAt.value) / 1000;
  return seconds > 0 ? [{ seconds, from: [state.startedAt.from, state.finishedAt.from] }] : [];
}

// Kubernetes keeps the times of two instances. What the pod had lived before is the age of one more where it was one alone;
// of several the number of restarts tells how often they died, not when.
function onlyOneBefore(pod: PodEvidence, { restarts, view, place }: ContainerDeath, known: readonly Life[]): Life[] {
  const created = firstOf(pod, (one) => one.createdAt);
  const starts = [view.state, view.lastState].flatMap((state) =>
    isEnd(state) && state.startedAt !== undefined ? [state.startedAt.value] : [],
  );
  if (restarts === undefined || created === undefined || starts.length === 0) return [];
  const others = restarts.value + (place === 'state' ? 1 : 0) - known.length;
  const seconds = (Math.min(...starts) - created.value) / 1000;
  return others === 1 && seconds >= LONG_S ? [{ seconds, from: [restarts.from, created.from] }] : [];
}

// Such a span holds the pull of the image and the wait before the restart as well: minutes, a tenth of an hour.
const LONG_S = 3600;

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
