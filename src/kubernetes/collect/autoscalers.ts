import { valueAt } from '../../model/json-patch.ts';
import type { OwnerObject } from '../../model/kubernetes.ts';
import { strip } from '../api/objects.ts';
import { requestFor } from '../api/resource.ts';
import { selects } from '../api/selector.ts';
import type { Reads } from './reads.ts';

const LIMIT = 250;

/** The HorizontalPodAutoscalers that point at one of the owners, one call; undefined where they could not be read. */
export async function readHpas(
  reads: Reads,
  { namespace, owners }: { namespace: string; owners: readonly OwnerObject[] },
  after: number,
): Promise<readonly unknown[] | undefined> {
  const asked = { apiVersion: 'autoscaling/v2', resource: 'horizontalpodautoscalers', namespace };
  const request = { ...requestFor('list', asked), query: { limit: LIMIT } };
  const items = await reads.items('horizontal pod autoscalers', request, after);
  const targets = new Set(owners.map(({ kind, metadata }) => `${kind}/${metadata?.name}`));
  const targetOf = (item: unknown) =>
    `${valueAt(item, '/spec/scaleTargetRef/kind')}/${valueAt(item, '/spec/scaleTargetRef/name')}`;
  return items?.filter((item) => targets.has(targetOf(item))).map(strip);
}

/** The PodDisruptionBudgets that cover the pod, one call; undefined where they could not be read. */
export async function readPdbs(
  reads: Reads,
  { namespace, labels }: { namespace: string; labels: Readonly<Record<string, string>> },
  after: number,
): Promise<readonly unknown[] | undefined> {
  const asked = { apiVersion: 'policy/v1', resource: 'poddisruptionbudgets', namespace };
  const request = { ...requestFor('list', asked), query: { limit: LIMIT } };
  const items = await reads.items('pod disruption budgets', request, after);
  return items?.filter((item) => selects(valueAt(item, '/spec/selector'), labels)).map(strip);
}
