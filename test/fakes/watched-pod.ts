import type { ContainerEnd, WatchedPod } from '../../src/app/watch-ports.ts';
import { START } from './clock.ts';

export function anEnd(over: Partial<ContainerEnd> = {}): ContainerEnd {
  return {
    containerId: 'containerd://1',
    reason: 'OOMKilled',
    exitCode: 137,
    startedAt: 0,
    finishedAt: START,
    ...over,
  };
}

/** A pod that is well; `ended` is how the last instance of its container ended. */
export function aWatchedPod({
  ended,
  restarts = 0,
  ...over
}: Partial<WatchedPod> & { ended?: ContainerEnd | undefined; restarts?: number } = {}): WatchedPod {
  return {
    uid: 'uid-1',
    namespace: 'llm',
    name: 'vllm-server-7d8f6f9c6b-4mnl2',
    owner: 'rs-1',
    node: 'node-1',
    ready: true,
    createdAt: 0,
    failed: undefined,
    leaving: false,
    containers: [{ name: 'server', restarts, ended }],
    ...over,
  };
}
