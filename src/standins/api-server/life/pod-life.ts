import { timeText } from '../objects/builders.ts';
import type { DeathOptions } from '../objects/container-builder.ts';
import { anEvent } from '../objects/surroundings.ts';
import type { ApiWorld, KubeObject, LogLine } from '../objects/world.ts';
import type { Storage } from '../write/storage.ts';
import type { ContainerProcess, ContainerRuntime, ProcessExit } from './container-process.ts';
import { recordEvent } from './events.ts';
import { podStatus } from './pod-status.ts';
import type { LifeSettings } from './settings.ts';
import type { PodSpec } from './workload-shape.ts';

/** What is remembered of a pod that was made here. Times are epoch ms. */
type Lived = {
  process: ContainerProcess | undefined;
  /** Since when the instance runs; null while it waits. */
  startedAt: number | null;
  restartAt: number | null;
  restarts: number;
  /** Crashes in a row, for the back-off. */
  crashes: number;
  lastDeath: DeathOptions | undefined;
};

export type PodLife = {
  adopt(pod: KubeObject): void;
  /** Wishes that a pod goes. */
  remove(pod: KubeObject): void;
  /** Its deadline is over. */
  fail(pod: KubeObject): void;
  step(): void;
};

export function hasFailed(pod: KubeObject): boolean {
  return (pod.status as { phase?: string } | undefined)?.phase === 'Failed';
}

const FIRST_BACK_OFF_MS = 10_000;
const LONGEST_BACK_OFF_MS = 300_000;
// The kubelet forgets crashes before a run of this length.
const FORGET_MS = 600_000;

/** Kubelet and scheduler: pods find room, load, serve, crash, start again, and go. */
export function createPodLife(storage: Storage, settings: LifeSettings, runtime: ContainerRuntime): PodLife {
  const lives = new Map<string, Lived>();
  const goneAt = new Map<string, number>();
  const podsHere = (): KubeObject[] => storage.world.objects.filter(({ kind }) => kind === 'Pod');

  const start = (pod: KubeObject, life: Lived): void => {
    const process = runtime(pod, storage.now());
    Object.assign(life, { process, startedAt: storage.now(), restartAt: null });
    writeLog(storage.world, pod, { instance: 'current', lines: process.log });
    recordEvent(storage, pod, { reason: 'Started', message: `Started container ${mainOf(pod)}` });
  };

  const schedule = (pod: KubeObject, life: Lived): KubeObject => {
    const taken = podsHere().filter((one) => (one.spec as PodSpec).nodeName !== undefined && !hasFailed(one)).length;
    if (settings.gpus !== undefined && taken >= settings.gpus) return unschedulable(storage, pod);
    recordEvent(storage, pod, {
      reason: 'Scheduled',
      message: `Successfully assigned ${pod.metadata.namespace}/${pod.metadata.name} to gpu-node-1`,
    });
    start(pod, life);
    return storage.settle(pod, { ...pod, spec: { ...(pod.spec as PodSpec), nodeName: 'gpu-node-1' } });
  };

  const live = (pod: KubeObject, life: Lived): void => {
    const now = storage.now();
    const scheduled = (pod.spec as PodSpec).nodeName === undefined ? schedule(pod, life) : pod;
    if (life.restartAt !== null && now >= life.restartAt) start(scheduled, life);
    const exit = life.process?.run(now);
    if (exit !== undefined) die(storage, scheduled, { life, exit });
    else if (life.process !== undefined)
      writeLog(storage.world, scheduled, { instance: 'current', lines: life.process.log });
    const ready = life.process?.ready ?? false;
    storage.settle(scheduled, { ...scheduled, status: podStatus(scheduled, { ...life, ready }, now) });
  };

  return {
    adopt(pod) {
      lives.set(pod.metadata.uid, {
        process: undefined,
        startedAt: null,
        restartAt: null,
        restarts: 0,
        crashes: 0,
        lastDeath: undefined,
      });
    },
    remove(pod) {
      if (goneAt.has(pod.metadata.uid)) return;
      const at = storage.now() + settings.terminateMs;
      goneAt.set(pod.metadata.uid, at);
      lives.get(pod.metadata.uid)?.process?.stop();
      recordEvent(storage, pod, { reason: 'Killing', message: `Stopping container ${mainOf(pod)}` });
      storage.settle(pod, { ...pod, metadata: { ...pod.metadata, deletionTimestamp: timeText(at) } });
    },
    fail(pod) {
      lives.get(pod.metadata.uid)?.process?.stop();
      lives.delete(pod.metadata.uid);
      const conditions = [
        { type: 'Ready', status: 'False', reason: 'PodFailed', lastTransitionTime: timeText(storage.now()) },
      ];
      storage.settle(pod, { ...pod, status: { phase: 'Failed', reason: 'DeadlineExceeded', conditions } });
    },
    step() {
      for (const pod of podsHere()) {
        const { uid } = pod.metadata;
        const life = lives.get(uid);
        if ((goneAt.get(uid) ?? Number.POSITIVE_INFINITY) <= storage.now()) {
          storage.remove(pod);
          forgetLogs(storage.world, pod);
          lives.delete(uid);
        } else if (life !== undefined && pod.metadata.deletionTimestamp === undefined) live(pod, life);
      }
    },
  };
}

