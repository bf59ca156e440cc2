import { isGpuResource } from '../../model/gpu-resource.ts';
import { valueAt } from '../../model/json-patch.ts';
import { ContainerSpec } from '../../model/kubernetes.ts';
import { parseQuantity } from '../../model/quantity.ts';
import type { ContainerPlace } from './owner.ts';
import type { Place } from './read-object.ts';

/**
 * The engine's container below `spec`: by the name that the evidence has, else the only one, else the only one that asks
 * for a GPU. Undefined where none of these tells.
 */
export function findContainer(place: Place, spec: string, name: string | null): ContainerPlace | undefined {
  const list = valueAt(place.object, `${spec}/containers`);
  const all = Array.isArray(list) ? list.map((item) => ContainerSpec.safeParse(item).data) : [];
  const named = name === null ? -1 : all.findIndex((one) => one?.name === name);
  const gpu = all.flatMap((one, i) => (gpusOf(one) > 0 ? [i] : []));
  const index = named >= 0 ? named : name !== null ? -1 : all.length === 1 ? 0 : gpu.length === 1 ? (gpu[0] ?? -1) : -1;
  if (index < 0) return undefined;
  const path = `${spec}/containers/${index}`;
  return { ...place, path, value: valueAt(place.object, path), name: all[index]?.name ?? null, role: 'engine' };
}

/** Devices that a container asks for; a claim counts as one. */
export function gpusOf(container: unknown): number {
  const resources = ContainerSpec.safeParse(container).data?.resources;
  const limits = Object.entries({ ...resources?.requests, ...resources?.limits });
  const devices = limits.filter(([name]) => isGpuResource(name)).map(([, amount]) => parseQuantity(amount) ?? 0);
  return Math.max(...devices, resources?.claims?.length ?? 0, 0);
}

/** Whether a replica is only ready once the engine answers. */
export function hasReadinessProbe(container: unknown): boolean {
  return ContainerSpec.safeParse(container).data?.readinessProbe !== undefined;
}
