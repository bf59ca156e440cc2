import { request } from 'undici';
import { describe, it } from 'vitest';
import { createActingCluster } from '../../src/kubernetes/acting/create-acting-cluster.ts';
import { loadCredentials } from '../../src/kubernetes/credentials.ts';
import { createSession } from '../../src/kubernetes/session.ts';
import { aWorld } from '../../src/standins/api-server/world.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { type ActingStage, actingClusterContract } from '../contracts/acting-cluster.ts';
import { createFakeActingCluster } from '../fakes/acting-cluster.ts';
import { openActingEdge } from './acting-harness.ts';

async function passTime(advance: (ms: number) => void, holds: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 120; n++) {
    if (await holds()) return;
    advance(1000);
  }
  throw new Error('it did not come to hold within two minutes of the cluster');
}

actingClusterContract('fake', async () => {
  const cluster = createFakeActingCluster(aWorld({}));
  return {
    cluster,
    namespace: 'llm',
    settle: (holds) => passTime(cluster.memory.advance, holds),
    close: async () => {},
  };
});

actingClusterContract('API server', async () => {
  const { cluster, standin, close } = await openActingEdge(aWorld({}));
  return { cluster, namespace: 'llm', settle: (holds) => passTime(standin.cluster.advance, holds), close };
});

const kubeconfig = process.env.OOM_TEST_KUBECONFIG;

if (kubeconfig === undefined) {
  describe('acting cluster: a real one', () => {
    it.skip('is tried only where OOM_TEST_KUBECONFIG names a kubeconfig');
  });
} else {
  actingClusterContract('a real one', () => stageOn(kubeconfig));
}

/** A fresh namespace in a real cluster, taken away at the end. */
async function stageOn(file: string): Promise<ActingStage> {
  const clock = createSystemClock();
  const session = createSession(() => loadCredentials({ kubeconfig: file }), clock);
  const namespace = `oombot-contract-${Math.random().toString(36).slice(2, 10)}`;
  const send = async (method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<void> => {
    const { server, headers, dispatcher } = await session.access('calls', AbortSignal.timeout(10_000));
    const answer = await request(`${server}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body ?? {}),
      dispatcher,
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  };
  await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  return {
    cluster: createActingCluster({ clusterName: 'real', session, clock }),
    namespace,
    async settle(holds) {
      for (let n = 0; n < 60; n++) {
        if (await holds()) return;
        await clock.sleep(500);
      }
      throw new Error('it did not come to hold within 30 s');
    },
    async close() {
      await send('DELETE', `/api/v1/namespaces/${namespace}`);
      await session.close();
    },
  };
}
