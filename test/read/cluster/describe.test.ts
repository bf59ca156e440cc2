import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContainerSpec } from '../../../src/read/cluster/container-spec.ts';
import { readDeath } from '../../../src/read/cluster/death.ts';
import { readDescribe } from '../../../src/read/cluster/describe.ts';
import { gatherPod } from '../../../src/read/cluster/gather.ts';

const WHOLE = `Name:             vllm-7d8f6f9c6b-4mnl2
Namespace:        ai
Priority:         0
Node:             gpu-1/10.0.0.7
Start Time:       Sun, 01 Mar 2026 10:00:00 +0000
Labels:           app=vllm
Status:           Running
Init Containers:
  fetch-model:
    Image:          alpine
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
Containers:
  vllm-server:
    Container ID:  containerd://abc
    Image:         vllm/vllm-openai:v0.11.0
    Port:          8000/TCP
    Command:
      vllm
      serve
    Args:
      some/model
      --max-model-len
      8192
      --override: x
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Message:      first line
      Exit Code:    137
      Started:      Sun, 01 Mar 2026 11:00:00 +0100
      Finished:     Sun, 01 Mar 2026 10:05:00 +0000
    Ready:          False
    Restart Count:  4
    Limits:
      memory:          32Gi
      nvidia.com/gpu:  2
    Requests:
      memory:          32Gi
    Liveness:   http-get http://:8000/health delay=60s timeout=1s period=10s #success=1 #failure=3
    Environment:
      VLLM_LOGGING_LEVEL:  DEBUG
      HF_TOKEN:            <set to the key 'token' in secret 'hf'>  Optional: false
      POD_NAME:            vllm-7d8f6f9c6b-4mnl2 (v1:metadata.name)
    Mounts:
      /dev/shm from shared-mem (rw)
  proxy:
    Image:          envoy
    State:          Running
      Started:      Sun, 01 Mar 2026 10:00:05 +0000
    Ready:          True
    Restart Count:  0
Conditions:
  Type              Status
  Ready             False
  PodScheduled      True
Volumes:
  shared-mem:
    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)
    Medium:     Memory
    SizeLimit:  8Gi
Events:
  Type     Reason     Age                  From               Message
  ----     ------     ----                 ----               -------
  Normal   Scheduled  4m11s                default-scheduler  Successfully assigned ai/vllm to gpu-1
  Warning  Unhealthy  41s (x3 over 61s)    kubelet            Liveness probe failed: connection refused
  Normal   Killing    41s                  kubelet            Container vllm-server failed liveness probe, will be restarted
`;

const inspected = (killed: boolean, running: boolean, code: number) =>
  `[\n  {\n    "State": {\n      "Status": "${running ? 'running' : 'exited'}",\n      "Running": ${running},\n      "OOMKilled": ${killed},\n      "ExitCode": ${code}\n    }\n  }\n]\n`;

it.each([
  ['ended', false, false, 139, { kind: 'terminated', exitCode: { value: 139 }, reason: undefined }],
  ['the kernel killed', true, false, 137, { kind: 'terminated', reason: { value: 'OOMKilled' } }],
  ['runs', false, true, 0, { kind: 'running' }],
] as const)('docker inspect tells of a container that %s', (_, killed, running, code, state) => {
  expect(readDescribe(inspected(killed, running, code)).pod.containers[0]?.state).toMatchObject(state);
});

