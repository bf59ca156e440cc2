import type { ContainerView, StateView } from './container-states.ts';
import { isEnd } from './death.ts';

// `kubepods-burstable-pod1a2b3c4d_....slice` of systemd, `pod1a2b3c4d-...` of cgroupfs. Static pods have a hash instead.
const POD = /pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})/i;

/** The uid of the pod whose group this is. */
export function podOfGroup(group: string): string | undefined {
  return POD.exec(group)?.[1]?.replaceAll('_', '-').toLowerCase();
}

/** Ids of the runs of a container, without the name of the runtime: 1 the one in State, 0 the one in Last State. */
type RunIds = Readonly<Record<0 | 1, string | undefined>>;

export function idsOf({ state, lastState, containerID }: ContainerView): RunIds {
  const [newest, ended, last] = [containerID, idIn(state), idIn(lastState)].map((id) => bare(id?.value));
  const isWaiting = state === undefined || state.kind === 'waiting';
  return { 1: ended ?? (isWaiting ? undefined : newest), 0: last ?? (isWaiting ? newest : undefined) };
}

function idIn(state: StateView | undefined) {
  return isEnd(state) ? state.containerID : undefined;
}

// A shorter one is no id of a runtime.
const LEAST = 12;

function bare(id: string | undefined): string | undefined {
  const hex = id?.replace(/^[a-z-]+:\/\//, '');
  return hex !== undefined && hex.length >= LEAST ? hex : undefined;
}
