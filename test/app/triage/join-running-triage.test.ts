import { describe, expect, it } from 'vitest';
import { belongsTo, joinKey } from '../../../src/app/triage/triage.ts';
import { anActor, anAsker, aRequest, aTarget } from './triage-harness.ts';

const keyOf = (pod: string, over: { namespace?: string; container?: string; external?: boolean } = {}) => {
  const { asker, actor } = aRequest(pod, over.external === undefined ? {} : { external: over.external });
  return joinKey({
    asker,
    actor,
    query: { cluster: undefined, namespace: over.namespace, pod, container: over.container },
  });
};

describe('requests that may be about one workload', () => {
  it.each([
    ['pods of a Deployment', 'vllm-server-7d8f6f9c6b-4mnl2', 'vllm-server-7d8f6f9c6b-zzzzz', true],
    ['pods of two revisions', 'vllm-server-7d8f6f9c6b-4mnl2', 'vllm-server-5c5c5c5c5c-4mnl2', true],
    ['pods of a StatefulSet', 'vllm-0', 'vllm-1', true],
    ['a pod and its workload', 'vllm-server', 'vllm-server-7d8f6f9c6b-zzzzz', true],
    ['two models', 'llama-70b-0', 'llama-8b-0', false],
    ['Deployments with a number', 'vllm-7-7d8f6f9c6b-4mnl2', 'vllm-8-7d8f6f9c6b-4mnl2', false],
  ])('%s: %s, %s', (_name, one, other, same) => {
    expect(keyOf(one) === keyOf(other)).toBe(same);
  });

  it.each([
    ['namespaces', { namespace: 'a' }, { namespace: 'b' }],
    ['containers', { container: 'a' }, { container: 'b' }],
    ['rights to see evidence', { external: true }, { external: false }],
  ])('of two %s are never joined', (_name, one, other) => {
    expect(keyOf('vllm-0', one)).not.toBe(keyOf('vllm-0', other));
  });

  it('of two channels are never joined', () => {
    const query = { cluster: undefined, namespace: undefined, pod: 'vllm-0', container: undefined };
    const [one, other] = [anAsker(), anAsker({ conversation: 'C_OTHER' })];

    expect(joinKey({ asker: one, actor: anActor(one), query })).not.toBe(
      joinKey({ asker: other, actor: anActor(other), query }),
    );
  });
});

describe('a name belongs to the workload that was found', () => {
  it.each([
    ['Deployment/vllm-7', 'vllm-7-7d8f6f9c6b-4mnl2', true],
    ['Deployment/vllm-7', 'vllm-7', true],
    ['Deployment/vllm-7', 'vllm-8', false],
    ['Deployment/vllm-7', 'vllm-70-7d8f6f9c6b-4mnl2', false],
    ['Deployment/vllm', 'vllm-embed-7d8f6f9c6b-4mnl2', false],
    ['ReplicaSet/vllm', 'vllm-4mnl2', true],
    ['DaemonSet/vllm', 'vllm-4mnl2', true],
    ['Job/train-2', 'train-2-4mnl2', true],
    ['Job/train-2', 'train-2-0-4mnl2', true],
    ['Job/train-2', 'train-4-4mnl2', false],
    ['StatefulSet/vllm', 'vllm-12', true],
    ['StatefulSet/vllm', 'vllm-1-0', false],
    ['StatefulSet/llama-70b', 'llama-8b-0', false],
    ['LeaderWorkerSet/vllm', 'vllm-0', true],
    ['LeaderWorkerSet/vllm', 'vllm-0-3', true],
    ['Pod/vllm-7', 'vllm-7', true],
    ['Pod/vllm-7', 'vllm-8', false],
    ['RayCluster/ray', 'ray-worker-4mnl2', true],
    ['RayCluster/ray', 'rayon-4mnl2', false],
  ])('%s, %s: %s', (workload, name, belongs) => {
    expect(belongsTo(name, aTarget({ workload, pod: 'found-pod' }))).toBe(belongs);
  });

  it('as the pod that has been replaced', () => {
    expect(belongsTo('old-0', aTarget({ workload: 'StatefulSet/new', pod: 'new-0', replaced: 'old-0' }))).toBe(true);
  });
});
