import { z } from 'zod';
import type { RequestPools } from '../app/incident-ports.ts';
import type { ReadContext } from '../app/ports.ts';
import { toOomError } from '../model/errors.ts';
import type { Read, RequestPool } from '../model/handover.ts';
import type { KubeHttp } from './api/http.ts';
import { itemsOf } from './api/objects.ts';
import { requestFor } from './api/resource.ts';

// kubernetes-sigs/gateway-api-inference-extension api/v1 (selector.matchLabels), apix/v1alpha2 (selector is the labels).
const POOLS = [
  { apiVersion: 'inference.networking.k8s.io/v1', resource: 'inferencepools' },
  { apiVersion: 'inference.networking.x-k8s.io/v1alpha2', resource: 'inferencepools' },
] as const;
const ROUTES = { apiVersion: 'gateway.networking.k8s.io/v1', resource: 'httproutes' } as const;
const LIMIT = 200;
const NO_POOL: Read<RequestPool | undefined> = { kind: 'read', value: undefined };

const Labels = z.record(z.string(), z.string());
const Pool = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({ selector: z.union([z.looseObject({ matchLabels: Labels }), Labels]) }),
});
const Route = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    rules: z
      .array(
        z.looseObject({
          backendRefs: z.array(z.looseObject({ kind: z.string().default('Service'), name: z.string() })).default([]),
        }),
      )
      .default([]),
  }),
});

/** The pools of the Gateway API inference extension, by at most three lists of one namespace. */
export function createRequestPools(http: KubeHttp): RequestPools {
  return {
    async read({ namespace, labels }, context) {
      try {
        return await readPools(http, { namespace, labels }, context);
      } catch (error) {
        return { kind: 'unknown', why: toOomError(error).message };
      }
    },
  };
}

async function readPools(
  http: KubeHttp,
  { namespace, labels }: Parameters<RequestPools['read']>[0],
  context: ReadContext,
): Promise<Read<RequestPool | undefined>> {
  const lists = await Promise.all([...POOLS, ROUTES].map((one) => listOf(http, { ...one, namespace }, context)));
  const [pools, older, routes] = lists;
  const unread = lists.find((list) => 'why' in list);
  if (pools === undefined || older === undefined || routes === undefined) return NO_POOL;
  if (unread !== undefined && 'why' in unread) return { kind: 'unknown', why: unread.why };
  const all = [pools, older].flatMap((list) => ('items' in list ? list.items : []));
  const own = all.flatMap((item) => {
    const pool = Pool.safeParse(item).data;
    return pool !== undefined && selects(pool.spec.selector, labels) ? [pool.metadata.name] : [];
  })[0];
  if (own === undefined) return NO_POOL;
  const route = ('items' in routes ? routes.items : [])
    .flatMap((item) => Route.safeParse(item).data ?? [])
    .map(({ metadata, spec }) => ({ name: metadata.name, pools: poolsBehind(spec) }))
    .find((one) => one.pools.includes(own));
  const others = (route?.pools ?? []).filter((name) => name !== own);
  return { kind: 'read', value: { pool: own, route: route?.name, others } };
}

function selects(selector: z.infer<typeof Pool>['spec']['selector'], labels: Readonly<Record<string, string>>) {
  const nested = Labels.safeParse(selector.matchLabels);
  const wanted = Object.entries(nested.success ? nested.data : selector);
  return wanted.length > 0 && wanted.every(([name, value]) => labels[name] === value);
}

function poolsBehind({ rules }: z.infer<typeof Route>['spec']): string[] {
  const refs = rules.flatMap(({ backendRefs }) => backendRefs);
  return [...new Set(refs.filter(({ kind }) => kind === 'InferencePool').map(({ name }) => name))];
}

type Asked = { readonly apiVersion: string; readonly resource: string; readonly namespace: string };
type Listed = { readonly items: readonly unknown[] } | { readonly why: string };

async function listOf(http: KubeHttp, asked: Asked, context: ReadContext): Promise<Listed> {
  const answer = await http.getJson({ ...requestFor('list', asked), query: { limit: LIMIT } }, context);
  if (answer.kind === 'ok') return { items: itemsOf(answer.body) };
  // A cluster without the extension has no such kind.
  return answer.failure.status === 404 ? { items: [] } : { why: answer.failure.detail };
}
