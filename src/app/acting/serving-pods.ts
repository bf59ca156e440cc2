import type { WorkloadPod } from '../acting-ports.ts';

/** Pods that answer requests, and so tell of an engine. */
export function servingOf(pods: readonly WorkloadPod[]): readonly WorkloadPod[] {
  return pods.filter(({ ready, terminating, worker }) => ready && !terminating && worker !== true);
}
