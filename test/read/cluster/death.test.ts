import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../src/model/kubernetes.ts';
import { readDeath } from '../../../src/read/cluster/death.ts';
import { readDescribe } from '../../../src/read/cluster/describe.ts';
import { gatherPod } from '../../../src/read/cluster/gather.ts';
import { aPod, CREATED, ended, time } from './a-pod.ts';

const deathOf = (pod: Pod, takenAt?: number) => {
  const reading = readDeath(gatherPod({ pod }), takenAt);
  if (reading.kind === 'none') throw new Error(reading.detail);
  return reading;
};

const killed = ended({ reason: 'OOMKilled', exitCode: 137 });
const calm = { state: { running: { startedAt: time(5) } }, restartCount: 0, lastState: {} };

describe('the newest termination', () => {
  it('is the present one before the past one, with the place that tells which log holds it', () => {
    const pod = aPod({
      containerStatus: { state: ended({ exitCode: 2, from: 700, to: 800 }), lastState: ended({ exitCode: 1 }) },
    });

    const { death } = deathOf(pod);

    expect(death.end.exitCode?.value).toBe(2);
    expect(death.place).toBe('state');
  });

  it('carries uptime, end, restarts and the field that proves each', () => {
    const { death } = deathOf(aPod({ containerStatus: { lastState: killed, restartCount: 4 } }));

    expect(death.uptime).toMatchObject({ kind: 'known', value: 590 });
    expect(death.at).toMatchObject({ kind: 'known', value: CREATED + 600_000 });
    expect(death.restarts).toEqual({
      value: 4,
      from: { kind: 'field', file: 'pod.json', path: '/status/containerStatuses/0/restartCount', text: '4' },
    });
    expect(death.end.reason?.from).toEqual({
      kind: 'field',
      file: 'pod.json',
      path: '/status/containerStatuses/0/lastState/terminated/reason',
      text: '"OOMKilled"',
    });
  });

  it.each([
    ['the end lies before the start', ended({ from: 600, to: 10 }), undefined],
    ['the end lies in the future', ended({ from: 10, to: 600 }), CREATED + 100_000],
  ])('is contradictory, never negative: %s', (_, lastState, takenAt) => {
    const { death } = deathOf(aPod({ containerStatus: { lastState } }), takenAt);

    expect(death.uptime).toMatchObject({ kind: 'unknown', reason: 'contradictory' });
    expect(death.at).toMatchObject({ kind: 'unknown', reason: 'contradictory' });
  });

  it('has no times where the runtime lost them', () => {
    const lost = { terminated: { reason: 'ContainerStatusUnknown', exitCode: 137, startedAt: null, finishedAt: null } };

    const { death } = deathOf(aPod({ containerStatus: { lastState: lost } }));

    expect(death.uptime).toMatchObject({ kind: 'unknown', reason: 'not-in-snapshot' });
  });

  it('is none where nothing ended', () => {
    expect(readDeath(gatherPod({ pod: aPod({ containerStatus: calm }) }))).toMatchObject({
      kind: 'none',
      engine: 'vllm',
    });
    expect(readDeath(gatherPod({}))).toMatchObject({ kind: 'none', engine: undefined });
  });
});

