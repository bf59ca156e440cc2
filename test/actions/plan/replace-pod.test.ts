import { describe, expect, it } from 'vitest';
import { planAction } from '../../../src/actions/plan/plan-action.ts';
import type { PlanInput } from '../../../src/actions/plan/plan-input.ts';
import type { WriteStep } from '../../../src/model/plan.ts';
import { aDeployment, aPod, aStatefulSet } from '../../../src/standins/api-server/objects/builders.ts';
import { anInput } from './harness.ts';

const { deployment, replicaSet } = aDeployment({ labels: { app: 'vllm-server' } });
const POD_LABELS = { app: 'vllm-server', role: 'engine', 'pod-template-hash': '7d8f6f9c6b' };
const pod = aPod({ name: 'vllm-server-7d8f6f9c6b-4mnl2', labels: POD_LABELS, owner: replicaSet });
const service = (selector: object, name = 'front') => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'llm', uid: `uid-${name}` },
  spec: { selector },
});

const plan = (surroundings: readonly unknown[], more: Partial<PlanInput> = {}) =>
  planAction(
    anInput({
      action: 'replace-pod',
      object: deployment,
      surroundings: [pod, replicaSet, deployment, ...surroundings],
      pod: pod.metadata.uid,
      pods: { ready: 2, total: 2, broken: [] },
      ...more,
    }),
  );
const stepsOf = (...given: Parameters<typeof plan>) => {
  const made = plan(...given);
  if (made.kind !== 'plan') throw new Error(made.says);
  return { ...made.draft, writes: made.draft.steps.filter((step): step is WriteStep => step.kind === 'write') };
};

describe('the replacement of one pod', () => {
  it('takes it out of its Service, ends it, and waits until its owner has made another', () => {
    const { steps, writes, serving } = stepsOf([service({ app: 'vllm-server' })]);

    expect(steps.map(({ kind }) => kind)).toEqual(['write', 'write', 'wait', 'verify']);
    expect(writes.map(({ object }) => object.kind)).toEqual(['Pod', 'Pod']);
    expect(writes[0]?.patch).toContainEqual({ op: 'replace', path: '/metadata/labels/app', value: 'out-of-service' });
    expect(writes[0]?.inverse).toContainEqual({ op: 'replace', path: '/metadata/labels/app', value: 'vllm-server' });
    expect(writes[1]?.patch).toContainEqual({ op: 'add', path: '/spec/activeDeadlineSeconds', value: 1 });
    expect(writes[1]?.inverse.every(({ op }) => op === 'test')).toBe(true);
    expect(serving).toMatchObject({ ready: 2, total: 2, stopped: 1, replaced: 1 });
  });

  it.each([
    [
      'one that the owner does not select by, where there is one',
      [service({ app: 'vllm-server', role: 'engine' })],
      'role',
    ],
    ['that of the owner where no Service selects it', [service({ app: 'other' })], 'app'],
  ])('changes as label %s', (_name, services, label) => {
    expect(stepsOf(services).writes[0]?.patch.map(({ path }) => path)).toContain(`/metadata/labels/${label}`);
  });

  it('keeps the labels of a pod whose owner waits for one of the same name', () => {
    const owner = aStatefulSet({ labels: { app: 'vllm-server' } });
    const own = aPod({ name: 'vllm-server-0', labels: { app: 'vllm-server' }, owner });
    const surroundings = [own, owner, service({ app: 'vllm-server' })];

    const { writes, hazards } = stepsOf([], { object: owner, surroundings, pod: own.metadata.uid });

    expect(writes).toHaveLength(1);
    expect(hazards.map(({ id }) => id)).toContain('no-free-label');
  });

  it('is not stopped by what reverts the workload, and refused where the pod is gone or nobody makes another', () => {
    const flux = {
      ...deployment,
      metadata: { ...deployment.metadata, labels: { 'kustomize.toolkit.fluxcd.io/name': 'a' } },
    };
    const bare = { ...pod, metadata: { ...pod.metadata, ownerReferences: undefined } };

    expect(plan([], { object: flux }).kind).toBe('plan');
    expect(plan([], { pod: 'uid-other' })).toMatchObject({ kind: 'refused', why: 'changed-since' });
    expect(plan([], { surroundings: [bare] })).toMatchObject({ kind: 'refused', why: 'unknown-owner' });
  });
});
