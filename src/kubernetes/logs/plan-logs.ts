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
  /** Three at most: of the container looked at the instance that ended last, and the one before or after it; then of another container. */
  readonly plans: readonly LogPlan[];
  /** When that container died, epoch ms; null where it did not. */
  readonly diedAt: number | null;
  /** The container that was asked for and is not there. */
  readonly unknown: string | undefined;
};

const MAX_LOGS = 3;

/** The logs worth reading: both instances of the container asked for, else of the one whose death matters; then of the engine, or of another that died. */
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
  const plans = names
    .slice(0, 2)
    .flatMap((name) => planInstances(pod, name, name === first && (name === engine || name === asked)))
    .slice(0, MAX_LOGS);
  const death = terminationOf(statuses.find(({ name }) => name === first));
  return {
    container: first ?? null,
    plans,
    diedAt: death === undefined ? null : (timeOf(death.finishedAt) ?? null),
    unknown: known ? undefined : asked,
  };
}

/** How to read the logs of one container as the pod stands now: of the instance that ended last, else of the one that runs; with `both` also of the other. Empty where none has run. */
function planInstances(pod: Pod, container: string, both: boolean): readonly LogPlan[] {
  const status = statusesOf(pod).find(({ name }) => name === container);
  const { state, lastState } = status ?? {};
  const plan = planOf(pod, container, status);
  // `previous` reads the instance in `lastState`. While a container waits, the log without the flag is that one's too.
  const previous = lastState?.terminated && plan('previous', lastState.terminated);
  if (state?.terminated !== undefined) {
    const current = plan('current', state.terminated);
    return both && previous !== undefined ? [current, previous] : [current];
  }
  const current = state?.running && plan('current', undefined, state.running.startedAt);
  const plans = [previous, current].flatMap((one) => one ?? []);
  return both ? plans : plans.slice(0, 1);
}

function planOf({ spec }: Pod, container: string, status: ContainerStatus | undefined) {
  const only = (spec?.containers?.length ?? 0) + (spec?.initContainers?.length ?? 0) === 1;
  return (instance: 'previous' | 'current', ended: Terminated | undefined, since = ended?.startedAt): LogPlan => ({
    container,
    previous: instance === 'previous',
    file: logFileName(only ? undefined : container, instance),
    startedAt: timeOf(since),
    endedAt: timeOf(ended?.finishedAt),
    instance: ended?.containerID ?? ended?.finishedAt ?? status?.containerID ?? `restarts ${status?.restartCount ?? 0}`,
    message: ended?.message,
  });
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
