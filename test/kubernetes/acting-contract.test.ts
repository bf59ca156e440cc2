import { request } from 'undici';
import { describe, it } from 'vitest';
import { createActingCluster } from '../../src/kubernetes/acting/create-acting-cluster.ts';
import { loadCredentials } from '../../src/kubernetes/credentials.ts';
import { reviewWith } from '../../src/kubernetes/review-token.ts';
import { createSession } from '../../src/kubernetes/session.ts';
import { valueAt } from '../../src/model/json-patch.ts';
import { aWorld } from '../../src/standins/api-server/world.ts';
import { tokenOf } from '../../src/standins/api-server/write/token-reviews.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { actingClusterContract } from '../contracts/acting-cluster.ts';
import { type ReviewerStage, tokenReviewerContract } from '../contracts/token-reviewer.ts';
import { createFakeActingCluster } from '../fakes/acting-cluster.ts';
import { openActingEdge } from './acting-harness.ts';

const NOBODY = 'system:serviceaccount:llm:oombot-nobody';

async function passTime(advance: (ms: number) => void, holds: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 120; n++) {
    if (await holds()) return;
    advance(1000);
  }
  throw new Error('it did not come to hold within two minutes of the cluster');
}

actingClusterContract('fake', async () => {
  const world = aWorld({ denied: [{ user: NOBODY }] });
  const cluster = createFakeActingCluster(world);
  return {
    cluster,
    powerless: createFakeActingCluster(world, { memory: cluster.memory, impersonate: NOBODY }),
    namespace: 'llm',
    settle: (holds) => passTime(cluster.memory.advance, holds),
    close: async () => {},
  };
});

actingClusterContract('API server', async () => {
  const { cluster, standin, clock, session, close } = await openActingEdge(aWorld({ denied: [{ user: NOBODY }] }));
  const powerless = createActingCluster({ clusterName: 'prod', session, clock, impersonate: NOBODY });
  return { cluster, powerless, namespace: 'llm', settle: (holds) => passTime(standin.cluster.advance, holds), close };
});

tokenReviewerContract('API server', async () => {
  const { session, clock, close } = await openActingEdge(aWorld({}));
  const username = 'oncall@example.org';
  return { reviewer: reviewWith(session, { clock, version: '1.2.3' }), token: tokenOf(username), username, close };
});

const kubeconfig = process.env.OOM_TEST_KUBECONFIG;

if (kubeconfig === undefined) {
  describe('acting cluster: a real one', () => {
    it('is tried only where OOM_TEST_KUBECONFIG names a kubeconfig', ({ skip }) => {
      process.stdout.write('skipped: the contract on a real cluster; OOM_TEST_KUBECONFIG names no kubeconfig\n');
      skip('OOM_TEST_KUBECONFIG names no kubeconfig');
    });
  });
} else {
  actingClusterContract('a real one', () => stageOn(kubeconfig));
  tokenReviewerContract('a real one', () => reviewerOn(kubeconfig));
}

/** A service account of a fresh namespace, and a token of it. */
async function reviewerOn(file: string): Promise<ReviewerStage> {
  const { namespace, session, clock, send, close } = await stageOn(file);
  const name = 'oombot-contract';
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await send('POST', accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  const made = await send('POST', `${accounts}/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 600 },
  });
  const token = String(valueAt(JSON.parse(made), '/status/token'));
  const username = `system:serviceaccount:${namespace}:${name}`;
  return { reviewer: reviewWith(session, { clock, version: '1.2.3' }), token, username, close };
}

/** A fresh namespace in a real cluster, taken away at the end. */
async function stageOn(file: string) {
  const clock = createSystemClock();
  const session = createSession(() => loadCredentials({ kubeconfig: file }), clock);
  const namespace = `oombot-contract-${Math.random().toString(36).slice(2, 10)}`;
  const send = async (method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<string> => {
    const { server, headers, dispatcher } = await session.access('calls', AbortSignal.timeout(10_000));
    const answer = await request(`${server}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body ?? {}),
      dispatcher,
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text;
  };
  await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  return {
    cluster: createActingCluster({ clusterName: 'real', session, clock }),
    powerless: createActingCluster({
      clusterName: 'real',
      session,
      clock,
      impersonate: `system:serviceaccount:${namespace}:oombot-nobody`,
    }),
    namespace,
    session,
    clock,
    send,
    async settle(holds: () => Promise<boolean>) {
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
