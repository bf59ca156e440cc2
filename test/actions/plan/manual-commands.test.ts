import { describe, expect, it } from 'vitest';
import { planAction } from '../../../src/actions/plan/plan-action.ts';
import { applyPatch, isSameJson, valueAt } from '../../../src/model/json-patch.ts';
import type { PatchOperation } from '../../../src/model/plan.ts';
import * as given from '../objects.ts';
import { anInput, LOWER, refusalOf } from './harness.ts';

const SOME = { ready: 2, total: 3 };
const mode = (word: string) => ({ meta: { annotations: { 'serving.kserve.io/deploymentMode': word } } });
const blueGreen = (over: object) => given.aRollout({ ready: 2, spec: { strategy: { blueGreen: over } } });
const RAW = given.anInferenceService(mode('RawDeployment'));

function pasteFor(object: unknown, surroundings: readonly unknown[] = []): readonly string[] {
  const refused = refusalOf({ action: 'set-args', object, surroundings, pods: SOME, edits: [LOWER] });
  expect(refused.why).toBe('replicas-serve');
  return (refused.paste ?? '').split('\n');
}

const WORKSPACE = [
  given.aStatefulSet({ ready: 2, meta: { uid: 'uid-set' }, container: { args: ['--kaito-config-file=x'] } }),
  given.aConfigMap(),
];

/** The patch of a command, as kubectl would send it. */
function patchIn(command: string | undefined): readonly PatchOperation[] {
  return JSON.parse(/ -p='(.*)'$/.exec(command ?? '')?.[1]?.replaceAll("'\\''", "'") ?? 'null');
}

function apply(object: unknown, patch: readonly PatchOperation[]): unknown {
  const applied = applyPatch(object, patch);
  if (applied.kind === 'failed') throw new Error(`failed at ${applied.at}: ${JSON.stringify(patch)}`);
  return applied.value;
}

describe('what is to be pasted while some replicas serve', () => {
  it.each([
    [
      'a blue-green Rollout',
      blueGreen({}),
      [],
      /^# A second set starts next to the current one.*needs as many free GPUs again\.$/,
    ],
    [
      'a blue-green Rollout that waits for somebody',
      blueGreen({ autoPromotionEnabled: false }),
      [],
      /kubectl argo rollouts promote vllm -n llm$/,
    ],
    ['an InferenceService in a plain Deployment', RAW, [], /^# Replaces broken replicas first, then one at a time/],
    [
      'an InferenceService of Knative',
      given.anInferenceService(mode('Serverless')),
      [],
      /^# Knative starts a new revision/,
    ],
    ['an InferenceService of neither', given.anInferenceService(), [], /^# The rollout depends/],
    ['a Workspace', given.aWorkspace(), WORKSPACE, /^# The controller restarts all nodes.*is down/],
  ] as const)('says of %s what will happen, does it, and leads back', (_, object, surroundings, head) => {
    const [says, ...lines] = pasteFor(object, surroundings);
    const at = lines.indexOf('# Rollback:');
    const [there, back] = [lines.slice(0, at), lines.slice(at + 1)];

    expect(says).toMatch(head);
    expect(there.every((line) => !line.startsWith('#'))).toBe(true);
    expect(back.length).toBeGreaterThan(0);
    expect(back.every((line) => line.startsWith('# kubectl -n llm patch '))).toBe(true);
    const changed = apply(object, patchIn(there.at(-1)));
    expect(isSameJson(changed, object)).toBe(false);
    expect(isSameJson(apply(changed, patchIn(back[0])), object)).toBe(true);
  });

  it('replaces an InferenceService in a plain Deployment without a second GPU, by its own field', () => {
    const [, command] = pasteFor(RAW);

    expect(valueAt(apply(RAW, patchIn(command)), '/spec/predictor/deploymentStrategy')).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
    });
  });

  it('says why there is no button', () => {
    const says = (object: unknown) => refusalOf({ action: 'set-args', object, pods: SOME, edits: [LOWER] }).says;

    expect(says(RAW)).toMatch(/replicas ready.*does not show the progress/);
    expect(says(blueGreen({}))).toMatch(/on extra GPUs/);
  });

  it('leads back from what another controller would undo, too', () => {
    const object = given.aDeployment({ meta: { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } } });

    const paste = refusalOf({ object, pods: { ready: 0, total: 3 } }).paste ?? '';

    const [there = '', back = ''] = paste.split('# Rollback:');
    expect(there.match(/^kubectl .* patch /gm)?.length).toBeGreaterThan(1);
    expect(back.match(/^# kubectl .* patch /gm)?.length).toBe(there.match(/^kubectl .* patch /gm)?.length);
  });
});

describe('arguments that stand in the runtime of an InferenceService', () => {
  const object = given.anInferenceService({ spec: { model: { runtime: 'shared-vllm' } } });
  const runtime = (kind: string) => ({
    ...given.anObject('serving.kserve.io/v1alpha1', kind, 'shared-vllm'),
    spec: { containers: [{ command: ['python', '-m', 'vllm'] }] },
  });

  it('are left alone: the reason, how to look, and a patch of the one service that leads back', () => {
    const refused = refusalOf({ object, pods: { ready: 0, total: 2 } });
    const lines = (refused.paste ?? '').split('\n');

    expect(refused).toMatchObject({
      why: 'no-container',
      says: expect.stringMatching(/runtime shared-vllm.*shared with other/),
    });
    expect(lines[1]).toMatch(/^kubectl get clusterservingruntime shared-vllm -o jsonpath=/);
    const changed = apply(object, patchIn(lines[2]));
    expect(valueAt(changed, '/spec/predictor/model/args')).toEqual(['--max-model-len=8192']);
    expect(isSameJson(apply(changed, patchIn(lines.at(-1))), object)).toBe(true);
  });

  it('keep no variable from being set', () => {
    const edit = { flag: 'PYTORCH_CUDA_ALLOC_CONF', from: null, to: 'expandable_segments:True', why: '', facts: [] };

    expect(
      planAction(anInput({ action: 'set-allocator', object, edits: [edit], pods: { ready: 0, total: 2 } })).kind,
    ).toBe('plan');
  });

  it('are named, and set on the service behind them, where the runtime of the cluster was read', () => {
    const args = ['--port=8080', '--max-model-len=131072'];
    const shared = { ...runtime('ClusterServingRuntime'), spec: { containers: [{ command: ['python'], args }] } };

    const outcome = planAction(anInput({ object, surroundings: [shared], pods: { ready: 0, total: 2 } }));

    const hazards = outcome.kind === 'plan' ? outcome.draft.hazards : [];
    expect(hazards.find(({ id }) => id === 'runtime-arguments')?.says).toMatch(
      /^ClusterServingRuntime\/shared-vllm, which other workloads share.* sets: --port=8080 --max-model-len=131072\. /,
    );
  });

  it('are set on the service where the runtime of its namespace was read and starts no shell', () => {
    const outcome = planAction(
      anInput({ object, surroundings: [runtime('ServingRuntime')], pods: { ready: 0, total: 2 } }),
    );

    expect(outcome.kind).toBe('plan');
  });
});
