import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlanInput, planAction } from '../../../src/actions/plan/plan-action.ts';
import { judgeWrite, stampPatch } from '../../../src/actions/run/stamp.ts';
import { ActionId } from '../../../src/model/action.ts';
import { applyPatch, valueAt } from '../../../src/model/json-patch.ts';
import { Plan } from '../../../src/model/plan.ts';
import type { Edit } from '../../../src/model/verdict.ts';
import * as given from '../objects.ts';
import { anInput, isSameObject, LOWER, runThere } from './harness.ts';

const SEED = { seed: 4, numRuns: 150 };
const EDITS: readonly Edit[] = [
  LOWER,
  { flag: '--max-num-seqs', from: null, to: '16', why: '', facts: [] },
  { flag: '--gpu-memory-utilization', from: null, to: '0.85', why: '', facts: [] },
  { flag: '--enable-prefix-caching', from: null, to: 'false', why: '', facts: [] },
  { flag: 'PYTORCH_CUDA_ALLOC_CONF', from: null, to: 'expandable_segments:True', why: '', facts: [] },
  { flag: 'resources.limits.memory', from: null, to: '48Gi', why: '', facts: [] },
];

type Scene = { object: Record<string, unknown>; surroundings: Record<string, unknown>[]; ready: number; total: number };

const aScene = fc
  .record({
    kind: fc.constantFrom('Deployment', 'StatefulSet', 'Rollout', 'LeaderWorkerSet', 'InferenceService', 'Workspace'),
    replicas: fc.integer({ min: 0, max: 4 }),
    down: fc.integer({ min: 0, max: 4 }),
    keda: fc.option(
      fc.constantFrom<Record<string, string> | undefined>(
        undefined,
        { a: '1' },
        { 'autoscaling.keda.sh/paused-replicas': '2' },
      ),
    ),
    hpa: fc.boolean(),
    annotations: fc.option(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.string())),
    recreate: fc.boolean(),
  })
  .map(({ kind, replicas, down, keda, hpa, annotations, recreate }): Scene => {
    const ready = Math.max(0, replicas - down);
    const meta = annotations === null ? {} : { annotations };
    const over = { replicas, ready, meta };
    const spec = recreate ? { strategy: { type: 'Recreate' } } : {};
    const set = given.aStatefulSet({
      replicas,
      ready,
      meta: { uid: 'uid-set' },
      container: { args: ['--kaito-config-file=x'] },
    });
    const objects: Record<string, [Record<string, unknown>, Record<string, unknown>[]]> = {
      Deployment: [given.aDeployment({ ...over, spec }), []],
      StatefulSet: [given.aStatefulSet(over), []],
      Rollout: [given.aRollout(over), []],
      LeaderWorkerSet: [given.aGroupSet(over), []],
      InferenceService: [given.anInferenceService({ meta, spec: replicas > 0 ? { minReplicas: replicas } : {} }), []],
      Workspace: [given.aWorkspace(), [set, given.aConfigMap()]],
    };
    const [object, own] = objects[kind] ?? [{}, []];
    const scalers = [...(keda === null ? [] : [given.aScaledObject(keda)]), ...(hpa ? [given.anHpa()] : [])];
    return { object, surroundings: [...own, ...scalers], ready, total: replicas };
  });

const anInputOf = fc
  .record({
    scene: aScene,
    action: fc.constantFrom(...ActionId.options),
    edits: fc.subarray([...EDITS], { minLength: 1 }),
    toZero: fc.boolean(),
    recorded: fc.option(fc.integer({ min: 1, max: 4 })),
    broken: fc.boolean(),
  })
  .map(({ scene, action, edits, toZero, recorded, broken }): PlanInput => {
    const { object, surroundings, ready, total } = scene;
    const names = Array.from({ length: Math.max(0, total - ready) }, (_, i) => `vllm-${ready + i}`);
    const pods = { ready, total, ...(broken && { broken: names }) };
    return anInput({ action, object, surroundings, edits, toZero, recordedReplicas: recorded, pods });
  });

