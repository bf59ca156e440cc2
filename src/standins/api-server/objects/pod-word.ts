import type { KubeObject } from './world.ts';

type State = {
  readonly waiting?: { readonly reason?: string };
  readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
};
export type ContainerState = {
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: State;
  readonly lastState?: { readonly terminated?: { readonly finishedAt?: string } };
};
type PodStatus = {
  readonly phase?: string;
  readonly reason?: string;
  readonly containerStatuses?: readonly ContainerState[];
  readonly initContainerStatuses?: readonly ContainerState[];
};

/** What STATUS of `kubectl get pods` says: `Running`, `CrashLoopBackOff`, `Terminating`. */
export function podWord(pod: KubeObject): string {
  const status = (pod.status ?? {}) as PodStatus;
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const main = mainWord(status.containerStatuses ?? []);
  return initWord(status.initContainerStatuses) ?? main ?? status.reason ?? status.phase ?? 'Unknown';
}

export function containersOf(pod: KubeObject): readonly ContainerState[] {
  return ((pod.status ?? {}) as PodStatus).containerStatuses ?? [];
}

// As printPod of the API server: the last container that waits or has ended gives the word.
function mainWord(statuses: readonly ContainerState[]): string | undefined {
  for (const { state } of statuses) {
    if (state?.waiting?.reason !== undefined) return state.waiting.reason;
    if (state?.terminated !== undefined) return state.terminated.reason ?? `ExitCode:${state.terminated.exitCode}`;
  }
  return undefined;
}

function initWord(statuses: readonly ContainerState[] = []): string | undefined {
  const stuck = statuses.find(({ state }) => state?.waiting !== undefined || (state?.terminated?.exitCode ?? 0) !== 0);
  const reason = stuck?.state?.waiting?.reason ?? stuck?.state?.terminated?.reason;
  return reason === undefined ? undefined : `Init:${reason}`;
}
