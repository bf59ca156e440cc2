import type { PodState, WorkloadPods } from '../app/incident-ports.ts';
import type { Clock } from '../app/ports.ts';
import { toOomError } from '../model/errors.ts';
import type { KubeHttp } from './api/http.ts';
import { createLookUp } from './resolve/look-up.ts';
import { basesOf } from './resolve/pod-name.ts';
import { isOver, isReady, type PodRow } from './resolve/pod-table.ts';
import { listPods } from './resolve/resolve-pod.ts';

/** The pods of a workload, by the list of its namespace: at most three calls. */
export function createWorkloadPods(http: KubeHttp, clock: Pick<Clock, 'now'>): WorkloadPods {
  return {
    async read({ namespace, workload, pod }, context) {
      try {
        const answer = await listPods(createLookUp(http, context), namespace);
        if (answer.kind === 'failed') return { kind: 'unknown', why: answer.failure.detail };
        if (answer.value.next !== undefined) return { kind: 'unknown', why: 'the namespace has too many pods' };
        // The top owner may not be what names the pods: an InferenceService makes a Deployment of another name.
        const names = new Set([workload.slice(workload.indexOf('/') + 1), ...basesOf(pod)]);
        const own = answer.value.rows.filter((row) => row.name === pod || names.has(row.workload.name));
        return { kind: 'read', pods: own.filter((row) => !isOver(row)).map((row) => stateOf(row, clock.now())) };
      } catch (error) {
        return { kind: 'unknown', why: toOomError(error).message };
      }
    },
  };
}

function stateOf(row: PodRow, now: number): PodState {
  const { name, createdAt, restartedMs, restarts } = row;
  return {
    name,
    ready: isReady(row),
    // A row without its object tells its age alone.
    createdAt: createdAt < 0 ? now + createdAt : createdAt,
    restartedAt: restartedMs === undefined ? undefined : now - restartedMs,
    restarts,
  };
}
