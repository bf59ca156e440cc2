import { describe, expect, it, vi } from 'vitest';
import type { MetricsTarget } from '../../src/app/ports.ts';
import { createReadBudget, DEFAULT_LIMITS } from '../../src/app/read-budget.ts';
import { FileName, LogRead, NotRead } from '../../src/model/snapshot.ts';
import {
  aDeployment,
  anOwner,
  aPod,
  aStatefulSet,
  NOW,
  type PodOptions,
} from '../../src/standins/api-server/objects/builders.ts';
import type { ContainerOptions } from '../../src/standins/api-server/objects/container-builder.ts';
import { aNode, anEvent, anHpa, aPdb, podMetrics } from '../../src/standins/api-server/objects/surroundings.ts';
import { aWorld, findObject, type KubeObject, removeObject } from '../../src/standins/api-server/objects/world.ts';
import { cudaOomWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { aMetricsTarget } from '../contracts/metrics.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aLog, anEdge, aQuery, collectPod, fileOf, findPod, gap, scanner } from './harness.ts';

const POD = 'vllm-server-7d8f6f9c6b-4mnl2';
const labels = { app: 'vllm-server' };
const death = { startedAt: NOW - 600_000, finishedAt: NOW - 60_000 };
const crashed: ContainerOptions = {
  waiting: 'CrashLoopBackOff',
  lastDeath: { ...death, reason: 'OOMKilled', exitCode: 137 },
};

const lines = [{ at: NOW - 599_000, text: 'INFO starting' }];

function aServer(pod: PodOptions = {}, more: readonly KubeObject[] = []) {
  const { all, replicaSet } = aDeployment({ labels, before: [{ args: ['--max-model-len', '8192'] }] });
  const server = aPod({
    name: POD,
    labels: { ...labels, 'pod-template-hash': '7d8f6f9c6b' },
    owner: replicaSet,
    containers: [crashed],
    ...pod,
  });
  return { server, world: aWorld({ objects: [server, all, aNode(), more], logs: [aLog(POD, { lines })] }) };
}

it('the brief evidence of a pod is the pod, its logs and its usage, in half a dozen calls', async () => {
  const { server, world } = aServer({ containers: [{ runningSince: NOW - 60_000 }] });
  world.objects.push(podMetrics(server, { vllm: '20Gi' }));
  world.logs.push(aLog(POD, { instance: 'current', lines }));
  const edge = await anEdge(world);
  const context = aReadContext();

  const evidence = await edge.cluster.collect(await findPod(edge, POD), context, { scanner, brief: true });

  expect(Object.keys(evidence.files).toSorted()).toEqual(['current.log', 'metrics.txt', 'pod.json']);
  expect(evidence.notRead).toEqual([]);
  expect(context.budget.cost().calls).toBeLessThanOrEqual(6);
});

describe('the evidence of a pod', () => {
  it('holds every file, of the pod that was asked for alone', async () => {
    const { server, world } = aServer();
    const deployment = findObject(world, { kind: 'Deployment', name: 'vllm-server', namespace: 'llm' });
    const other = aPod({ name: 'other-0', labels: { app: 'other' } });
    world.objects.push(
      other,
      ...(deployment === undefined ? [] : [anHpa(deployment)]),
      anHpa(aStatefulSet({ name: 'other' })),
      aPdb('mine', labels),
      aPdb('theirs', { app: 'other' }),
      anEvent({ about: server, reason: 'BackOff', message: 'Back-off restarting failed container' }),
      anEvent({ about: other, reason: 'BackOff', message: 'not ours' }),
      anEvent({ about: aNode(), reason: 'SystemOOM', message: 'System OOM encountered, victim process: python3' }),
    );
    const edge = await anEdge(world);
    const context = aReadContext();

    const evidence = await collectPod(edge, POD, { context });

    expect(Object.keys(evidence.files).filter((file) => !FileName.safeParse(file).success)).toEqual([]);
    const previous = { file: 'previous.log', container: 'vllm', previous: true };
    expect(LogRead.array().parse(evidence.logs)).toMatchObject([previous]);
    const steps = context.progressed.map(({ step, status }) => `${step} ${status}`);
    expect(steps).toEqual(expect.arrayContaining(['read-status running', 'read-status done', 'read-logs done']));
    expect(evidence.notRead).toEqual([]);
    expect(evidence).toMatchObject({ container: 'vllm', workload: 'Deployment/vllm-server' });
    expect(fileOf(evidence, 'pod.json')).toMatchObject({ kind: 'Pod', metadata: { uid: `uid-llm-${POD}` } });
    expect(evidence.files['pod.json']).not.toContain('managedFields');
    expect(fileOf(evidence, 'events.json').map((event: { reason: string }) => event.reason)).toEqual([
      'BackOff',
      'SystemOOM',
    ]);
    expect(fileOf(evidence, 'owners.json').map((owner: { kind: string }) => owner.kind)).toEqual([
      'ReplicaSet',
      'Deployment',
    ]);
    expect(fileOf(evidence, 'siblings.json').items.map((pod: KubeObject) => pod.metadata.name)).toEqual([POD]);
    expect(fileOf(evidence, 'revisions.json').map((one: { revision: number }) => one.revision)).toEqual([2, 1]);
    expect(fileOf(evidence, 'revisions.json').map((one: { by?: string }) => one.by)).toEqual(['helm', undefined]);
    expect(fileOf(evidence, 'autoscalers.json')).toMatchObject({
      hpas: [{ metadata: { name: 'vllm-server-hpa' } }],
      pdbs: [{ metadata: { name: 'mine' } }],
    });
    expect(fileOf(evidence, 'node.json')).toMatchObject({
      metadata: { labels: { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB' } },
    });
    expect(evidence.files['node.json']).not.toContain('images');
    expect(evidence.files['previous.log']).toBe('2026-01-15T02:50:01.000000000Z INFO starting\n');
  });

  it('times a ReplicaSet that was rolled back to by who wrote the template since, not by its creation', async () => {
    const { server, world } = aServer();
    const [newest, older] = world.objects.filter(({ kind }) => kind === 'ReplicaSet');
    const numbers = { 'deployment.kubernetes.io/revision': '3', 'deployment.kubernetes.io/revision-history': '1' };
    const before = { ...older, metadata: { ...older?.metadata, annotations: numbers } } as KubeObject;
    world.objects.splice(world.objects.indexOf(older as KubeObject), 1, before);
    const edge = await anEdge(world);

    const evidence = await collectPod(edge, server.metadata.name, {});

    const revisions = fileOf(evidence, 'revisions.json');
    expect(revisions.map((one: { name: string }) => one.name)).toEqual([before.metadata.name, newest?.metadata.name]);
    expect(revisions[0].createdAt).toBeUndefined();

    const undone = new Date(NOW - 60_000).toISOString();
    const fields = { 'f:spec': { 'f:template': {} } };
    const deployment = findObject(world, { kind: 'Deployment', name: 'vllm-server', namespace: 'llm' }) as KubeObject;
    Object.assign(deployment.metadata, {
      managedFields: [{ manager: 'kubectl', operation: 'Update', time: undone, fieldsV1: fields }],
    });
    const after = await collectPod(edge, server.metadata.name);

    expect(fileOf(after, 'revisions.json')[0]).toMatchObject({ createdAt: undone, by: 'kubectl' });
  });

  it('tells the metrics edge what to look for before the logs are read', async () => {
    const edge = await anEdge(aServer().world);
    const told: MetricsTarget[] = [];
    let logsBefore = -1;

    await edge.cluster.collect(await findPod(edge, POD), aReadContext(), {
      scanner,
      onMetricsTarget: (target) => {
        told.push(target);
        logsBefore = edge.standin.requests.filter(({ path }) => path.endsWith('/log')).length;
      },
    });

    expect(logsBefore).toBe(0);
    expect(told).toEqual([aMetricsTarget({ pod: POD, podIP: '10.0.0.5', diedAt: death.finishedAt })]);
  });

  it('has the working set of now only for a container that has not died', async () => {
    const { server, world } = aServer({ containers: [{}] });
    world.objects.push(podMetrics(server, { vllm: '2Gi' }));
    const died = aServer().world;
    died.objects.push(podMetrics(server, { vllm: '2Gi' }));

    const now = await collectPod(await anEdge(world), POD);
    const then = await collectPod(await anEdge(died), POD);

    expect(now.files['metrics.txt']).toContain(
      `container_memory_working_set_bytes{namespace="llm",pod="${POD}",container="vllm"} 2147483648`,
    );
    expect(now.metricsTarget.diedAt).toBeNull();
    expect(then.files['metrics.txt']).toBeUndefined();
  });

  it('walks to the top owner, over a pod too, and says where it may not look', async () => {
    const lws = anOwner('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'big');
    const leaderSet = aStatefulSet({ name: 'big', owner: lws });
    const group = { 'leaderworkerset.sigs.k8s.io/name': 'big' };
    const early = { startedAt: NOW - 900_000, finishedAt: NOW - 400_000 };
    const leader = aPod({ name: 'big-0', labels: group, owner: leaderSet, containers: [{ lastDeath: early }] });
    const workerSet = aStatefulSet({ name: 'big-0', owner: leader });
    const worker = aPod({ name: 'big-0-1', labels: group, owner: workerSet, containers: [crashed] });
    const world = aWorld({ objects: [lws, leaderSet, leader, workerSet, worker, aNode()] });
    const open = await anEdge(world);
    const shut = await anEdge(aWorld({ ...world, denied: [{ resource: 'leaderworkersets' }] }));

    const evidence = await collectPod(open, 'big-0-1');
    const partly = await collectPod(shut, 'big-0-1');

    expect(fileOf(evidence, 'owners.json').map((owner: KubeObject) => `${owner.kind}/${owner.metadata.name}`)).toEqual([
      'StatefulSet/big-0',
      'Pod/big-0',
      'StatefulSet/big',
      'LeaderWorkerSet/big',
    ]);
    expect(evidence.workload).toBe('LeaderWorkerSet/big');
    expect(fileOf(evidence, 'siblings.json').firstDeath).toEqual({
      pod: 'big-0',
      container: 'vllm',
      finishedAt: '2026-01-15T02:53:20Z',
    });
    expect(partly.workload).toBe('LeaderWorkerSet/big');
    expect(partly.notRead).toContainEqual(
      gap(
        'LeaderWorkerSet/big',
        'forbidden',
        'missing right: leaderworkersets.leaderworkerset.x-k8s.io get in namespace llm',
      ),
    );
  });

  it('says where a list was too long to be read to its end', async () => {
    const { world } = aServer();
    const deployment = findObject(world, { kind: 'Deployment', name: 'vllm-server', namespace: 'llm' });
    const others = Array.from({ length: 250 }, (_, i) => anHpa(aStatefulSet({ name: `aaa-${i}` })));
    world.objects.push(...others, ...(deployment === undefined ? [] : [anHpa(deployment)]));

    const { notRead } = await collectPod(await anEdge(world), POD);

    expect(notRead).toEqual([
      { item: 'horizontal pod autoscalers', reason: 'budget', detail: 'only the first 250 were read' },
    ]);
  });

  it('names each right that is missing and gives the rest', async () => {
    const { world } = aServer();
    world.denied.push({ resource: 'nodes' }, { resource: 'pods/log' }, { resource: 'events', namespace: 'default' });
    const edge = await anEdge(world);

    const { notRead, files } = await collectPod(edge, POD);

    expect(NotRead.array().safeParse(notRead).success).toBe(true);
    const forbidden = notRead.filter(({ reason }) => reason === 'forbidden').map(({ detail }) => detail);
    expect(forbidden).toContain('missing right: nodes get in the whole cluster');
    expect(forbidden).toContain('missing right: pods/log get in namespace llm');
    expect(forbidden).toContain('missing right: events list in namespace default');
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['pod.json', 'events.json', 'owners.json', 'siblings.json']),
    );
  });

  it.each([
    ['is not installed', 404, 'gone'],
    ['is served', 200, 'forbidden'],
    ['cannot be told to be', 403, 'forbidden'],
  ])('what is refused of an API that %s is named with the right reason', async (_, discovery, reason) => {
    const owner = {
      apiVersion: 'serving.example.com/v1',
      kind: 'ModelServer',
      name: 'big',
      uid: 'u1',
      controller: true,
    };
    const { world, server } = aServer({ containers: [{ runningSince: NOW - 60_000 }] });
    Object.assign(server.metadata, { ownerReferences: [owner] });
    const edge = await anEdge(world);
    for (const api of ['serving.example.com/v1', 'metrics.k8s.io/v1beta1']) {
      edge.standin.faults.on(`${api}/namespaces/`, { kind: 'refuse', status: 403 });
      edge.standin.faults.on(new RegExp(`${api}$`), { kind: 'refuse', status: discovery });
    }

    const { notRead } = await collectPod(edge, POD);

    for (const item of ['ModelServer/big', 'metrics.k8s.io']) {
      expect(notRead).toContainEqual(expect.objectContaining({ item, reason }));
    }
    expect(edge.standin.requests.filter(({ path }) => /v1(beta1)?$/.test(path))).toHaveLength(2);
  });

  it.each([
    [{ kind: 'body', status: 503, text: 'service unavailable' }, 'unreachable', 'metrics.k8s.io answered 503'],
    [{ kind: 'body', status: 404, text: '404 page not found' }, 'gone', 'the API server does not have it (404)'],
    [{ kind: 'refuse', status: 503 }, 'unreachable', 'the API server cannot reach metrics.k8s.io (503)'],
  ] as const)('names metrics.k8s.io where that fails, not the API server: %j', async (fault, reason, detail) => {
    const edge = await anEdge(aServer({ containers: [{ runningSince: NOW - 60_000 }] }).world);
    edge.standin.faults.on('metrics.k8s.io/v1beta1/namespaces/', fault);

    const { notRead } = await collectPod(edge, POD);

    expect(notRead).toContainEqual({ item: 'metrics.k8s.io', reason, detail });
  });

  it('still has the events of a pod that went away meanwhile', async () => {
    const { server, world } = aServer();
    world.objects.push(anEvent({ about: server, reason: 'Killing', message: 'Stopping container vllm' }));
    const edge = await anEdge(world);
    const target = await findPod(edge, POD);
    removeObject(world, { kind: 'Pod', name: POD });

    const evidence = await edge.cluster.collect(target, aReadContext(), { scanner });

    expect(Object.keys(evidence.files)).toEqual(['events.json']);
    expect(evidence.notRead.map(({ item, reason }) => `${item}: ${reason}`)).toEqual(['pod.json: gone', 'logs: gone']);
  });

  it('throws only where the pod itself cannot be had', async () => {
    const edge = await anEdge(aServer().world);
    const target = await findPod(edge, POD);
    edge.standin.faults.on('/pods/', { kind: 'refuse', status: 500 });
    const context = aReadContext();

    const answer = edge.cluster.collect(target, context, { scanner });

    await expect(answer).rejects.toMatchObject({ code: 'cluster-refused' });
    expect(context.progressed.map(({ step, status }) => `${step} ${status}`)).toEqual([
      'read-status running',
      'read-status failed',
    ]);
  });
});

describe('which container is looked at', () => {
  const istio = { name: 'istio-proxy', gpus: 0 };
  const ended = { ...death, exitCode: 0, reason: 'Completed' };
  const lastDeath = { ...death, reason: 'OOMKilled' };
  const initContainers = [{ name: 'storage-initializer', waiting: 'CrashLoopBackOff', lastDeath }];
  const beforeInit = { containers: [{ waiting: 'PodInitializing' }], initContainers };
  const fetched = { containers: [{}], initContainers: [{ name: 'fetch', ended }] };
  const killed = { containers: [{}, { ...istio, lastDeath }] };
  it.each<[string, PodOptions, container: string, ...files: string[]]>([
    ['the engine among sidecars', { containers: [istio, crashed] }, 'vllm', 'vllm.previous.log'],
    ['a sidecar that was OOMKilled', killed, 'istio-proxy', 'istio-proxy.previous.log', 'vllm.current.log'],
    ['an init container that died', beforeInit, 'storage-initializer', 'storage-initializer.previous.log'],
    ['no init container that did its work', fetched, 'vllm', 'vllm.current.log'],
    [
      'the engine that runs again after its death, by both logs, before a second container',
      { containers: [{ lastDeath: death }, { ...istio, lastDeath: death }] },
      'vllm',
      'vllm.previous.log',
      'vllm.current.log',
      'istio-proxy.previous.log',
    ],
    ['one that stands terminated, by its current log', { containers: [{ ended: death }] }, 'vllm', 'current.log'],
  ])('%s', async (_what, pod, container, ...files) => {
    const { world } = aServer(pod);
    const names = ['vllm', 'istio-proxy', 'storage-initializer'];
    const instances = ['current', 'previous'] as const;
    world.logs.push(
      ...names.flatMap((container) => instances.map((instance) => aLog(POD, { container, instance, lines }))),
    );
    const edge = await anEdge(world);

    const evidence = await collectPod(edge, POD);

    expect(evidence.container).toBe(container);
    expect(evidence.logs.map(({ file }) => file)).toEqual(files);
  });

  it('is the one that was asked for, and says so where there is none of that name', async () => {
    const { world } = aServer({ containers: [crashed, istio] });
    world.logs.push(aLog(POD, { container: 'istio-proxy', instance: 'current', lines }));
    const edge = await anEdge(world);

    const asked = await collectPod(edge, POD, { container: 'istio-proxy' });
    const wrong = await collectPod(edge, POD, { container: 'engine' });

    expect(asked.container).toBe('istio-proxy');
    expect(wrong.container).toBe('vllm');
    expect(wrong.notRead).toContainEqual(
      gap('container engine', 'gone', 'no such container; the pod has vllm, istio-proxy'),
    );
  });
});

describe('the cost of the evidence', () => {
  const crowdOf = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      aPod({ name: `crowd-${i}`, labels: { app: `crowd-${i}` }, containers: [crashed] }),
    );

  it('is the same among 10 pods and among 5,000', async () => {
    const costs = [];
    for (const size of [10, 5000]) {
      const { world } = aServer({}, crowdOf(size));
      const edge = await anEdge(world);
      const context = aReadContext();
      const found = await edge.cluster.resolve(aQuery(POD), context);
      if (found.kind === 'found') await edge.cluster.collect(found.target, context, { scanner });
      costs.push(context.budget.cost());
    }

    expect(costs[1]).toEqual(costs[0]);
    expect(costs[0]?.calls).toBeLessThanOrEqual(24);
  });

  it('drops reads in a fixed order, and says which', async () => {
    const asked = [];
    for (const calls of [1, 3, 4, 5, 6, 7, 10]) {
      const edge = await anEdge(cudaOomWorld());
      const budget = createReadBudget({ ...DEFAULT_LIMITS, calls });
      const target = await findPod(edge, SCENARIO_POD.pod);
      edge.standin.forgetRequests();
      const evidence = await edge.cluster.collect(target, aReadContext({ budget }), { scanner });
      expect(evidence.notRead.some(({ reason }) => reason === 'budget')).toBe(true);
      expect(evidence.workload).toBe('Deployment/vllm-server');
      asked.push(
        edge.standin.requests.map(({ path }) => path.split('/').at(path.includes('/pods/') ? -1 : -2) ?? '').toSorted(),
      );
    }

    const { pod } = SCENARIO_POD;
    const log = ['log', 'log'];
    const again = [...log, pod, pod];
    expect(asked).toEqual(
      [
        [pod],
        [...log, pod],
        again,
        ['llm', ...again],
        ['llm', 'replicasets', ...again],
        ['llm', 'nodes', 'replicasets', ...again],
        ['deployments', 'llm', 'llm', 'llm', 'nodes', 'replicasets', ...again],
      ].map((list) => list.toSorted()),
    );
  });

  it('never reads more than the bytes left, whatever an answer holds', async () => {
    const { world } = aServer({}, crowdOf(0));
    const big = findObject(world, { kind: 'Node', name: 'gpu-node-1' });
    if (big !== undefined) Object.assign(big.metadata, { annotations: { fat: 'x'.repeat(3_000_000) } });
    const edge = await anEdge(world);
    const context = aReadContext({ limits: { bytes: 400_000 } });

    const { notRead, files } = await collectPod(edge, POD, { context });

    expect(notRead).toContainEqual(gap('node.json', 'budget', 'byte limit'));
    expect(files['pod.json']).toBeDefined();
    expect(context.budget.cost().bytes).toBeLessThan(1_000_000);
  });

  it('makes its calls side by side', async () => {
    const edge = await anEdge(cudaOomWorld());
    const target = await findPod(edge, SCENARIO_POD.pod);
    const held = ['/nodes/', '/events', '/log'];
    for (const place of held) edge.standin.faults.on(place, { kind: 'hang' });
    const over = new AbortController();

    const collected = edge.cluster.collect(target, aReadContext({ signal: over.signal }), { scanner });

    const isAsked = (place: string) => edge.standin.requests.some(({ path }) => path.includes(place));
    await vi.waitUntil(() => held.every(isAsked), { timeout: 20_000 });
    over.abort();
    await collected;
  });

  // Against it `npm run bench` measures the whole.
  it('tells how long its longest chain of calls takes', async () => {
    const edge = await anEdge(cudaOomWorld());
    const target = await findPod(edge, SCENARIO_POD.pod);
    await edge.cluster.collect(target, aReadContext(), { scanner });
    edge.standin.faults.on('/', { kind: 'delay', ms: 100 });

    const { chainMs } = await edge.cluster.collect(target, aReadContext(), { scanner });

    expect(chainMs).toBeGreaterThanOrEqual(4 * 98);
  });

  it('gives what it has when the time is over', async () => {
    const edge = await anEdge(cudaOomWorld());
    const target = await findPod(edge, SCENARIO_POD.pod);
    for (const place of ['/nodes/', '/deployments/', '/events']) edge.standin.faults.on(place, { kind: 'hang' });

    const evidence = await edge.cluster.collect(target, aReadContext({ signal: AbortSignal.timeout(800) }), {
      scanner,
    });

    expect(evidence.files['previous.log']).toContain('CUDA out of memory');
    expect(evidence.workload).toBe('Deployment/vllm-server');
    const late = evidence.notRead.filter(({ reason }) => reason === 'deadline').map(({ item }) => item);
    expect(late).toEqual(expect.arrayContaining(['node.json', 'Deployment/vllm-server', 'events.json']));
  });
});
