import { createActingCluster } from '../../src/kubernetes/acting/acting-cluster.ts';
import { reviewWith } from '../../src/kubernetes/review-token.ts';
import { valueAt } from '../../src/model/json-patch.ts';
import { aWorld } from '../../src/standins/api-server/objects/world.ts';
import { tokenOf } from '../../src/standins/api-server/write/token-reviews.ts';
import { actingClusterContract } from '../contracts/acting-cluster.ts';
import { type ReviewerStage, tokenReviewerContract } from '../contracts/token-reviewer.ts';
import { openActingEdge } from './acting-harness.ts';
import { onRealCluster, openRealCluster } from './real-cluster.ts';

const NOBODY = 'system:serviceaccount:llm:oombot-nobody';

async function passTime(advance: (ms: number) => void, holds: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 120; n++) {
    if (await holds()) return;
    advance(1000);
  }
  throw new Error('it did not come to hold within two minutes of the cluster');
}

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

onRealCluster('the contract on a real cluster', (kubeconfig) => {
  actingClusterContract('a real one', () => stageOn(kubeconfig));
  tokenReviewerContract('a real one', () => reviewerOn(kubeconfig));
});

/** A service account of a fresh namespace, and a token of it. */
async function reviewerOn(file: string): Promise<ReviewerStage> {
  const { namespace, session, clock, send, close } = await openRealCluster(file);
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

async function stageOn(file: string) {
  const real = await openRealCluster(file);
  const { namespace, session, clock } = real;
  const common = { clusterName: 'real', session, clock };
  return {
    ...real,
    cluster: createActingCluster(common),
    powerless: createActingCluster({ ...common, impersonate: `system:serviceaccount:${namespace}:oombot-nobody` }),
  };
}
