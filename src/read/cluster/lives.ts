import type { KnownLife } from '../metrics/series.ts';
import type { StateView } from './container-states.ts';
import { type DeathReading, isEnd } from './death.ts';
import { engineContainer } from './engine-container.ts';
import { containersOf, type PodEvidence } from './gather.ts';

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
