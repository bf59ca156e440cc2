import type { GpuSupply, GpuSupplyRead } from '../app/acting-ports.ts';
import type { ReadContext } from '../app/ports.ts';
import { type ContainerSpec, Node, Pod } from '../model/kubernetes.ts';
import { parseQuantity } from '../model/quantity.ts';
import type { KubeHttp } from './api/http.ts';
import { isCut, itemsOf } from './api/objects.ts';
import { requestFor } from './api/resource.ts';

// Devices and slices; shares of their memory are no count of them.
const DEVICE = /^(?:nvidia\.com\/(?:gpu|pgpu|mig-[\w.-]+)|amd\.com\/gpu|habana\.ai\/gaudi)$/;
const LIMIT = 500;

/** GPUs that nobody has asked for, by nodes and pods of the whole cluster. Never throws. */
export function createGpuSupply(http: KubeHttp): GpuSupply {
  return {
    async read(context) {
      const [nodes, pods] = await Promise.all([list(http, 'nodes', context), list(http, 'pods', context)]);
      const unread = [nodes, pods].flatMap((one) => ('why' in one ? [one.why] : []));
      if ('why' in nodes || 'why' in pods) return { kind: 'unknown', why: unread.join('; ') };
      return count(nodes.items, pods.items);
    },
  };
}

type Listed = { readonly items: readonly unknown[] } | { readonly why: string };

async function list(http: KubeHttp, resource: 'nodes' | 'pods', context: ReadContext): Promise<Listed> {
  const what = resource === 'pods' ? 'pods of all namespaces' : 'nodes';
  const asked = requestFor('list', { resource, namespace: undefined });
  try {
    const answer = await http.getJson({ ...asked, query: { limit: LIMIT } }, context);
    if (answer.kind !== 'ok') return { why: `${what}: ${answer.failure.detail}` };
    return isCut(answer.body) ? { why: `${what}: there are more than ${LIMIT}` } : { items: itemsOf(answer.body) };
  } catch {
    return { why: `${what}: the API server was not reached` };
  }
}

function count(nodeItems: readonly unknown[], podItems: readonly unknown[]): GpuSupplyRead {
  const live = podItems.flatMap((item): Pod[] => {
    const pod = Pod.safeParse(item).data;
    return pod === undefined || hasEnded(pod.status?.phase) ? [] : [pod];
  });
  const free = nodeItems.flatMap((item) => {
    const { metadata, spec, status } = Node.safeParse(item).data ?? {};
    const has = devicesIn(status?.allocatable);
    if (has === 0) return [];
    const mine = live.filter((pod) => pod.spec?.nodeName !== undefined && pod.spec.nodeName === metadata?.name);
    const taken = mine.reduce((sum, pod) => sum + wantedBy(pod), 0);
    return [isClosed(spec) ? 0 : Math.max(0, has - taken)];
  });
  const waiting = live.filter((pod) => (pod.spec?.nodeName ?? '') === '' && wantedBy(pod) > 0).length;
  return { kind: 'read', free, waiting };
}

function hasEnded(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

function isClosed(spec: unknown): boolean {
  return typeof spec === 'object' && spec !== null && 'unschedulable' in spec && spec.unschedulable === true;
}

function wantedBy({ spec }: Pod): number {
  return (spec?.containers ?? []).reduce((sum, container) => sum + wantedIn(container), 0);
}

function wantedIn({ resources }: ContainerSpec): number {
  return devicesIn({ ...resources?.requests, ...resources?.limits });
}

function devicesIn(amounts: Readonly<Record<string, unknown>> | undefined): number {
  return Object.entries(amounts ?? {})
    .filter(([name]) => DEVICE.test(name))
    .reduce((sum, [, amount]) => sum + (parseQuantity(String(amount)) ?? 0), 0);
}
