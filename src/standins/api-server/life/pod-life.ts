import { timeText } from '../objects/builders.ts';
import { aContainerStatus, type ContainerOptions, type DeathOptions } from '../objects/container-builder.ts';
import type { ApiWorld, KubeObject } from '../objects/world.ts';
import type { Storage } from '../write/storage.ts';
import type { CrashRule, LifeSettings } from './settings.ts';
import type { PodSpec } from './workload-shape.ts';

/** What is remembered of a pod that was made here. Times are epoch ms. */
type Lived = {
  /** Since when the instance runs; null while it waits. */
  startedAt: number | null;
  restartAt: number | null;
  restarts: number;
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

/** Kubelet and scheduler: pods find room, load, serve, crash, start again, and go. */
export function createPodLife(storage: Storage, settings: LifeSettings): PodLife {
  const lives = new Map<string, Lived>();
  const goneAt = new Map<string, number>();
  const podsHere = (): KubeObject[] => storage.world.objects.filter(({ kind }) => kind === 'Pod');

  const schedule = (pod: KubeObject, life: Lived): KubeObject => {
    const taken = podsHere().filter((one) => (one.spec as PodSpec).nodeName !== undefined && !hasFailed(one)).length;
    if (settings.gpus !== undefined && taken >= settings.gpus) return pod;
    life.startedAt = storage.now();
    writeLog(storage.world, pod, { instance: 'current', lines: settings.log, at: storage.now() });
    return storage.settle(pod, { ...pod, spec: { ...(pod.spec as PodSpec), nodeName: 'gpu-node-1' } });
  };

  const live = (pod: KubeObject, life: Lived): void => {
    const now = storage.now();
    const scheduled = (pod.spec as PodSpec).nodeName === undefined ? schedule(pod, life) : pod;
    const crash = crashOf(scheduled, settings.crash);
    if (life.startedAt !== null && crash !== undefined && now >= life.startedAt + crash.afterMs) {
      die(storage.world, scheduled, { life, crash });
    } else if (life.restartAt !== null && now >= life.restartAt) {
      Object.assign(life, { startedAt: now, restartAt: null });
    }
    const ready = life.startedAt !== null && now >= life.startedAt + settings.loadMs;
    storage.settle(scheduled, { ...scheduled, status: statusOf(scheduled, { life, ready, now }) });
  };

  return {
    adopt(pod) {
      lives.set(pod.metadata.uid, { startedAt: null, restartAt: null, restarts: 0, lastDeath: undefined });
    },
    remove(pod) {
      if (goneAt.has(pod.metadata.uid)) return;
      const at = storage.now() + settings.terminateMs;
      goneAt.set(pod.metadata.uid, at);
      storage.settle(pod, { ...pod, metadata: { ...pod.metadata, deletionTimestamp: timeText(at) } });
    },
    fail(pod) {
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
        } else if (life !== undefined && pod.metadata.deletionTimestamp === undefined) live(pod, life);
      }
    },
  };
}

function crashOf(pod: KubeObject, rule: CrashRule | undefined): CrashRule | undefined {
  const words = (pod.spec as PodSpec).containers.flatMap(({ command = [], args = [] }) => [...command, ...args]);
  return rule?.unlessArgs !== undefined && words.join(' ').includes(rule.unlessArgs) ? undefined : rule;
}

function die(world: ApiWorld, pod: KubeObject, { life, crash }: { life: Lived; crash: CrashRule }): void {
  const startedAt = life.startedAt ?? 0;
  const finishedAt = startedAt + crash.afterMs;
  const backOff = Math.min(FIRST_BACK_OFF_MS * 2 ** life.restarts, LONGEST_BACK_OFF_MS);
  const lastDeath = { reason: crash.reason, exitCode: crash.exitCode, startedAt, finishedAt };
  Object.assign(life, { startedAt: null, restartAt: finishedAt + backOff, restarts: life.restarts + 1, lastDeath });
  // While it waits the kubelet serves the log of the dead instance either way.
  for (const instance of ['previous', 'current'] as const) {
    writeLog(world, pod, { instance, lines: crash.log, at: finishedAt });
  }
}

type Text = { readonly instance: 'current' | 'previous'; readonly lines: readonly string[]; readonly at: number };

function writeLog(world: ApiWorld, pod: KubeObject, { instance, lines, at }: Text): void {
  const { name, namespace = '' } = pod.metadata;
  for (const { name: container } of (pod.spec as PodSpec).containers) {
    const log = { namespace, pod: name, container, instance, lines: lines.map((text) => ({ at, text })) };
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

function statusOf(pod: KubeObject, { life, ready, now }: { life: Lived; ready: boolean; now: number }): unknown {
  const { containers, nodeName } = pod.spec as PodSpec;
  const old = pod.status as { conditions?: { type: string; status: string; lastTransitionTime: string }[] };
  const condition = (type: string, yes: boolean, reason?: string) => {
    const status = yes ? 'True' : 'False';
    const before = old?.conditions?.find((one) => one.type === type);
    const since = before?.status === status ? before.lastTransitionTime : timeText(now);
    return { type, status, lastTransitionTime: since, ...(reason !== undefined && !yes && { reason }) };
  };
  if (nodeName === undefined) {
    return { phase: 'Pending', conditions: [condition('PodScheduled', false, 'Unschedulable')] };
  }
  const statuses = containers.map((container) => ({
    ...aContainerStatus({
      ...optionsOf(life),
      name: container.name,
      ...(container.image && { image: container.image }),
    }),
    ready,
    started: ready,
  }));
  return {
    phase: 'Running',
    podIP: '10.0.0.5',
    startTime: pod.metadata.creationTimestamp,
    conditions: [condition('PodScheduled', true), condition('Ready', ready, 'ContainersNotReady')],
    containerStatuses: statuses,
  };
}

function optionsOf({ startedAt, restarts, lastDeath }: Lived): ContainerOptions {
  return {
    restarts,
    ...(startedAt === null ? { waiting: 'CrashLoopBackOff' } : { runningSince: startedAt }),
    ...(lastDeath !== undefined && { lastDeath }),
  };
}
