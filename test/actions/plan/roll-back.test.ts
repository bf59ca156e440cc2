import { describe, expect, it } from 'vitest';
import type { PlanDraft, PlanInput } from '../../../src/actions/plan/plan-action.ts';
import { applyPatch, valueAt } from '../../../src/model/json-patch.ts';
import type { WriteStep } from '../../../src/model/plan.ts';
import * as given from '../objects.ts';
import { isSameObject, outlineOf, planOf, refusalOf, runThere } from './harness.ts';

type Json = Record<string, unknown>;
const BACK: Partial<PlanInput> = { action: 'roll-back', edits: [] };

const writesOf = ({ steps }: PlanDraft): WriteStep[] =>
  steps.filter((step): step is WriteStep => step.kind === 'write');

/** The objects as a run has left them after its first writes, and what it had done. */
function leaveBy(over: Partial<PlanInput>, objects: readonly Json[], count = Number.POSITIVE_INFINITY) {
  const draft = planOf(over);
  const done = writesOf(draft).slice(0, count);
  const ran = runThere({ ...draft, steps: done }, objects);
  return { done, objects: (ran?.there ?? []) as Json[] };
}

const withReady = (object: Json | undefined, ready: number): Json => ({
  ...object,
  status: { replicas: ready, ...(ready && { readyReplicas: ready }) },
});

describe('back from a run', () => {
  it('puts the arguments back one replica at a time where all of it was done and serves', () => {
    const before = given.aDeployment({ ready: 0 });
    const { done, objects } = leaveBy({ object: before }, [before]);

    const draft = planOf({ ...BACK, object: withReady(objects[0], 3), done });

    expect(outlineOf(draft.steps).join(', ')).toBe(
      'Deployment: strategy, Deployment: args, ready 3, verify 3, Deployment: strategy',
    );
    expect(draft.confirm).toBeNull();
    const [there] = runThere(draft, objects)?.there ?? [];
    expect(isSameObject(there, before)).toBe(true);
  });

  it('scales up to the count before where the run went to zero', () => {
    const before = given.aDeployment({ ready: 0 });
    const { done, objects } = leaveBy({ action: 'scale-to-zero', edits: [], object: before }, [before]);

    const draft = planOf({ ...BACK, object: withReady(objects[0], 0), done });

    expect(outlineOf(draft.steps).join(', ')).toBe(
      'Deployment: replicas=1, ready 1, Deployment: replicas=3, ready 3, verify 3',
    );
  });

  it('puts both back where the run stopped half-way', () => {
    const before = given.aDeployment({ ready: 0 });
    const { done, objects } = leaveBy({ object: before }, [before], 2);

    const draft = planOf({ ...BACK, object: withReady(objects[0], 0), done });

    expect(outlineOf(draft.steps).slice(0, 2)).toEqual(['Deployment: args', 'Deployment: replicas=1']);
    expect(isSameObject(runThere(draft, objects)?.there[0], withReady(before, 0))).toBe(false);
    const [there] = runThere(draft, objects)?.there ?? [];
    expect((there as Json).spec).toEqual(before.spec);
  });

  it('starts a service again that the run has stopped', () => {
    const before = given.anInferenceService();
    const pods = { ready: 0, total: 2 };
    const { done, objects } = leaveBy({ action: 'scale-to-zero', edits: [], object: before, pods }, [before]);

    const draft = planOf({ ...BACK, object: objects[0] ?? {}, done, pods: { ready: 0, total: 0 } });

    expect(outlineOf(draft.steps).join(', ')).toBe('InferenceService: stop gone, ready 2, verify 2');
  });

  it('has a Workspace read its old ConfigMap again', () => {
    const before = given.aWorkspace();
    const surroundings = [given.aWorkspaceSet(), given.aConfigMap()];
    const { done, objects } = leaveBy({ object: before, surroundings }, [before, ...surroundings]);
    const [workspace, set, map] = objects;
    const made = {
      ...map,
      metadata: { ...(map?.metadata as Json), name: valueAt(workspace, '/inference/config'), uid: 'uid-new' },
    };

    const draft = planOf({ ...BACK, object: workspace ?? {}, surroundings: [set, map, made], done });

    expect(JSON.stringify(draft.steps)).toContain('"value":"phi-config"');
  });

  it('writes over no later change of a person, and shows both values', () => {
    const before = given.aDeployment({ ready: 0 });
    const { done, objects } = leaveBy({ action: 'scale-to-zero', edits: [], object: before }, [before]);
    const changed = applyPatch(objects[0], [{ op: 'replace', path: '/spec/replicas', value: 5 }]);

    const refused = refusalOf({ ...BACK, object: changed.kind === 'applied' ? changed.value : {}, done });

    expect(refused).toMatchObject({
      why: 'changed-since',
      says: expect.stringMatching(/\/spec\/replicas is 5, the run had set 0/),
    });
  });

  it('does not go where an object of the run was not read', () => {
    const before = given.aDeployment({ ready: 0 });
    const scaled = given.aScaledObject();
    const { done } = leaveBy({ action: 'scale-to-zero', edits: [], object: before, surroundings: [scaled] }, [
      before,
      scaled,
    ]);

    expect(refusalOf({ ...BACK, object: before, done }).why).toBe('changed-since');
  });

  it('takes nothing that serves to zero without the typed name', () => {
    const before = given.aDeployment({ replicas: 0, ready: 0 });
    const { done, objects } = leaveBy({ action: 'scale-up', edits: [], object: before, recordedReplicas: 2 }, [before]);
    const now = { ...BACK, object: withReady(objects[0], 2), done };

    expect(refusalOf(now)).toMatchObject({
      why: 'replicas-serve',
      says: expect.stringMatching(/add `--to-zero`/),
    });
    expect(planOf({ ...now, toZero: true }).confirm).toBe('vllm');
  });
});

