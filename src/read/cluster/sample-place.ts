import { canonicalOf } from '../../model/metric-table.ts';

type Labels = Readonly<Record<string, string>>;

/** Whose a metric is by its labels; what it does not say is undefined. */
export type SamplePlace = {
  readonly of: 'container' | 'init' | 'gpu' | 'node' | 'engine' | 'other';
  readonly namespace: string | undefined;
  readonly pod: string | undefined;
  /** Of the object: a pod that was recreated under its name has another. */
  readonly uid: string | undefined;
  readonly container: string | undefined;
  /** The server that was scraped and the model it serves, where that is all that tells replicas apart. */
  readonly replica: string;
  readonly model: string | undefined;
};

/**
 * Where a metric belongs. Prometheus keeps the labels of the exported target under `exported_`, where its own say which
 * exporter that was (docs/prometheus/configuration, honor_labels); cAdvisor before Kubernetes 1.16
 * has `pod_name`, and with Docker also `name` for a container.
 */
export function placeOf(name: string, labels: Labels): SamplePlace {
  const of = kindOf(name);
  const own = of === 'node' || isOfExporter(of, labels) ? {} : ownLabels(labels);
  return {
    of,
    namespace: own.namespace,
    pod: own.pod,
    // An exporter that reports nodes or its own servers has another object's labels; what bears no name is a line of the kubelet.
    uid: of === 'container' || of === 'init' || name === '' ? labels.uid : undefined,
    container: own.container,
    replica: labels.instance ?? '',
    model: labels.model_name,
  };
}

type Own = { readonly namespace?: string; readonly pod?: string; readonly container?: string };

function ownLabels(labels: Labels): { [K in keyof Own]: Own[K] | undefined } {
  const isExported = labels.exported_pod !== undefined || labels.exported_container !== undefined;
  if (isExported) {
    const { exported_namespace: namespace, exported_pod: pod, exported_container: container } = labels;
    return { namespace, pod, container };
  }
  return {
    namespace: labels.namespace,
    pod: labels.pod ?? labels.pod_name ?? labels.kubernetes_pod_name,
    container: labels.container ?? labels.container_name ?? (labels.id === undefined ? undefined : labels.name),
  };
}

function kindOf(name: string): SamplePlace['of'] {
  if (/^kube_pod_init_container_/.test(name)) return 'init';
  if (/^(?:kube_pod_|container_)/.test(name)) return 'container';
  if (/^DCGM_/.test(name)) return 'gpu';
  if (/^(?:node_|kube_node_)/.test(name)) return 'node';
  const engines = canonicalOf(name).map(({ series }) => series.engine);
  return engines.length > 0 && name.includes(':') ? 'engine' : 'other';
}

const EXPORTER = /dcgm|exporter|kube-state-metrics|prometheus|otel|collector|telegraf|vmagent/i;

// A GPU that no pod holds has only the labels of its exporter.
function isOfExporter(of: SamplePlace['of'], labels: Labels): boolean {
  if (of === 'container' || of === 'init' || labels.exported_pod !== undefined) return false;
  return EXPORTER.test(labels.pod ?? '') || EXPORTER.test(labels.container ?? '');
}

/** Whether it is of a whole pod, of its sandbox or of the node: cAdvisor has the sum of a group next to its members. */
export function isOfGroup(name: string, labels: Labels): boolean {
  if (!name.startsWith('container_')) return false;
  const container = labels.container ?? labels.container_name;
  const isNamed = container !== undefined || labels.name !== undefined;
  return container === '' || container === 'POD' || (!isNamed && labels.id !== undefined);
}
