import type { WorkloadPod } from '../../../src/app/acting-ports.ts';

/** A pod that serves. */
export function aPod(name: string, over: Partial<WorkloadPod> = {}): WorkloadPod {
  return {
    name,
    uid: `uid-${name}`,
    createdAt: 0,
    ready: true,
    terminating: false,
    scheduled: true,
    restarts: 0,
    startedAt: 0,
    lastDeath: null,
    why: null,
    ip: null,
    ports: [],
    ...over,
  };
}
