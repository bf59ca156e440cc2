import { PodMetrics } from '../../model/kubernetes.ts';
import { parseQuantity } from '../../model/quantity.ts';
import type { Reads } from './reads.ts';

/** What metrics.k8s.io tells of the containers that run now, as lines of Prometheus text; undefined where it tells nothing. */
export async function readPodMetrics(
  reads: Reads,
  { namespace, pod }: { namespace: string; pod: string },
  after: number,
): Promise<string | undefined> {
  const read = await reads.json(
    'metrics.k8s.io',
    {
      path: `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}`,
      rule: { verb: 'get', group: 'metrics.k8s.io', resource: 'pods', namespace },
      tries: 1,
    },
    after,
  );
  if (read.kind === 'none') return undefined;
  const { containers = [], timestamp } = PodMetrics.parse(read.body ?? {});
  const at = Date.parse(timestamp ?? '');
  const lines = containers.flatMap(({ name, usage }) => {
    const bytes = parseQuantity(usage?.memory);
    if (name === undefined || bytes === undefined) return [];
    const labels = `namespace=${JSON.stringify(namespace)},pod=${JSON.stringify(pod)},container=${JSON.stringify(name)}`;
    return [`container_memory_working_set_bytes{${labels}} ${bytes}${Number.isNaN(at) ? '' : ` ${at}`}`];
  });
  return lines.length === 0 ? undefined : `# metrics.k8s.io: the containers that run now\n${lines.join('\n')}\n`;
}
