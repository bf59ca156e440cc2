import { valueAt } from '../../../model/json-patch.ts';
import type { KubeObject } from '../objects/world.ts';
import type { Storage } from '../write/storage.ts';

/** What operators do to the workloads of their own objects, once such an object has changed. */
export function followOperators(storage: Storage, after: KubeObject): void {
  if (after.kind === 'Workspace') copyConfig(storage, after);
  if (after.kind === 'ScaledObject') holdCount(storage, after);
}

// A KAITO Workspace hands the name of its configuration to the StatefulSet of its name, which rolls for it.
function copyConfig(storage: Storage, workspace: KubeObject): void {
  const set = findSibling(storage, workspace, { kind: 'StatefulSet', name: workspace.metadata.name });
  const template = valueAt(set, '/spec/template') as { metadata?: { annotations?: object } } | undefined;
  if (set === undefined || template === undefined) return;
  const config = valueAt(workspace, '/inference/config');
  const annotations = { ...template.metadata?.annotations, 'kaito.sh/config': config };
  const spec = { ...(set.spec as object), template: { ...template, metadata: { ...template.metadata, annotations } } };
  storage.save(set, { ...set, spec }, { manager: 'workspace' });
}

// While KEDA is paused at a number it scales to that number itself; let go, it sees to its minimum, the rest is its HPA's.
function holdCount(storage: Storage, scaled: KubeObject): void {
  const at = (key: string): unknown => valueAt(scaled, `/spec/${key}`);
  const kind = at('scaleTargetRef/kind') ?? 'Deployment';
  const target = findSibling(storage, scaled, { kind, name: at('scaleTargetRef/name') });
  if (target === undefined) return;
  const paused = valueAt(scaled, '/metadata/annotations/autoscaling.keda.sh~1paused-replicas');
  const now = Number(valueAt(target, '/spec/replicas') ?? 1);
  const replicas = paused === undefined ? Math.max(now, Number(at('minReplicaCount') ?? 0)) : Number(paused);
  const spec = { ...(target.spec as object), replicas };
  storage.save(target, { ...target, spec }, { manager: 'keda-operator' });
}

function findSibling(
  { world }: Storage,
  { metadata: { namespace } }: KubeObject,
  { kind, name }: { readonly kind: unknown; readonly name: unknown },
): KubeObject | undefined {
  return world.objects.find(
    (one) => one.kind === kind && one.metadata.name === name && one.metadata.namespace === namespace,
  );
}