describe('any plan', () => {
  it('applies to the objects it was made from, and its way back leads to them', () => {
    let plans = 0;
    fc.assert(
      fc.property(anInputOf, (input) => {
        const outcome = planAction(input);
        if (outcome.kind === 'refused') return;
        plans += 1;
        const objects = [input.object, ...input.surroundings];

        const ran = runThere(outcome.draft, objects);

        expect(ran).toBeDefined();
        const isRestart = input.action === 'restart-drained';
        if (!isRestart) expect(ran?.back.every((object, i) => isSameObject(object, objects[i]))).toBe(true);
      }),
      SEED,
    );
    expect(plans).toBeGreaterThan(50);
  });

  it('is written once: stamped, the second time each step is done already', () => {
    fc.assert(
      fc.property(anInputOf, (input) => {
        const outcome = planAction(input);
        const now = new Map(
          [input.object, ...input.surroundings].map((object) => [valueAt(object, '/metadata/uid'), object]),
        );
        for (const step of outcome.kind === 'plan' ? outcome.draft.steps : []) {
          if (step.kind !== 'write') continue;
          const object = now.get(step.object.uid);
          expect(judgeWrite(object, step, 'run_1')).toBe('apply');

          const [part] = stampPatch(step, object, { runId: 'run_1' });
          const once = applyPatch(object, part?.patch ?? []);

          expect(once.kind).toBe('applied');
          const after = once.kind === 'applied' ? once.value : undefined;
          expect(applyPatch(after, part?.patch ?? []).kind).toBe('failed');
          expect(judgeWrite(after, step, 'run_1')).toBe('already');
          now.set(step.object.uid, after);
        }
      }),
      SEED,
    );
  });

  it('is as its schema says, and stops what serves only for a typed name', () => {
    fc.assert(
      fc.property(anInputOf, (input) => {
        const outcome = planAction(input);
        if (outcome.kind === 'refused') {
          expect(outcome.says).not.toBe('');
          return;
        }
        const { draft } = outcome;
        const whole = {
          ...draft,
          id: 'p',
          incidentId: 'i',
          hash: 'h',
          proposedBy: 'U_ONCALL',
          proposedAt: 1,
          expiresAt: 2,
          state: 'proposed',
        };
        expect(Plan.safeParse(whole).error).toBeUndefined();
        const toZero = draft.steps.some((step) => step.kind === 'wait' && step.until === 'no-pods');
        if (toZero && draft.serving.ready > 0) expect(draft.confirm).toBe('vllm');
        if (!input.toZero) expect(draft.serving.ready === 0 || draft.serving.stopped < draft.serving.ready).toBe(true);
        expect(JSON.stringify(draft.diff)).not.toMatch(/hf_do-not-show|also-not-shown/);
      }),
      SEED,
    );
  });

  it('is made of any JSON without a throw', () => {
    const kinds = fc.constantFrom(
      'apps/v1 Deployment',
      'apps/v1 StatefulSet',
      'serving.kserve.io/v1beta1 InferenceService',
      'kaito.sh/v1 Workspace',
      'argoproj.io/v1 Rollout',
      'leaderworkerset.x-k8s.io/v1 LeaderWorkerSet',
    );
    fc.assert(
      fc.property(
        kinds,
        fc.jsonValue(),
        fc.jsonValue(),
        fc.constantFrom(...ActionId.options),
        (kind, spec, other, action) => {
          const [apiVersion, name] = kind.split(' ');
          const head = { apiVersion, kind: name, metadata: { name: 'x', namespace: 'y', uid: 'z' } };
          const replicas = { replicas: 1, template: other, predictor: other };
          planAction(
            anInput({
              action,
              object: { ...head, spec },
              surroundings: [other],
              revisions: { now: {}, before: { template: other } },
            }),
          );
          planAction(
            anInput({
              action,
              object: { ...head, spec: replicas, status: other },
              surroundings: [spec],
              revisions: { now: {}, before: { template: spec } },
            }),
          );
          planAction(anInput({ action, object: other }));
        },
      ),
      SEED,
    );
  });
});
