import { stringify } from 'yaml';
import { z } from 'zod';
import { seriesNames, seriesOf } from '../../model/metric-table.ts';
import { readHead } from '../owners/read-object.ts';

type Engine = { readonly name: string; readonly version: string | null };
/** An autoscaler that scales on waiting requests, as a merge patch; `needs` is what it takes besides. */
export type AutoscalingPatch = { readonly name: string; readonly yaml: string; readonly needs: string };

const Labelled = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().default('default'),
    labels: z.record(z.string(), z.string()).optional(),
  }),
});

/** Where to start: a queue of five per replica. A load test sets the value. */
const WAITING = '5';
const OF_KEDA = 'scaledobject.keda.sh/name';

/** What scales on CPU or RAM alone scales on the engine's waiting requests: the HPA, or the ScaledObject that owns it. Undefined where the engine exports none. */
export function autoscalingPatch(
  hpas: readonly unknown[],
  scaledObjects: readonly unknown[],
  engine: Engine,
): AutoscalingPatch | undefined {
  const version = engine.version ?? undefined;
  const [series] = seriesOf('requests.waiting', engine.name, version);
  const name = seriesNames('requests.waiting', engine.name, version)[0];
  if (series === undefined || name === undefined) return undefined;
  const scaled = scaledObjects.flatMap((one) => Labelled.safeParse(one).data?.metadata ?? [])[0];
  const hpa = hpas.flatMap((one) => Labelled.safeParse(one).data?.metadata ?? [])[0];
  const ofKeda = scaled?.name ?? hpa?.labels?.[OF_KEDA];
  const namespace = scaled?.namespace ?? hpa?.namespace;
  if (namespace === undefined) return undefined;
  const selector = { ...series.where, namespace };
  if (ofKeda !== undefined) return kedaPatch({ name: ofKeda, namespace }, `sum(${name}{${labelsOf(selector)}})`);
  return hpa && hpaPatch({ name: hpa.name, namespace, apiVersion: apiVersionOf(hpas[0]) }, name, series.where);
}

function apiVersionOf(hpa: unknown): string {
  return readHead(hpa)?.ref.apiVersion ?? 'autoscaling/v2';
}

function labelsOf(where: Readonly<Record<string, string>>): string {
  return Object.entries(where)
    .map(([label, value]) => `${label}="${value}"`)
    .join(',');
}

function kedaPatch(metadata: { name: string; namespace: string }, query: string): AutoscalingPatch {
  const trigger = { type: 'prometheus', metadata: { serverAddress: 'PROMETHEUS_URL', query, threshold: WAITING } };
  const doc = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata, spec: { triggers: [trigger] } };
  return {
    name: `ScaledObject/${metadata.name}`,
    yaml: stringify(doc, { lineWidth: 0 }),
    needs: 'Replace PROMETHEUS_URL by the address of your Prometheus.',
  };
}

type HpaRef = { readonly name: string; readonly namespace: string; readonly apiVersion: string };

function hpaPatch(
  { name, namespace, apiVersion }: HpaRef,
  series: string,
  where: Readonly<Record<string, string>>,
): AutoscalingPatch {
  const metric = {
    name: series.replaceAll(':', '_'),
    ...(Object.keys(where).length > 0 && { selector: { matchLabels: where } }),
  };
  const pods = { metric, target: { type: 'AverageValue', averageValue: WAITING } };
  const doc = {
    apiVersion: apiVersion.startsWith('autoscaling/') ? 'autoscaling/v2' : apiVersion,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, namespace },
    spec: { metrics: [{ type: 'Pods', pods }] },
  };
  return {
    name: `HorizontalPodAutoscaler/${name}`,
    yaml: stringify(doc, { lineWidth: 0 }),
    needs: `The Prometheus adapter must export ${series} as ${metric.name}.`,
  };
}
