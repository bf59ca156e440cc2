import { valueAt } from '../../model/json-patch.ts';
import type { ObjectRef } from '../../model/plan.ts';
import { selectorText } from '../selector.ts';

// Kinds whose pods bear a label with the name of the workload.
const NAME_LABELS: Readonly<Record<string, string>> = {
  LeaderWorkerSet: 'leaderworkerset.sigs.k8s.io/name',
  InferenceService: 'serving.kserve.io/inferenceservice',
  LLMInferenceService: 'app.kubernetes.io/name',
  Workspace: 'kaito.sh/workspace',
  InferenceSet: 'inferenceset.kaito.sh/created-by',
  RayCluster: 'ray.io/cluster',
};

/** The label that the pods of this kind bear, as a selector; undefined where the object itself must tell. */
export function namedSelector({ kind, name }: Pick<ObjectRef, 'kind' | 'name'>): string | undefined {
  const label = NAME_LABELS[kind];
  return label === undefined ? undefined : `${label}=${name}`;
}

/** The selector that stands in a workload; undefined where there is none. */
export function ownSelector(object: unknown): string | undefined {
  const text = valueAt(object, '/status/selector');
  return (
    selectorText(valueAt(object, '/spec/selector')) ?? (typeof text === 'string' && text !== '' ? text : undefined)
  );
}
