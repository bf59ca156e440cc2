import type { ContainerStatus, Pod, Terminated } from '../../model/kubernetes.ts';
import { logFileName } from '../../model/snapshot.ts';
import { engineContainer } from './engine-container.ts';

/** Which log of a container to read, and what it must agree with. Times are epoch ms. */
export type LogPlan = {
  readonly container: string;
  readonly previous: boolean;
  readonly file: string;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** Names the very instance; another one means that the container has restarted meanwhile. */
  readonly instance: string;
  /** What the container left as its last words. */
  readonly message: string | undefined;
};

export type LogPlans = {
  readonly container: string | null;
  /** Two at most, the one that is looked at first. */
  readonly plans: readonly LogPlan[];
  /** When that container died, epoch ms; null where it did not. */
  readonly diedAt: number | null;
  /** The container that was asked for and is not there. */
  readonly unknown: string | undefined;
};

const MAX_LOGS = 2;

/** The logs worth reading: of the container asked for, else of the one whose death matters; then of the engine, or of another that died. */
export function planLogs(pod: Pod, asked: string | undefined): LogPlans {
  const statuses = statusesOf(pod);
  const engine = engineContainer(pod);
  const known = asked === undefined || statuses.some(({ name }) => name === asked) || hasContainer(pod, asked);
  const deaths = statuses.filter((status) => isDeath(pod, status));
  const dying = deaths.toSorted(byWeight(engine)).flatMap(({ name }) => (name === undefined ? [] : [name]));
  const wanted = [
    ...(known && asked !== undefined ? [asked] : []),
    ...dying,
    ...(engine === undefined ? [] : [engine]),
  ];
  const names = [...new Set(wanted)];
  const [first] = names;
  const plans = names.flatMap((name) => planLog(pod, name) ?? []).slice(0, MAX_LOGS);
  const death = terminationOf(statuses.find(({ name }) => name === first));
  return {
    container: first ?? null,
    plans,
    diedAt: death === undefined ? null : (timeOf(death.finishedAt) ?? null),
    unknown: known ? undefined : asked,
  };
}

/** How to read the log of one container as the pod stands now; undefined where no instance has run. */
export function planLog(pod: Pod, container: string): LogPlan | undefined {
  const status = statusesOf(pod).find(({ name }) => name === container);
  const { state, lastState, restartCount = 0 } = status ?? {};
  // `previous` reads the instance before the current one. Once the container waits or runs, that is the one that died;
  // while it stands terminated, it would be the one before that.
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended === undefined && state?.running === undefined) return undefined;
  const previous = state?.terminated === undefined && ended !== undefined;
  const only = (pod.spec?.containers?.length ?? 0) + (pod.spec?.initContainers?.length ?? 0) === 1;
  return {
    container,
    previous,
    file: logFileName(only ? undefined : container, previous ? 'previous' : 'current'),
    startedAt: timeOf(ended?.startedAt ?? state?.running?.startedAt),
    endedAt: timeOf(ended?.finishedAt),
    instance: ended?.containerID ?? ended?.finishedAt ?? status?.containerID ?? `restarts ${restartCount}`,
    message: ended?.message,
  };
}

function hasContainer({ spec }: Pod, name: string): boolean {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some((container) => container.name === name);
}

function statusesOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
}

function terminationOf(status: ContainerStatus | undefined): Terminated | undefined {
  return status?.state?.terminated ?? status?.lastState?.terminated;
}

// An init container that did its work has ended too.
function isDeath(pod: Pod, status: ContainerStatus): boolean {
  const ended = terminationOf(status);
  if (ended === undefined) return false;
  const init = pod.status?.initContainerStatuses?.includes(status) ?? false;
  return !init || ended.reason === 'OOMKilled' || ended.exitCode !== 0;
}

// As facts/pod/death.ts has it: another container's end counts where the engine did not end.
function byWeight(engine: string | undefined) {
  const weight = (status: ContainerStatus): number => {
    if (status.name === engine) return 2;
    return terminationOf(status)?.reason === 'OOMKilled' ? 1 : 0;
  };
  return (a: ContainerStatus, b: ContainerStatus) => weight(b) - weight(a) || endOf(b) - endOf(a);
}

function endOf(status: ContainerStatus | undefined): number {
  return timeOf(terminationOf(status)?.finishedAt) ?? 0;
}

function timeOf(text: string | undefined): number | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at;
}
