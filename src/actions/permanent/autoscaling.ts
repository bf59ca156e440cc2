import { stringify } from 'yaml';
import { z } from 'zod';
import { type MetricSeries, seriesOf } from '../../model/metric-table.ts';

type Engine = { readonly name: string; readonly version: string | null };
/** An autoscaler that scales on the load of the engine, as a merge patch; `needs` is what it takes besides. */
export type AutoscalingPatch = { readonly name: string; readonly yaml: string; readonly needs: readonly string[] };

const Labelled = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().default('default'),
    labels: z.record(z.string(), z.string()).optional(),
  }),
});

const OF_KEDA = 'scaledobject.keda.sh/name';

/** Waiting requests per replica to start with; a load test sets the value. */
const WAITING = '5';

/** What scales on CPU or RAM alone scales on the engine's waiting requests: the HPA, or the ScaledObject that owns it. Undefined where the engine exports no queue, or no autoscaler is known. */
export function autoscalingPatch(
  hpas: readonly unknown[],
  scaledObjects: readonly unknown[],
  { name, version }: Engine,
): AutoscalingPatch | undefined {
  const [waiting] = seriesOf('requests.waiting', name, version ?? undefined);
  const [scaled] = metadataOf(scaledObjects);
  const [hpa] = metadataOf(hpas);
  const namespace = scaled?.namespace ?? hpa?.namespace;
  if (waiting === undefined || namespace === undefined) return undefined;
  const ofKeda = scaled?.name ?? hpa?.labels?.[OF_KEDA];
  const [used] = seriesOf('kv-cache.used-share', name, version ?? undefined);
  const tune = [
    `${WAITING} waiting requests per replica is a starting point: set it by load test.`,
    ...(used === undefined ? [] : [`KV cache use works too: ${used.name} above 0.8.`]),
  ];
  if (ofKeda !== undefined) return kedaPatch({ name: ofKeda, namespace }, waiting, tune);
  return hpa && hpaPatch({ name: hpa.name, namespace }, waiting, tune);
}

function metadataOf(objects: readonly unknown[]) {
  return objects.flatMap((one) => Labelled.safeParse(one).data?.metadata ?? []);
}

type Ref = { readonly name: string; readonly namespace: string };

function kedaPatch(metadata: Ref, { name, where }: MetricSeries, tune: readonly string[]): AutoscalingPatch {
  const labels = Object.entries({ ...where, namespace: metadata.namespace });
  const query = `sum(${name}{${labels.map(([label, text]) => `${label}="${text}"`).join(',')}})`;
  const trigger = { type: 'prometheus', metadata: { serverAddress: 'PROMETHEUS_URL', query, threshold: WAITING } };
  const doc = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata, spec: { triggers: [trigger] } };
  return {
    name: `ScaledObject/${metadata.name}`,
    yaml: stringify(doc, { lineWidth: 0 }),
    needs: ['Replace PROMETHEUS_URL by the address of your Prometheus.', ...tune],
  };
}

function hpaPatch(metadata: Ref, { name: exported, where }: MetricSeries, tune: readonly string[]): AutoscalingPatch {
  const name = exported.replaceAll(':', '_');
  const metric = { name, ...(Object.keys(where).length > 0 && { selector: { matchLabels: where } }) };
  const pods = { metric, target: { type: 'AverageValue', averageValue: WAITING } };
  const spec = { metrics: [{ type: 'Pods', pods }] };
  const doc = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata, spec };
  return {
    name: `HorizontalPodAutoscaler/${metadata.name}`,
    yaml: stringify(doc, { lineWidth: 0 }),
    needs: [`The Prometheus adapter must export ${exported} as ${name}.`, ...tune],
  };
}