function mainOf(pod: KubeObject): string {
  return (pod.spec as PodSpec).containers[0]?.name ?? '';
}

function unschedulable(storage: Storage, pod: KubeObject): KubeObject {
  const message = '0/1 nodes are available: 1 Insufficient nvidia.com/gpu.';
  recordEvent(storage, pod, { reason: 'FailedScheduling', message, type: 'Warning' });
  return pod;
}

function die(storage: Storage, pod: KubeObject, { life, exit }: { life: Lived; exit: ProcessExit }): void {
  const startedAt = life.startedAt ?? 0;
  const { at: finishedAt, reason, exitCode, failedProbe, nodeEvent } = exit;
  const crashes = finishedAt - startedAt >= FORGET_MS ? 0 : life.crashes;
  const backOff = Math.min(FIRST_BACK_OFF_MS * 2 ** crashes, LONGEST_BACK_OFF_MS);
  // While it waits the kubelet serves the log of the dead instance either way.
  for (const instance of ['previous', 'current'] as const) {
    writeLog(storage.world, pod, { instance, lines: life.process?.log ?? [] });
  }
  Object.assign(life, {
    process: undefined,
    startedAt: null,
    restartAt: finishedAt + backOff,
    restarts: life.restarts + 1,
    crashes: crashes + 1,
    lastDeath: { reason, exitCode, startedAt, finishedAt },
  });
  const { name, namespace } = pod.metadata;
  if (failedProbe !== undefined) {
    recordEvent(storage, pod, { reason: 'Unhealthy', message: failedProbe, type: 'Warning' });
    const killing = `Container ${mainOf(pod)} failed liveness probe, will be restarted`;
    recordEvent(storage, pod, { reason: 'Killing', message: killing });
  }
  if (nodeEvent !== undefined) {
    const node = storage.world.objects.find((one) => one.kind === 'Node');
    if (node !== undefined) storage.settle(undefined, anEvent({ about: node, at: finishedAt, ...nodeEvent }));
  }
  const message = `Back-off restarting failed container ${mainOf(pod)} in pod ${name}_${namespace}(${pod.metadata.uid})`;
  recordEvent(storage, pod, { reason: 'BackOff', message, type: 'Warning' });
}

type Text = { readonly instance: 'current' | 'previous'; readonly lines: readonly LogLine[] };

function writeLog(world: ApiWorld, pod: KubeObject, { instance, lines }: Text): void {
  const { name, namespace = '' } = pod.metadata;
  for (const { name: container } of (pod.spec as PodSpec).containers) {
    const log = { namespace, pod: name, container, instance, lines };
    const old = world.logs.findIndex(
      (one) =>
        one.pod === name && one.namespace === namespace && one.container === container && one.instance === instance,
    );
    if (old >= 0) world.logs[old] = log;
    else world.logs.push(log);
  }
}

function forgetLogs({ logs }: ApiWorld, { metadata }: KubeObject): void {
  for (let i = logs.length - 1; i >= 0; i--) {
    if (logs[i]?.pod === metadata.name && logs[i]?.namespace === metadata.namespace) logs.splice(i, 1);
  }
}
