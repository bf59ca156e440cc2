import { valueAt } from '../../../model/json-patch.ts';
import type { KubeObject } from '../objects/world.ts';
import { amountOf, type Shape } from './workload-shape.ts';

/** The pods of a workload, those that are asked to go left out of the first two. */
export type PodsOf = {
  readonly fresh: readonly KubeObject[];
  readonly old: readonly KubeObject[];
  readonly leaving: readonly KubeObject[];
};

/** What a controller does next: pods to remove, and names of pods to make (null: any name). */
type NextPods = { readonly remove: readonly KubeObject[]; readonly make: readonly (string | null)[] };

export function isReady(pod: KubeObject): boolean {
  const conditions = valueAt(pod, '/status/conditions');
  const list = Array.isArray(conditions) ? conditions : [];
  return list.some((one) => one.type === 'Ready' && one.status === 'True');
}

/** The next step of a workload towards its shape. */
export function nextPods(object: KubeObject, shape: Shape, pods: PodsOf): NextPods {
  return shape.how === 'ordered' ? nextOrdered(object, shape, pods) : nextRolling(object, shape, pods);
}

const badFirst = (pods: readonly KubeObject[]): KubeObject[] =>
  pods.toSorted((a, b) => Number(isReady(a)) - Number(isReady(b)));

// As the Deployment controller: never more than replicas + surge, and of those that serve never fewer than replicas - unavailable.
function nextRolling(object: KubeObject, { replicas }: Shape, { fresh, old }: PodsOf): NextPods {
  const rolling = valueAt(object, '/spec/strategy/rollingUpdate') ?? valueAt(object, '/spec/strategy/canary');
  const surge = amountOf(valueAt(rolling, '/maxSurge'), replicas, 'up');
  const down = amountOf(valueAt(rolling, '/maxUnavailable'), replicas, 'down');
  const least = replicas - (surge === 0 && down === 0 ? 1 : down);
  const make = Math.min(replicas - fresh.length, replicas + surge - fresh.length - old.length);
  const tooMany = badFirst(fresh).slice(0, Math.max(0, fresh.length - replicas));
  if (replicas === 0) return { remove: [...old, ...fresh], make: [] };
  const unready = fresh.filter((pod) => !isReady(pod)).length;
  const spare = Math.max(0, fresh.length + old.length - least - unready);
  const broken = old.filter((pod) => !isReady(pod)).slice(0, spare);
  const serving = [...fresh, ...old].filter(isReady).length;
  const served = old.filter(isReady).slice(0, Math.max(0, serving - least));
  return { remove: [...tooMany, ...broken, ...served], make: anyNames(make) };
}

function anyNames(count: number): null[] {
  return Array.from({ length: Math.max(0, count) }, () => null);
}

// As StatefulSets and LeaderWorkerSets: by number, from the highest down, one at a time. Where order is kept, a pod that
// does not become ready holds up the update of all others.
function nextOrdered(object: KubeObject, { replicas, size }: Shape, { fresh, old, leaving }: PodsOf): NextPods {
  const { name } = object.metadata;
  const live = [...fresh, ...old];
  const number = (pod: KubeObject): number => Number(pod.metadata.name.slice(name.length + 1).split('-')[0]);
  const tooHigh = live.filter((pod) => number(pod) >= replicas);
  if (tooHigh.length > 0) return { remove: tooHigh, make: [] };
  const keepsOrder = object.kind === 'StatefulSet' && valueAt(object, '/spec/podManagementPolicy') !== 'Parallel';
  const taken = new Set([...live, ...leaving].map(({ metadata }) => metadata.name));
  const missing = Array.from({ length: replicas }, (_, i) => namesOf(name, i, size))
    .flat()
    .filter((one) => !taken.has(one));
  const allReady = live.every(isReady);
  if (missing.length > 0) return { remove: [], make: keepsOrder ? (allReady ? missing.slice(0, 1) : []) : missing };
  if (leaving.length > 0 || (keepsOrder && !allReady)) return { remove: [], make: [] };
  // Groups that serve are left alone until the one before is back.
  const held = Number(valueAt(object, PARTITIONS[object.kind] ?? '') ?? 0);
  const stale = old
    .filter((pod) => number(pod) >= held)
    .toSorted((a, b) => number(b) - number(a))
    .filter((pod) => allReady || !isReady(pod));
  const highest = stale[0];
  const remove = highest === undefined ? [] : live.filter((pod) => number(pod) === number(highest));
  return { remove, make: [] };
}

// Pods below this number keep their template.
const PARTITIONS: Readonly<Record<string, string>> = {
  StatefulSet: '/spec/updateStrategy/rollingUpdate/partition',
  LeaderWorkerSet: '/spec/rolloutStrategy/rollingUpdateConfiguration/partition',
};

function namesOf(name: string, index: number, size: number): string[] {
  const leader = `${name}-${index}`;
  return [leader, ...Array.from({ length: size - 1 }, (_, i) => `${leader}-${i + 1}`)];
}
