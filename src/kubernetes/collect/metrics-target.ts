import type { MetricsTarget, PodTarget } from '../../app/ports.ts';
import type { Pod } from '../../model/kubernetes.ts';
import type { LogPlans } from '../logs/plan-logs.ts';

/** What the metrics edge needs to find the series of a pod. */
export function metricsTargetOf(
  target: PodTarget,
  pod: Pod | undefined,
  { container, diedAt }: Pick<LogPlans, 'container' | 'diedAt'>,
): MetricsTarget {
  const specs = [...(pod?.spec?.containers ?? []), ...(pod?.spec?.initContainers ?? [])];
  const spec = specs.find(({ name }) => name === container);
  return {
    cluster: target.cluster,
    namespace: target.namespace,
    pod: target.pod,
    container,
    node: pod?.spec?.nodeName ?? null,
    podIP: pod?.status?.podIP ?? null,
    ports: (spec?.ports ?? []).flatMap(({ containerPort }) => (containerPort === undefined ? [] : [containerPort])),
    image: spec?.image ?? null,
    diedAt,
  };
}
