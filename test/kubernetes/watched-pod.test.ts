import { describe, expect, it } from 'vitest';
import { readWatchedPod } from '../../src/kubernetes/watch/watched-pod.ts';
import { aDeployment, aPod, NOW } from '../../src/standins/api-server/objects/builders.ts';

const death = { reason: 'OOMKilled', exitCode: 137, startedAt: NOW - 60_000, finishedAt: NOW };
const ended = { ...death, containerId: 'containerd://vllm-1' };

describe('what a watch keeps of a pod', () => {
  it('is under a kilobyte, whatever the object holds', () => {
    const pod = aPod({ annotations: { big: 'x'.repeat(500_000) }, containers: [{ lastDeath: death, restarts: 2 }] });

    const kept = readWatchedPod(pod);

    expect(kept).toEqual({
      ...{ uid: pod.metadata.uid, owner: pod.metadata.uid, namespace: 'llm', name: pod.metadata.name },
      ...{ node: 'gpu-node-1', ready: true, createdAt: NOW - 3_600_000, failed: undefined, leaving: false },
      containers: [{ name: 'vllm', restarts: 2, ended }],
    });
    expect(JSON.stringify(kept).length).toBeLessThan(1000);
  });

  it.each([
    ['that waits to be restarted', { waiting: 'CrashLoopBackOff', lastDeath: death, restarts: 2 }, ended],
    ['that is not restarted yet', { ended: death, restarts: 1 }, ended],
    ['that never ended', {}, undefined],
  ])('has the last end of a container %s', (_, container, expected) => {
    expect(readWatchedPod(aPod({ containers: [container] }))?.containers[0]?.ended).toEqual(expected);
  });

  it('names the controller, an eviction and a deletion', () => {
    const { deployment } = aDeployment({ name: 'vllm' });

    expect(
      readWatchedPod(aPod({ owner: deployment, phase: 'Failed', reason: 'Evicted', deletedAt: NOW })),
    ).toMatchObject({ owner: deployment.metadata.uid, failed: 'Evicted', leaving: true });
  });

  it('has the failure of an init container, and not its success', () => {
    const init = (exitCode: number) =>
      readWatchedPod(aPod({ initContainers: [{ name: 'init', ended: { ...death, exitCode } }] }))?.containers.at(-1);

    expect(init(137)).toMatchObject({ name: 'init', ended: { exitCode: 137 } });
    expect(init(0)).toMatchObject({ name: 'init', ended: undefined });
  });

  it('leaves out what does not parse', () => {
    const pod = aPod({ containers: [{ lastDeath: death, restarts: 2 }] });
    const { containerStatuses } = pod.status as { containerStatuses: object[] };
    const status = {
      conditions: 'x',
      containerStatuses: [null, { name: 7 }, ...containerStatuses, { name: 'ok', state: 5 }],
    };

    expect(readWatchedPod({ ...pod, spec: null, status })).toMatchObject({
      ...{ node: undefined, ready: false },
      containers: [
        { name: 'vllm', ended },
        { name: 'ok', restarts: 0, ended: undefined },
      ],
    });
  });

  it.each([
    [null],
    ['x'],
    [[]],
    [{}],
    [{ metadata: { name: 'a', namespace: 'b' } }],
    [{ metadata: { uid: 'x'.repeat(1000) } }],
  ])('is nothing where it is no pod (%j)', (object) => {
    expect(readWatchedPod(object)).toBeUndefined();
  });
});
