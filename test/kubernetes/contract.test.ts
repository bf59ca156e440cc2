import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKubeHttp } from '../../src/kubernetes/api/http.ts';
import { createCluster } from '../../src/kubernetes/connect-cluster.ts';
import { valueAt } from '../../src/model/json-patch.ts';
import { aDeployment, aPod, NOW } from '../../src/standins/api-server/objects/builders.ts';
import { aWorld } from '../../src/standins/api-server/objects/world.ts';
import { type ClusterStage, clusterContract, OOM_LINE, type RestartedPod } from '../contracts/cluster.ts';
import { manifestsIn } from '../deploy/policy.ts';
import { aLog, openEdge } from './harness.ts';
import { onRealCluster, openRealCluster } from './real-cluster.ts';

const LABELS = { app: 'batch' };
const nth = (i: number) => `batch-${String(i).padStart(4, '0')}`;
const names = (count: number) => Array.from({ length: count }, (_, i) => nth(i));

clusterContract('API server', async (): Promise<ClusterStage> => {
  const world = aWorld({});
  const { cluster, close } = await openEdge(world);
  return {
    cluster,
    close,
    namespace: 'llm',
    async crowd(count, crashing) {
      const containers = (name: string) => (name === crashing ? [{ waiting: 'CrashLoopBackOff' }] : [{}]);
      const pods = names(count).map((name) => aPod({ name, labels: LABELS, containers: containers(name) }));
      world.objects.push(aDeployment({ name: 'batch', labels: LABELS }).deployment, ...pods);
    },
    async restart(pods) {
      for (const { name, first } of pods) {
        const [startedAt, finishedAt, runningSince] = [NOW - 600_000, NOW - 300_000, NOW - 299_000];
        const ended = first === 'gpu' ? { reason: 'Error', exitCode: 1 } : { reason: 'OOMKilled', exitCode: 137 };
        const lastDeath = { ...ended, startedAt, finishedAt };
        world.objects.push(aPod({ name, containers: [{ runningSince, lastDeath }] }));
        const [before, now] = first === 'gpu' ? [OOM_LINE, 'loading'] : ['loading', OOM_LINE];
        world.logs.push(
          aLog(name, {
            lines: [
              { at: startedAt, text: 'start' },
              { at: finishedAt - 1, text: before },
            ],
          }),
          aLog(name, { instance: 'current', lines: [{ at: runningSince + 1, text: now }] }),
        );
      }
      return true;
    },
  };
});

onRealCluster('the reading contract on a real cluster', (kubeconfig) => {
  clusterContract('a real one', () => stageOn(kubeconfig));
  permissionsOn(kubeconfig);
});

type Real = Awaited<ReturnType<typeof openRealCluster>>;

const IMAGE = process.env.OOM_TEST_IMAGE ?? 'busybox:1.36';

async function stageOn(file: string): Promise<ClusterStage> {
  const real = await openRealCluster(file);
  const { namespace, session, clock } = real;
  await real.settle(async () => (await real.ask('GET', `${core(real)}/serviceaccounts/default`)).status === 200);
  const http = createKubeHttp({ session, clock });
  return {
    cluster: createCluster({ name: 'real', namespaces: [namespace], http, clock }),
    namespace,
    crowd: (count, crashing) => crowdIn(real, count, crashing),
    restart: (pods) => restartIn(real, pods),
    close: real.close,
  };
}

const core = ({ namespace }: Real) => `/api/v1/namespaces/${namespace}`;

// A scheduler of that name does not exist: the pods are objects and nothing else. A Deployment that is paused makes none.
async function crowdIn(real: Real, count: number, crashing: string): Promise<void> {
  const spec = { schedulerName: 'nobody', containers: [{ name: 'main', image: IMAGE }] };
  const make = (name: string) =>
    real.send('POST', `${core(real)}/pods`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: LABELS },
      spec,
    });
  const left = names(count);
  const worker = async () => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) await make(name);
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  const state = { waiting: { reason: 'CrashLoopBackOff' } };
  const crash = { name: 'main', image: IMAGE, imageID: '', ready: false, restartCount: 3, state };
  const patch = { status: { phase: 'Running', containerStatuses: [crash] } };
  const type = { 'content-type': 'application/merge-patch+json' };
  const answer = await real.ask('PATCH', `${core(real)}/pods/${crashing}/status`, patch, type);
  expect(answer.status, answer.text).toBe(200);
  await real.send('POST', `/apis/apps/v1/namespaces/${real.namespace}/deployments`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'batch' },
    spec: {
      paused: true,
      replicas: 0,
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: { containers: spec.containers } },
    },
  });
}

