import { onTestFinished } from 'vitest';
import type { Clock, Cluster, ClusterEvidence, PodQuery, PodTarget, ReadContext } from '../../src/app/ports.ts';
import type { KubeHttp } from '../../src/kubernetes/api/http.ts';
import { createKubeHttp } from '../../src/kubernetes/api/http.ts';
import { createSession } from '../../src/kubernetes/api/session.ts';
import { createCluster } from '../../src/kubernetes/connect-cluster.ts';
import type { CauseFinder } from '../../src/model/log-reading.ts';
import { createCauseFinder } from '../../src/read/log/cause-finder.ts';
import {
  type ApiServerOptions,
  type ApiServerStandin,
  createApiServerStandin,
} from '../../src/standins/api-server/create-api-server-standin.ts';
import type { ApiWorld, ContainerLog } from '../../src/standins/api-server/objects/world.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { compiled } from '../read/log/scan-text.ts';
import { plainCredentials } from './plain-credentials.ts';

/** The system's time, with sleeps that are noted and end at once. */
export function createHastyClock(): Clock & { readonly slept: readonly number[] } {
  const system = createSystemClock();
  const slept: number[] = [];
  return {
    now: system.now,
    monotonic: system.monotonic,
    breathe: system.breathe,
    limit: system.limit,
    slept,
    async sleep(ms, signal) {
      slept.push(ms);
      signal?.throwIfAborted();
    },
  };
}

export type Edge = {
  readonly cluster: Cluster;
  readonly http: KubeHttp;
  readonly standin: ApiServerStandin;
  readonly clock: ReturnType<typeof createHastyClock>;
};

export type EdgeOptions = ApiServerOptions & { readonly namespaces?: readonly string[]; readonly timeoutMs?: number };

/** The real edge against the stand-in. */
export async function openEdge(world: ApiWorld, options: EdgeOptions = {}): Promise<Edge & { close(): Promise<void> }> {
  const { namespaces = ['*'], timeoutMs, ...serving } = options;
  const standin = await createApiServerStandin(world, serving);
  const clock = createHastyClock();
  const session = createSession(async () => plainCredentials(standin.url), clock);
  const http = createKubeHttp({ session, clock, random: () => 0.5, ...(timeoutMs && { timeoutMs }) });
  const close = async () => {
    await standin.close();
    await http.close();
  };
  return { cluster: createCluster({ name: 'prod', namespaces, http, clock }), http, standin, clock, close };
}

/** The same, closed with the test. */
export async function anEdge(world: ApiWorld, options: EdgeOptions = {}): Promise<Edge> {
  const edge = await openEdge(world, options);
  onTestFinished(edge.close);
  return edge;
}

export const scanner = (): CauseFinder => createCauseFinder(compiled);

export function aQuery(pod: string, over: Partial<PodQuery> = {}): PodQuery {
  return { cluster: undefined, namespace: 'llm', pod, container: undefined, ...over };
}

export async function findPod(
  { cluster }: Pick<Edge, 'cluster'>,
  pod: string,
  over: Partial<PodQuery> = {},
): Promise<PodTarget> {
  const found = await cluster.resolve(aQuery(pod, over), aReadContext());
  if (found.kind !== 'found') throw new Error(`not found, but ${found.kind}`);
  return found.target;
}

/** Finds the pod and reads its evidence. */
export async function collectPod(
  edge: Pick<Edge, 'cluster'>,
  pod: string,
  { context = aReadContext(), ...over }: Partial<PodQuery> & { context?: ReadContext } = {},
): Promise<ClusterEvidence> {
  return edge.cluster.collect(await findPod(edge, pod, over), context, { scanner });
}

/** What could not be read, and why. */
export const gap = (item: string, reason: string, detail: string) => ({ item, reason, detail });

/** A log of the engine of a pod, of the instance that died unless told. */
export function aLog(pod: string, over: Partial<ContainerLog> = {}): ContainerLog {
  return { namespace: 'llm', pod, container: 'vllm', instance: 'previous', lines: [], ...over };
}

/** A file of the evidence as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign objects
export function fileOf(evidence: ClusterEvidence, name: string): any {
  const text = evidence.files[name];
  if (text === undefined) throw new Error(`no ${name}, but ${Object.keys(evidence.files).join(', ')}`);
  return JSON.parse(text);
}
