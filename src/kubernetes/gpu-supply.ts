import { z } from 'zod';
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

// Drivers of dynamic resource allocation name themselves after what they allocate: gpu.nvidia.com, gpu.intel.com, tpu.google.com.
const DRIVER = /gpu|tpu|gaudi/i;

/** GPUs that nobody has asked for, by nodes and pods of the whole cluster, and by resource slices and claims where there are any. Never throws. */
export function createGpuSupply(http: KubeHttp): GpuSupply {
  return {
    async read(context) {
      const lists = LISTED.map((one) => list(http, one, context));
      const [nodes, pods, slices, claims] = await Promise.all(lists as [Listing, Listing, Listing, Listing]);
      const unread = [nodes, pods].flatMap((one) => ('why' in one ? [one.why] : []));
      if ('why' in nodes || 'why' in pods) return { kind: 'unknown', why: unread.join('; ') };
      const live = livePods(pods.items);
      if ('why' in slices || 'why' in claims) {
        // Who uses no claims may have neither the kinds nor the right to list them.
        const why = [slices, claims].flatMap((one) => ('why' in one ? [one.why] : [])).join('; ');
        return live.some((pod) => claimsOf(pod) > 0) ? { kind: 'unknown', why } : count(nodes.items, live, new Map());
      }
      return count(nodes.items, live, freeByClaims(slices.items, claims.items));
    },
  };
}

const DRA = 'resource.k8s.io/v1';
const LISTED = [
  { resource: 'nodes', what: 'nodes' },
  { resource: 'pods', what: 'pods of all namespaces' },
  { apiVersion: DRA, resource: 'resourceslices', what: 'resource slices' },
  { apiVersion: DRA, resource: 'resourceclaims', what: 'resource claims of all namespaces' },
] as const;

type Listed = { readonly items: readonly unknown[] } | { readonly why: string };
type Listing = Promise<Listed>;

async function list(http: KubeHttp, { what, ...asked }: (typeof LISTED)[number], context: ReadContext): Listing {
  const request = requestFor('list', { ...asked, namespace: undefined });
  try {
    const answer = await http.getJson({ ...request, query: { limit: LIMIT } }, context);
    if (answer.kind !== 'ok') return { why: `${what}: ${answer.failure.detail}` };
    return isCut(answer.body) ? { why: `more than ${LIMIT} ${what}` } : { items: itemsOf(answer.body) };
  } catch {
    return { why: `${what}: the API server was not reached` };
  }
}

function livePods(items: readonly unknown[]): readonly Pod[] {
  return items.flatMap((item): Pod[] => {
    const pod = Pod.safeParse(item).data;
    return pod === undefined || hasEnded(pod.status?.phase) ? [] : [pod];
  });
}

/** `byClaims` holds the free devices of each node whose devices are claimed; there the node's own account has none. */
function count(
  nodeItems: readonly unknown[],
  live: readonly Pod[],
  byClaims: ReadonlyMap<string, number>,
): GpuSupplyRead {
  const free = nodeItems.flatMap((item) => {
    const { metadata, spec, status } = Node.safeParse(item).data ?? {};
    const has = devicesIn(status?.allocatable);
    const claimable = byClaims.get(metadata?.name ?? '');
    if (has === 0 && claimable === undefined) return [];
    const mine = live.filter((pod) => pod.spec?.nodeName !== undefined && pod.spec.nodeName === metadata?.name);
    const taken = mine.reduce((sum, pod) => sum + wantedBy(pod), 0);
    return [isClosed(spec) ? 0 : has === 0 ? (claimable ?? 0) : Math.max(0, has - taken)];
  });
  const waits = (pod: Pod) => (pod.spec?.nodeName ?? '') === '' && wantedBy(pod) + claimsOf(pod) > 0;
  return { kind: 'read', free, waiting: live.filter(waits).length };
}

const Slice = z.looseObject({
  spec: z.looseObject({
    driver: z.string(),
    nodeName: z.string(),
    pool: z.looseObject({ name: z.string() }),
    devices: z.array(z.looseObject({ name: z.string() })).default([]),
  }),
});
const Device = z.looseObject({ driver: z.string(), pool: z.string(), device: z.string() });
const Claim = z.looseObject({
  status: z.looseObject({ allocation: z.looseObject({ devices: z.looseObject({ results: z.array(Device) }) }) }),
});

function freeByClaims(slices: readonly unknown[], claims: readonly unknown[]): ReadonlyMap<string, number> {
  const taken = new Set(
    claims
      .flatMap((item) => Claim.safeParse(item).data?.status.allocation.devices.results ?? [])
      .map(({ driver, pool, device }) => `${driver}/${pool}/${device}`),
  );
  const free = new Map<string, number>();
  for (const item of slices) {
    const { spec } = Slice.safeParse(item).data ?? {};
    if (spec === undefined || !DRIVER.test(spec.driver)) continue;
    const open = spec.devices.filter(({ name }) => !taken.has(`${spec.driver}/${spec.pool.name}/${name}`));
    free.set(spec.nodeName, (free.get(spec.nodeName) ?? 0) + open.length);
  }
  return free;
}

function claimsOf({ spec }: Pod): number {
  const names = (spec?.containers ?? []).flatMap(({ resources }) => resources?.claims?.map(({ name }) => name) ?? []);
  return new Set(names).size;
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