describe('the container that matters', () => {
  const spec = (more: object) => ({
    initContainers: [{ name: 'storage-initializer', resources: { limits: { memory: '1Gi' } } }],
    containers: [
      { name: 'queue-proxy', image: 'knative/queue' },
      { name: 'kserve-container', image: 'my/server', resources: { limits: { 'nvidia.com/gpu': '1' } } },
    ],
    ...more,
  });

  it('is the engine when a sidecar ended too', () => {
    const reading = deathOf(
      aPod({
        spec: spec({}),
        status: {
          containerStatuses: [
            { name: 'queue-proxy', lastState: ended({ to: 900 }) },
            { name: 'kserve-container', lastState: ended({ exitCode: 1 }) },
          ],
        },
      }),
    );

    expect(reading.death).toMatchObject({ container: 'kserve-container', role: 'engine' });
    expect(reading.all.map((death) => death.role)).toEqual(['sidecar', 'engine']);
  });

  it('is an init container that was OOMKilled, and never one that did its work', () => {
    const init = (lastState: object) =>
      aPod({
        spec: spec({}),
        status: {
          phase: 'Pending',
          initContainerStatuses: [{ name: 'storage-initializer', state: lastState }],
          containerStatuses: [{ name: 'kserve-container', state: { waiting: { reason: 'PodInitializing' } } }],
        },
      });

    expect(deathOf(init(killed)).death).toMatchObject({ container: 'storage-initializer', role: 'init' });
    expect(readDeath(gatherPod({ pod: init(ended({ reason: 'Completed', exitCode: 0 })) })).kind).toBe('none');
  });

  it.each([
    ['minutes before it', 500],
    ['hours before it', -7200],
    ['hours after it', 9000],
    ['nobody knows when', undefined],
  ])('is the engine where a sidecar was OOMKilled %s', (_, to) => {
    const end = ended({ reason: 'OOMKilled', exitCode: 137, ...(to === undefined ? {} : { from: to - 60, to }) });
    const untimed = { terminated: { reason: 'OOMKilled', exitCode: 137 } };
    const reading = deathOf(
      aPod({
        spec: spec({}),
        status: {
          containerStatuses: [
            { name: 'queue-proxy', lastState: to === undefined ? untimed : end },
            { name: 'kserve-container', lastState: ended({ exitCode: 1 }) },
          ],
        },
      }),
    );

    expect(reading.death.container).toBe('kserve-container');
  });

  it('takes an init container that restarts always for a sidecar', () => {
    const reading = deathOf(
      aPod({
        spec: spec({ initContainers: [{ name: 'lmcache', restartPolicy: 'Always' }] }),
        status: {
          initContainerStatuses: [{ name: 'lmcache', lastState: killed }],
          containerStatuses: [{ name: 'kserve-container', ...calm }],
        },
      }),
    );

    expect(reading.death).toMatchObject({ container: 'lmcache', role: 'sidecar' });
  });

  it.each([
    ['asks for a GPU', [{ name: 'a' }, { name: 'b', resources: { requests: { 'amd.com/gpu': 1 } } }], {}, 'b'],
    ['claims a device', [{ name: 'a' }, { name: 'b', resources: { claims: [{ name: 'gpu' }] } }], {}, 'b'],
    [
      'has a MIG slice',
      [{ name: 'a' }, { name: 'b', resources: { limits: { 'nvidia.com/mig-1g.10gb': '1' } } }],
      {},
      'b',
    ],
    ['runs an engine image', [{ name: 'a' }, { name: 'b', image: 'lmsysorg/sglang:v0.5' }], {}, 'b'],
    ['runs an engine command', [{ name: 'a' }, { name: 'b', command: ['python', '-m', 'vllm.entrypoints'] }], {}, 'b'],
    [
      'is the default container',
      [{ name: 'a' }, { name: 'b' }],
      { 'kubectl.kubernetes.io/default-container': 'b' },
      'b',
    ],
    ['has a usual name', [{ name: 'a' }, { name: 'main' }], {}, 'main'],
    ['stands first', [{ name: 'a' }, { name: 'b' }], {}, 'a'],
  ])('takes for the engine what %s', (_, containers, annotations, engine) => {
    const pod = aPod({ metadata: { annotations }, spec: { containers }, status: { containerStatuses: [] } });

    expect(readDeath(gatherPod({ pod })).engine).toBe(engine);
  });
});

describe('two sources of one pod', () => {
  const describe_ = readDescribe(
    '    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n',
  );

  it('count a death once, the status first', () => {
    const reading = readDeath(gatherPod({ pod: aPod(), describe: describe_ }));

    expect(reading.kind === 'death' && reading.all).toHaveLength(1);
    expect(reading.kind === 'death' && reading.death.end.exitCode?.from.file).toBe('pod.json');
  });

  it('fill in for each other: the pod was replaced, the paste still has the death', () => {
    const reading = readDeath(gatherPod({ pod: aPod({ containerStatus: calm }), describe: describe_ }));

    expect(reading).toMatchObject({
      kind: 'death',
      death: { role: 'engine', end: { reason: { value: 'OOMKilled' } } },
    });
  });
});

describe('the role of a container of a pod that runs no engine', () => {
  const headOf = (args: readonly string[], limits: object = { memory: '8Gi' }) =>
    aPod({
      container: {
        name: 'ray-head',
        image: 'rayproject/ray-llm:2.49.1',
        command: ['/bin/bash', '-c', '--'],
        args,
        resources: { limits },
      },
      containerStatus: { name: 'ray-head', lastState: killed },
    });

  it.each([
    ['the head of a Ray cluster', headOf(['ulimit -n 65536; ray start --head --block']), 'helper'],
    ['a head that starts an engine as well', headOf(['ray start --head; vllm serve some/model']), 'engine'],
    ['a head with a GPU', headOf(['ray start --head --block'], { 'nvidia.com/gpu': '1' }), 'engine'],
    ['a worker of the cluster', headOf(['ray start --address=10.0.0.1:6379 --block']), 'engine'],
    [
      'a router',
      aPod({
        container: { name: 'router', image: 'lmcache/lmstack-router:v0.1.7', args: [], resources: {} },
        containerStatus: { name: 'router', lastState: killed },
      }),
      'helper',
    ],
  ])('%s', (_, pod, role) => {
    expect(deathOf(pod).death.role).toBe(role);
  });

  it('is not the engine’s because its log is the one that is there', () => {
    const pod = aPod({
      container: { name: 'router', image: 'lmcache/lmstack-router:v0.1.7', args: [], resources: {} },
      containerStatus: { name: 'router', lastState: killed },
    });

    const reading = readDeath(gatherPod({ pod, logged: 'router' }));

    expect(reading).toMatchObject({ kind: 'death', death: { role: 'helper' } });
  });
});