describe('back to the revision before', () => {
  const template = (container: Json, labels: Json = {}): Json => ({
    metadata: { labels: { app: 'vllm', ...labels } },
    spec: { containers: [{ name: 'proxy', image: 'envoy' }, container] },
  });
  const hidden = [
    { name: 'HF_TOKEN', value: '[redacted:secret-value]' },
    { name: 'PLAIN', value: 'also-not-shown' },
  ];

  it('changes what differs and keeps the secrets that the evidence hides', () => {
    const previous = template(
      given.aContainer({ image: 'vllm/vllm-openai:v0.10.0', args: ['--max-model-len', '8192'], env: hidden }),
      { 'pod-template-hash': 'abc' },
    );

    const draft = planOf({
      ...BACK,
      object: given.aDeployment({ ready: 3 }),
      revisions: { now: {}, before: { template: previous } },
    });

    const writes = writesOf(draft).slice(0, 2);
    const changed = writes.flatMap(({ patch }) => patch.filter(({ op }) => op !== 'test').map(({ path }) => path));
    expect(changed).toEqual([
      '/spec/strategy',
      '/spec/template/spec/containers/1/image',
      '/spec/template/spec/containers/1/args',
    ]);
    expect(JSON.stringify(draft.steps)).not.toContain('redacted');
    expect(draft.diff).toContain('v0.10.0');
  });

  it.each([
    ['is none where it is the same', template(given.aContainer({ env: hidden })), 'nothing-to-do'],
    [
      'is not made of values that the evidence hides and the object has not',
      template(given.aContainer({ env: [...hidden, { name: 'OLD_KEY', value: '[redacted:secret-value]' }] })),
      'hidden-values',
    ],
  ])('%s', (_name, previous, why) => {
    expect(
      refusalOf({
        ...BACK,
        object: given.aDeployment({ ready: 3 }),
        revisions: { now: {}, before: { template: previous } },
      }).why,
    ).toBe(why);
  });

  it('is refused where the workload was changed since the rollout', () => {
    const live = valueAt(given.aDeployment({ ready: 3 }), '/spec/template');
    const [old, other] = ['old', 'other'].map((image) => template(given.aContainer({ image })));
    const from = (now: unknown) => ({
      ...BACK,
      object: given.aDeployment({ ready: 3 }),
      revisions: { now: { template: now }, before: { template: old } },
    });

    expect(refusalOf(from(other)).why).toBe('changed-since');
    expect(planOf(from(live)).steps).not.toEqual([]);
  });

  it('puts leader and workers of a LeaderWorkerSet back in one write', () => {
    const object = given.aGroupSet({ ready: 0 });
    const at = (name: string) => valueAt(object, `/spec/leaderWorkerTemplate/${name}`) as Json | undefined;
    const memory = (found: Json | undefined) =>
      found && JSON.parse(JSON.stringify(found).replaceAll('"nvidia.com/gpu"', '"example.com/gpu"'));
    const [leader, worker] = [at('leaderTemplate'), at('workerTemplate')];
    const before = { template: memory(worker), ...(leader && { leader: memory(leader) }) };

    const draft = planOf({ ...BACK, object, pods: { ready: 0, total: 1 }, revisions: { now: {}, before } });

    const paths = writesOf(draft).flatMap(({ patch }) => patch.map(({ path }) => path));
    expect(paths.some((path) => path.includes('/workerTemplate/'))).toBe(true);
    expect(paths.some((path) => path.includes('/leaderTemplate/'))).toBe(leader !== undefined);
  });

  it('is for kinds that keep revisions', () => {
    const previous = template(given.aContainer({ image: 'old' }));

    expect(
      planOf({
        ...BACK,
        object: given.aStatefulSet({ ready: 3 }),
        revisions: { now: {}, before: { template: { $patch: 'replace', ...previous } } },
      }).steps,
    ).not.toEqual([]);
    expect(
      refusalOf({
        ...BACK,
        object: given.anInferenceService(),
        pods: { ready: 0, total: 2 },
        revisions: { now: {}, before: { template: previous } },
      }).why,
    ).toBe('no-record');
  });
});
