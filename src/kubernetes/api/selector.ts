import { z } from 'zod';
import { valueAt } from '../../model/json-patch.ts';
import type { ObjectRef } from '../../model/plan.ts';

const LabelSelector = z.looseObject({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z
    .array(z.looseObject({ key: z.string(), operator: z.string(), values: z.array(z.string()).default([]) }))
    .optional(),
});

/** A label selector as the query parameter `labelSelector` takes it; undefined where it is none, or selects by nothing. */
export function selectorText(selector: unknown): string | undefined {
  const parsed = LabelSelector.safeParse(selector);
  if (!parsed.success) return undefined;
  const { matchLabels = {}, matchExpressions = [] } = parsed.data;
  const terms = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values }) => term(key, operator, values)),
  ];
  return terms.length === 0 ? undefined : terms.join(',');
}

function term(key: string, operator: string, values: readonly string[]): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator === 'NotIn' ? 'notin' : 'in'} (${values.join(',')})`;
}

/** Whether a label selector covers these labels. One that cannot be read covers nothing; an empty one covers all. */
export function selects(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  const parsed = LabelSelector.safeParse(selector);
  if (!parsed.success) return false;
  const { matchLabels = {}, matchExpressions = [] } = parsed.data;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      const within = value !== undefined && values.includes(value);
      return operator === 'NotIn' ? !within : within;
    })
  );
}

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
