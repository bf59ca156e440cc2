import type { OwnerObject } from '../../model/kubernetes.ts';
import { selects } from '../selector.ts';
import type { Reads } from './reads.ts';
import { isObject, itemsOf, strip } from './strip.ts';

const LIMIT = 250;

/** The HorizontalPodAutoscalers that point at one of the owners, one call; undefined where they could not be read. */
export async function readHpas(
  reads: Reads,
  { namespace, owners }: { namespace: string; owners: readonly OwnerObject[] },
  after: number,
): Promise<readonly unknown[] | undefined> {
  const read = await reads.json(
    'horizontal pod autoscalers',
    {
      path: `/apis/autoscaling/v2/namespaces/${encodeURIComponent(namespace)}/horizontalpodautoscalers`,
      query: { limit: LIMIT },
      rule: { verb: 'list', group: 'autoscaling', resource: 'horizontalpodautoscalers', namespace },
    },
    after,
  );
  if (read.kind === 'none') return undefined;
  const targets = new Set(owners.map(({ kind, metadata }) => `${kind}/${metadata?.name}`));
  return itemsOf(read.body)
    .filter((item) => targets.has(targetOf(item)))
    .map(strip);
}

function targetOf(item: unknown): string {
  const spec = isObject(item) && isObject(item.spec) ? item.spec : {};
  const target = isObject(spec.scaleTargetRef) ? spec.scaleTargetRef : {};
  return `${target.kind}/${target.name}`;
}

/** The PodDisruptionBudgets that cover the pod, one call; undefined where they could not be read. */
export async function readPdbs(
  reads: Reads,
  { namespace, labels }: { namespace: string; labels: Readonly<Record<string, string>> },
  after: number,
): Promise<readonly unknown[] | undefined> {
  const read = await reads.json(
    'pod disruption budgets',
    {
      path: `/apis/policy/v1/namespaces/${encodeURIComponent(namespace)}/poddisruptionbudgets`,
      query: { limit: LIMIT },
      rule: { verb: 'list', group: 'policy', resource: 'poddisruptionbudgets', namespace },
    },
    after,
  );
  if (read.kind === 'none') return undefined;
  return itemsOf(read.body)
    .filter((item) => isObject(item) && isObject(item.spec) && selects(item.spec.selector, labels))
    .map(strip);
}
