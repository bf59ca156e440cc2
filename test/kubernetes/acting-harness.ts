import { onTestFinished } from 'vitest';
import { createActingCluster } from '../../src/kubernetes/acting/acting-cluster.ts';
import type { Material } from '../../src/kubernetes/api/credentials.ts';
import { createSession } from '../../src/kubernetes/api/session.ts';
import {
  type ApiServerOptions,
  type ApiServerStandin,
  createApiServerStandin,
} from '../../src/standins/api-server/create-api-server-standin.ts';
import type { ApiWorld } from '../../src/standins/api-server/objects/world.ts';
import { createHastyClock } from './harness.ts';
import { plainCredentials } from './plain-credentials.ts';

export type ActingEdge = Awaited<ReturnType<typeof openActingEdge>>;

type Options = ApiServerOptions & {
  readonly impersonate?: string;
  readonly timeoutMs?: number;
  readonly material?: Partial<Material>;
};

/** The acting edge against the stand-in. */
export async function openActingEdge(world: ApiWorld, { impersonate, timeoutMs, material, ...serving }: Options = {}) {
  const standin: ApiServerStandin = await createApiServerStandin(world, serving);
  const clock = createHastyClock();
  const session = createSession(async () => plainCredentials(standin.url, material), clock);
  const cluster = createActingCluster({
    clusterName: 'prod',
    session,
    clock,
    impersonate,
    timeoutMs,
  });
  return {
    cluster,
    standin,
    session,
    clock,
    async close() {
      await standin.close();
      await session.close();
    },
  };
}

/** The same, closed with the test. */
export async function anActingEdge(world: ApiWorld, options: Options = {}): Promise<ActingEdge> {
  const edge = await openActingEdge(world, options);
  onTestFinished(() => edge.close());
  return edge;
}