describe('kubectl describe pod, whole', () => {
  const read = readDescribe(WHOLE);
  const vllm = read.pod.containers.find((container) => container.name?.value === 'vllm-server');

  it('gives the pod', () => {
    expect(read.pod).toMatchObject({
      name: { value: 'vllm-7d8f6f9c6b-4mnl2' },
      namespace: { value: 'ai' },
      node: { value: 'gpu-1' },
      phase: { value: 'Running' },
      createdAt: { value: Date.parse('2026-03-01T10:00:00Z') },
      conditions: [
        { type: 'Ready', status: { value: 'False' } },
        { type: 'PodScheduled', status: { value: 'True' } },
      ],
      volumes: [{ name: 'shared-mem', medium: { value: 'Memory' }, sizeLimit: { value: '8Gi' } }],
    });
  });

  it('tells the containers apart', () => {
    expect(read.pod.containers.map((container) => [container.name?.value, container.kind])).toEqual([
      ['fetch-model', 'init'],
      ['vllm-server', 'container'],
      ['proxy', 'container'],
    ]);
    expect(read.pod.containers[2]).toMatchObject({ state: { kind: 'running' }, ready: { value: true } });
  });

  it.each([
    ['Command: lmcache_server 0.0.0.0 8080', ['lmcache_server', '0.0.0.0', '8080']],
    ['command: ["vllm", "serve", "a b"]', ['vllm', 'serve', 'a b']],
  ])('gives them where they stand behind their key: %s', (line, words) => {
    const [container] = readDescribe(`Containers:\n  server:\n    ${line}\n    Image: x\n`).pod.containers;

    expect(container?.command.map(({ value }) => value)).toEqual(words);
  });

  it('takes the command of a probe for none of the container', () => {
    const probe = 'livenessProbe:\n      exec:\n        command: ["cat", "/tmp/x"]';
    const [container] = readDescribe(`Containers:\n  server:\n    Image: x\n    ${probe}\n`).pod.containers;

    expect(container?.command).toEqual([]);
  });

  it('gives the words of the command one by one', () => {
    expect([...(vllm?.command ?? []), ...(vllm?.args ?? [])].map((word) => word.value)).toEqual([
      'vllm',
      'serve',
      'some/model',
      '--max-model-len',
      '8192',
      '--override: x',
    ]);
  });

  it('gives times with their zones, limits, probe and variables', () => {
    expect(vllm?.lastState).toMatchObject({
      reason: { value: 'OOMKilled' },
      exitCode: { value: 137 },
      startedAt: { value: Date.parse('2026-03-01T10:00:00Z') },
      finishedAt: { value: Date.parse('2026-03-01T10:05:00Z') },
    });
    expect(vllm?.limits.get('nvidia.com/gpu')?.value).toBe('2');
    expect(vllm?.liveness).toMatchObject({ delaySec: 60, periodSec: 10, threshold: 3 });
    expect(vllm?.env.map(({ name, value }) => [name, value?.value])).toEqual([
      ['VLLM_LOGGING_LEVEL', 'DEBUG'],
      ['HF_TOKEN', undefined],
      ['POD_NAME', 'vllm-7d8f6f9c6b-4mnl2'],
    ]);
  });

  it('cites the line as it stands', () => {
    const line = WHOLE.split('\n').findIndex((text) => text.includes('OOMKilled')) + 1;

    expect(vllm?.lastState?.kind === 'terminated' && vllm.lastState.reason?.from).toEqual({
      kind: 'line',
      file: 'describe.txt',
      line,
      text: '      Reason:       OOMKilled',
    });
  });

  it('gives events with their ages, counts and containers', () => {
    expect(read.hasEvents).toBe(true);
    expect(read.events).toMatchObject([
      { reason: { value: 'Scheduled' }, agoSec: 251, count: 1 },
      {
        reason: { value: 'Unhealthy' },
        message: { value: 'Liveness probe failed: connection refused' },
        agoSec: 41,
        count: 3,
      },
      { reason: { value: 'Killing' }, container: 'vllm-server' },
    ]);
  });

  it('is enough for the death and the container spec', () => {
    const evidence = gatherPod({ describe: read });
    const spec = readContainerSpec(evidence);

    expect(readDeath(evidence)).toMatchObject({
      kind: 'death',
      death: { container: 'vllm-server', role: 'engine', uptime: { value: 300 } },
    });
    expect(spec.gpuCount).toMatchObject({ value: 2 });
    expect(spec.shm?.sizeLimit).toBe(8 * 1024 ** 3);
  });
});

describe('a fragment', () => {
  const death = (text: string) => {
    const reading = readDeath(gatherPod({ describe: readDescribe(text) }));
    return reading.kind === 'death'
      ? [reading.death.end.reason?.value, reading.death.end.exitCode?.value]
      : reading.kind;
  };

  it.each([
    [
      'a Last State block',
      '    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137',
      ['OOMKilled', 137],
    ],
    [
      'without the reason',
      '    Last State:     Terminated\n      Exit Code:    137\n    Restart Count:  3',
      [undefined, 137],
    ],
    ['without its head', 'Reason: OOMKilled\nExit Code: 137', ['OOMKilled', 137]],
    ['tabs', '\tLast State:\tTerminated\n\t\tReason:\tError\n\t\tExit Code:\t1', ['Error', 1]],
    ['Windows line ends', 'Last State: Terminated\r\n  Reason: OOMKilled\r\n  Exit Code: 137\r\n', ['OOMKilled', 137]],
    [
      'KServe status',
      '      lastFailureInfo:\n        exitCode: 137\n    Limits:\n      memory: 500Mi',
      [undefined, 137],
    ],
    [
      'YAML status',
      'containerStatuses:\n- lastState:\n    terminated:\n      exitCode: 137\n      reason: OOMKilled\n  name: vllm\n  restartCount: 2',
      ['OOMKilled', 137],
    ],
    ['prose', 'the pod was OOMKilled again', 'none'],
    [
      'a table row',
      'NAME   READY  STATUS     RESTARTS       AGE\nvllm-0  0/1   OOMKilled  6 (118s ago)   20m',
      ['OOMKilled', undefined],
    ],
    [
      'an init row',
      'NAME   READY  STATUS           RESTARTS  AGE\nvllm-0  0/1   Init:OOMKilled   1         20m',
      ['OOMKilled', undefined],
    ],
  ])('%s', (_, text, expected) => {
    expect(death(text)).toEqual(expected);
  });

  it.each([
    ['describe', '    Limits:\n      memory:  6G\n    Requests:\n      memory:  6G', 6e9],
    ['YAML', "resources:\n  limits:\n    cpu: '6'\n    memory: 48Gi\n  requests:\n    memory: 32Gi", 48 * 1024 ** 3],
  ])('of limits: %s', (_, text, bytes) => {
    const spec = readContainerSpec(gatherPod({ describe: readDescribe(text) }));

    expect(spec.memoryLimit).toMatchObject({ value: bytes });
  });

  it('of variables alone is read too', () => {
    const read = readDescribe('      VLLM_USE_V1:   1\n      RAY_ADDRESS:   head:6379 (v1:metadata.name)');

    expect(read.pod.containers[0]?.env.map(({ name, value }) => [name, value?.value])).toEqual([
      ['VLLM_USE_V1', '1'],
      ['RAY_ADDRESS', 'head:6379'],
    ]);
  });

  it('keeps two containers apart though neither has a name', () => {
    const block = 'Last State: Terminated\n  Reason: Error\n  Exit Code: 1\n';

    expect(readDescribe(block + block).pod.containers).toHaveLength(2);
  });
});

