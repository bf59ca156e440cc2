import type { KubeObject, LogLine } from '../objects/world.ts';
import type { LifeSettings } from './settings.ts';
import type { PodSpec } from './workload-shape.ts';

/** How a process ended; `at` is epoch ms. */
export type ProcessExit = {
  readonly at: number;
  readonly reason: string;
  readonly exitCode: number;
  /** Why the kubelet ended it, if it did. */
  readonly failedProbe?: string;
  /** An event of the node that comes with it. */
  readonly nodeEvent?: { readonly reason: string; readonly message: string };
};

/** The main process of a pod, from its start to its end. */
export type ContainerProcess = {
  /** Lets it run until `now`, epoch ms; answers its end, once it has ended. */
  run(now: number): ProcessExit | undefined;
  /** What the readiness probe finds. */
  readonly ready: boolean;
  /** What it has written so far; the kubelet serves it. */
  readonly log: readonly LogLine[];
  /** The pod is told to go. */
  stop(): void;
};

/** Starts the process of a pod at a time, epoch ms. */
export type ContainerRuntime = (pod: KubeObject, at: number) => ContainerProcess;

/** Processes that load for a time, are ready then, and die by the crash rule of the settings. */
export function ruledRuntime(settings: LifeSettings): ContainerRuntime {
  return (pod, startedAt) => {
    let log: readonly LogLine[] = settings.log.map((text) => ({ at: startedAt, text }));
    let now = startedAt;
    return {
      run(time) {
        now = time;
        const crash = crashOf(pod, settings);
        const at = startedAt + (crash?.afterMs ?? Number.POSITIVE_INFINITY);
        if (crash === undefined || now < at) return undefined;
        log = crash.log.map((text) => ({ at, text }));
        return { at, reason: crash.reason, exitCode: crash.exitCode };
      },
      get ready() {
        return now >= startedAt + settings.loadMs;
      },
      get log() {
        return log;
      },
      stop: () => undefined,
    };
  };
}

function crashOf({ spec }: KubeObject, { crash }: LifeSettings): LifeSettings['crash'] {
  const words = (spec as PodSpec).containers.flatMap(({ command = [], args = [] }) => [...command, ...args]);
  return crash?.unlessArgs !== undefined && words.join(' ').includes(crash.unlessArgs) ? undefined : crash;
}
