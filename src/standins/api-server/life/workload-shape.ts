import { valueAt } from '../../../model/json-patch.ts';
import type { KubeObject } from '../objects/world.ts';

/** What a workload asks for: how many pods of which template, and how they are replaced. */
export type Shape = {
  readonly replicas: number;
  readonly template: unknown;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  readonly how: 'rolling' | 'ordered';
  /** Pods of one replica; more than one in a LeaderWorkerSet. */
  readonly size: number;
};

export type PodSpec = {
  readonly containers: readonly ContainerSpec[];
  readonly nodeName?: string;
  readonly [field: string]: unknown;
};
type ContainerSpec = {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly [field: string]: unknown;
};

/** Undefined for what has no pods. */
export function shapeOf(object: KubeObject): Shape | undefined {
  switch (object.kind) {
    case 'Deployment':
    case 'Rollout':
      return plain(object, 'rolling');
    case 'StatefulSet':
      return plain(object, 'ordered');
    case 'LeaderWorkerSet':
      return groups(object);
    case 'InferenceService':
      return served(object);
    default:
      return undefined;
  }
}

function plain(object: KubeObject, how: Shape['how']): Shape | undefined {
  return made(object, { template: valueAt(object, '/spec/template'), how, size: 1 });
}

function groups(object: KubeObject): Shape | undefined {
  const at = (key: string): unknown => valueAt(object, `/spec/leaderWorkerTemplate/${key}`);
  const template = at('leaderTemplate') ?? at('workerTemplate');
  const shape = made(object, { template, how: 'ordered', size: Number(at('size') ?? 1) });
  const labels = { 'leaderworkerset.sigs.k8s.io/name': object.metadata.name };
  // A change of the workers alone makes new groups as well.
  return shape && { ...shape, template: [template, at('workerTemplate')], labels: { ...shape.labels, ...labels } };
}

function served(object: KubeObject): Shape | undefined {
  const predictor = valueAt(object, '/spec/predictor') as { model?: ContainerSpec; containers?: ContainerSpec[] };
  const { name } = object.metadata;
  const containers = predictor?.model ? [{ ...predictor.model, name: 'kserve-container' }] : predictor?.containers;
  const stopped = valueAt(object, '/metadata/annotations/serving.kserve.io~1stop') === 'true';
  const count = stopped ? 0 : (valueAt(object, '/spec/predictor/minReplicas') ?? 1);
  const template = { metadata: { labels: { 'serving.kserve.io/inferenceservice': name } }, spec: { containers } };
  return made(object, { template, how: 'rolling', size: 1, count });
}

type Parts = {
  readonly template: unknown;
  readonly how: Shape['how'];
  readonly size: number;
  readonly count?: unknown;
};

function made(object: KubeObject, { template, how, size, count }: Parts): Shape | undefined {
  const spec = valueAt(template, '/spec') as PodSpec | undefined;
  if (!Array.isArray(spec?.containers)) return undefined;
  const replicas = Number(count ?? valueAt(object, '/spec/replicas') ?? 1);
  const labels = (valueAt(template, '/metadata/labels') ?? {}) as Record<string, string>;
  return { replicas, template, labels, spec, how, size };
}

/** `25%` or a number, of `replicas`; a share is rounded as Kubernetes does it: surge up, unavailable down. */
export function amountOf(value: unknown, replicas: number, round: 'up' | 'down'): number {
  const text = String(value ?? '25%');
  if (!text.endsWith('%')) return Number(text);
  const share = (Number(text.slice(0, -1)) / 100) * replicas;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}