it('an ephemeral container is a helper', () => {
  const text = `${WHOLE}Ephemeral Containers:\n  debugger:\n    Image:  busybox\n    State:  Terminated\n      Exit Code:  137\n`;
  const { containers } = readDescribe(text).pod;

  expect(containers.at(-1)).toMatchObject({ name: { value: 'debugger' }, kind: 'sidecar' });
});

describe('kubectl get pods', () => {
  it.each([
    ['with a namespace', 'ai  vllm-0  0/1  CrashLoopBackOff  12 (7m51s ago)  151m', 12],
    ['with the kind in front', 'pod/vllm-0  0/1  Running  6 (118s ago)  20m', 6],
    ['calm', 'vllm-0  1/1  Running  0  3d2h', 0],
  ])('%s', (_, text, restarts) => {
    expect(readDescribe(text).pod).toMatchObject({
      name: { value: 'vllm-0' },
      containers: [{ restarts: { value: restarts } }],
    });
  });

  it.each([
    ['a Deployment', 'deployment.apps/vllm  0/1  1  0  20m'],
    ['a ReplicaSet', 'replicaset.apps/vllm-57c8  1  1  0  20m'],
    ['the head', 'NAME  READY  STATUS  RESTARTS  AGE'],
  ])('is not %s', (_, text) => {
    expect(readDescribe(text).pod.containers).toEqual([]);
  });

  it('takes the worst row for the pod', () => {
    const read = readDescribe('a-1  1/1  Running  0  35m\nb-1  0/1  CrashLoopBackOff  6  10m\n');

    expect(read.pod.name?.value).toBe('b-1');
    expect(read.pod.containers).toMatchObject([{ restarts: { value: 6 }, state: { kind: 'waiting' } }]);
  });
});

describe('events', () => {
  it.each([
    ['without age', 'Warning  Unhealthy  kubelet  Startup probe failed', 'Startup probe failed', undefined],
    ['squeezed', 'Warning Unhealthy kubelet Startup probe failed', 'Startup probe failed', undefined],
    ['kubectl get events', '41s  Warning  Unhealthy  pod/vllm-0  Liveness probe failed', 'Liveness probe failed', 41],
    [
      'of all namespaces',
      'ai  2m  Warning  Unhealthy  pod/vllm-0  Liveness probe failed',
      'Liveness probe failed',
      120,
    ],
    [
      'of unknown age',
      'Warning  Unhealthy  <unknown>  kubelet  Liveness probe failed',
      'Liveness probe failed',
      undefined,
    ],
  ])('%s', (_, text, message, ago) => {
    expect(readDescribe(text).events).toMatchObject([{ type: 'Warning', message: { value: message }, agoSec: ago }]);
  });

  it('are there and empty', () => {
    expect(readDescribe('Events:  <none>')).toMatchObject({ hasEvents: true, events: [] });
  });
});

const LINES = WHOLE.split('\n');

it('any text is read without a throw, and every citation stands in its line', () => {
  const mixed = fc
    .array(fc.oneof(fc.constantFrom(...LINES), fc.string()), { maxLength: 30 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(mixed, (text) => {
      const read = readDescribe(text);
      const lines = text.split('\n');
      const check = (value: unknown): void => {
        if (value instanceof Map) for (const each of value.values()) check(each);
        if (typeof value !== 'object' || value === null) return;
        if ('kind' in value && value.kind === 'line' && 'line' in value && 'text' in value) {
          expect(lines[Number(value.line) - 1]).toContain(value.text);
          expect(value.text).not.toBe('');
        } else for (const each of Object.values(value)) check(each);
      };
      check(read);
      readDeath(gatherPod({ describe: read }));
    }),
    { numRuns: 300, seed: 5 },
  );
});

const stamped = (text: string) => text.replaceAll(/^(?=.)/gm, '2026-08-11T16:23:11.7849854Z ');

it('a description that a runner of CI has stamped is read as it was', () => {
  const death = (text: string) => readDeath(gatherPod({ describe: readDescribe(text) }), 0);
  const end = 'lastState:\n  terminated:\n    exitCode: 137\n    reason: Error\n';

  expect(death(stamped(end))).toMatchObject({ kind: 'death', death: { end: { reason: { value: 'Error' } } } });
});
