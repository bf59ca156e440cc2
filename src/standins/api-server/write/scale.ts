import { valueAt } from '../../../model/json-patch.ts';
import type { ApiPath } from '../objects/resources.ts';
import { type Answer, refuse } from '../objects/status.ts';
import type { KubeObject } from '../objects/world.ts';
import { keepObject } from './keep-object.ts';
import { invalid, undecodablePatch } from './refusals.ts';
import { type Patched, refused, type WriteAnswer, type WriteContext, type WriteRequest } from './write-request.ts';

/** autoscaling/v1 Scale of an object. */
export function scaleOf(object: KubeObject): unknown {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: valueAt(object, '/spec/replicas') ?? 0 },
    status: { replicas: valueAt(object, '/status/replicas') ?? 0, selector: selectorOf(object) },
  };
}

export function noSuchSubresource(): Answer {
  return refuse(404, 'NotFound', 'the server could not find the requested resource');
}

export function hasScale({ resource }: ApiPath): boolean {
  return resource.scales === true;
}

function selectorOf(object: KubeObject): string {
  if (object.kind === 'LeaderWorkerSet') return `leaderworkerset.sigs.k8s.io/name=${object.metadata.name}`;
  const labels = (valueAt(object, '/spec/selector/matchLabels') ?? {}) as Record<string, string>;
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** PATCH of `/scale`: only the count of the object behind it changes. */
export function patchScale(
  context: WriteContext,
  request: WriteRequest,
  { before, apply }: { readonly before: KubeObject; readonly apply: (scale: unknown) => Patched },
): WriteAnswer {
  if (!hasScale(request.path)) return refused(noSuchSubresource());
  const patched = apply(scaleOf(before));
  if (patched.kind === 'refused') return refused(patched.answer);
  const replicas = valueAt(patched.value, '/spec/replicas');
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    return refused(undecodablePatch(patched.value, 'json: cannot unmarshal into int32'));
  }
  if (replicas < 0) {
    const message = `Invalid value: ${replicas}: must be greater than or equal to 0`;
    return refused(invalid(request.path, [{ reason: 'FieldValueInvalid', message, field: 'spec.replicas' }], 'Scale'));
  }
  const after: KubeObject = { ...before, spec: { ...(before.spec as object), replicas } };
  return keepObject(context, request, { before, after, status: 200, show: scaleOf });
}
