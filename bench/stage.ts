import { aDeployment, aPod } from '../src/standins/api-server/objects/builders.ts';
import { type ApiWorld, putObject } from '../src/standins/api-server/objects/world.ts';
import { SCENARIO_POD } from '../src/standins/scenarios/scenarios.ts';
import type { Stage } from '../test/whole/stage.ts';

export { addWorkloads, peopleOf, type Stage, setStage, startOn } from '../test/whole/stage.ts';

/** How long a call of the API server or of Prometheus takes where a bench wants a real network, in ms. */
export const SLOW_MS = 30;

/** From here on each call of the cluster and of Prometheus takes `ms`. */
export function slowDown({ api, prometheus }: Stage, ms: number): void {
  prometheus.behaviour.delayMs = ms;
  if (ms > 0) api.faults.on(/./, { kind: 'delay', ms });
}

/** Adds `count` healthy pods of another workload to the namespace. */
export function addOthers(world: ApiWorld, count: number): void {
  const { replicaSet } = aDeployment({ name: 'other', hash: '5f6d7c8b9d' });
  for (let i = 0; i < count; i++) {
    const name = `other-5f6d7c8b9d-${String(i).padStart(5, '0')}`;
    world.objects.push(aPod({ name, labels: { app: 'other' }, owner: replicaSet }));
  }
}

/** Adds `count` more pods of the scenario's workload that died in the same way; answers their names. */
export function addSiblings({ api: { world } }: Stage, count: number): readonly string[] {
  const pod = world.objects.find(({ kind }) => kind === 'Pod');
  if (pod === undefined) throw new Error('the world has no pod');
  const logs = world.logs.filter((log) => log.pod === SCENARIO_POD.pod);
  const names = Array.from({ length: count }, (_, i) => `vllm-server-7d8f6f9c6b-x${suffix(i)}`);
  for (const name of names) {
    putObject(world, { ...pod, metadata: { ...pod.metadata, name, uid: `uid-${name}` } });
    world.logs.push(...logs.map((log) => ({ ...log, pod: name })));
  }
  return names;
}

// Four of the letters of which Kubernetes makes names.
function suffix(i: number): string {
  return [1000, 100, 10, 1].map((n) => 'bcdfghjklm'[Math.floor(i / n) % 10]).join('');
}