// `tail /dev/zero` keeps what it reads until the container is OOMKilled.
async function restartIn(real: Real, pods: readonly RestartedPod[]): Promise<boolean> {
  const nodes = JSON.parse((await real.ask('GET', '/api/v1/nodes?limit=50')).text).items as unknown[];
  const isReady = (node: unknown) =>
    JSON.stringify(valueAt(node, '/status/conditions') ?? []).includes('"KubeletReady"');
  if (!nodes.some(isReady)) return false;
  for (const { name, first } of pods) {
    const say = `echo '${OOM_LINE}'`;
    const [once, again] = first === 'gpu' ? [`${say}; exit 1`, 'echo loading'] : ['echo loading; tail /dev/zero', say];
    const script = `if [ ! -e /state/seen ]; then touch /state/seen; ${once}; fi; ${again}; sleep 3600`;
    const container = {
      name: 'main',
      image: IMAGE,
      command: ['sh', '-c', script],
      resources: { limits: { memory: '64Mi' } },
      volumeMounts: [{ name: 'state', mountPath: '/state' }],
    };
    const spec = {
      containers: [container],
      volumes: [{ name: 'state', emptyDir: {} }],
      terminationGracePeriodSeconds: 0,
    };
    await real.send('POST', `${core(real)}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
  }
  const restarted = async ({ name }: RestartedPod) => {
    const [status] =
      JSON.parse((await real.ask('GET', `${core(real)}/pods/${name}`)).text).status.containerStatuses ?? [];
    return status?.state?.running !== undefined && status.restartCount === 1;
  };
  await real.settle(async () => (await Promise.all(pods.map(restarted))).every(Boolean), 240);
  return true;
}

const roleIn = (file: string) => manifestsIn(file).find(({ kind }) => kind === 'ClusterRole');

type Row = readonly [verb: string, resource: string, group: string, read: boolean, act: boolean];
const ROWS: readonly Row[] = [
  ['get', 'pods', '', true, true],
  ['list', 'pods', '', true, true],
  ['watch', 'pods', '', false, false],
  ['get', 'pods/log', '', true, false],
  ['list', 'events', '', true, false],
  ['get', 'deployments', 'apps', true, true],
  ['patch', 'deployments', 'apps', false, true],
  ['patch', 'statefulsets/scale', 'apps', false, true],
  ['delete', 'deployments', 'apps', false, false],
  ['update', 'deployments', 'apps', false, false],
  ['get', 'secrets', '', false, false],
  ['list', 'secrets', '', false, false],
  ['create', 'pods/exec', '', false, false],
  ['get', 'pods/proxy', '', false, false],
  ['delete', 'pods', '', false, false],
];

/** The shipped roles, bound in a fresh namespace to the two accounts: what the API server lets each of them do. */
function permissionsOn(file: string): void {
  describe('the shipped roles, on a real cluster', () => {
    let real: Real;
    const made: string[] = [];
    const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    beforeAll(async () => {
      real = await openRealCluster(file);
      const { namespace, send } = real;
      for (const [account, shipped] of [
        ['oombot-read', 'read-role.yaml'],
        ['oombot-act', 'acting/act-role.yaml'],
      ] as const) {
        const name = `${namespace}-${account}`;
        await send('POST', ROLES, { ...roleIn(shipped), metadata: { name } });
        made.push(name);
        await send('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name: account },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
          subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
        });
      }
      await real.settle(() => may('oombot-read', ROWS[0] as Row));
    }, 60_000);
    afterAll(async () => {
      for (const name of made) await real.send('DELETE', `${ROLES}/${name}`);
      await real.close();
    });

    const may = async (account: string, [verb, what, group]: Row): Promise<boolean> => {
      const [resource, subresource] = what.split('/');
      const { text } = await real.ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: `system:serviceaccount:${real.namespace}:${account}`,
          resourceAttributes: { namespace: real.namespace, verb, group, resource, subresource },
        },
      });
      return valueAt(JSON.parse(text), '/status/allowed') === true;
    };

    it.each(ROWS)('%s %s.%s: may the reader %s, may the actor %s', async (...row) => {
      expect([await may('oombot-read', row), await may('oombot-act', row)]).toEqual(row.slice(3));
    });
  });
}
