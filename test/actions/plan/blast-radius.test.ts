import { describe, expect, it } from 'vitest';
import type { PlanInput } from '../../../src/actions/plan/plan-action.ts';
import { planAction } from '../../../src/actions/plan/plan-action.ts';
import type { ActionId } from '../../../src/model/action.ts';
import * as given from '../objects.ts';
import { anInput, LOWER, outlineOf, planOf, refusalOf } from './harness.ts';

const ACTIONS: readonly ActionId[] = [
  'scale-to-zero',
  'set-args',
  'stop-bleed',
  'set-allocator',
  'raise-ram',
  'restart-drained',
  'scale-up',
  'roll-back',
];
const EDITS: Partial<Record<ActionId, PlanInput['edits']>> = {
  'raise-ram': [{ flag: 'resources.limits.memory', from: '32Gi', to: '48Gi', why: '', facts: [] }],
  'set-allocator': [
    { flag: 'PYTORCH_CUDA_ALLOC_CONF', from: null, to: 'expandable_segments:True', why: '', facts: [] },
  ],
};
const editsOf = (action: ActionId): PlanInput['edits'] =>
  EDITS[action] ?? (action === 'set-args' || action === 'stop-bleed' ? [LOWER] : []);
const OLD_TEMPLATE = {
  metadata: { labels: { app: 'vllm' } },
  spec: { containers: [{ name: 'proxy', image: 'envoy:old' }, given.aContainer()] },
};

describe('with two of three replicas serving', () => {
  const kinds: readonly { kind: string; object: unknown; surroundings?: unknown[] }[] = [
    { kind: 'Deployment', object: given.aDeployment({ ready: 2 }) },
    {
      kind: 'Deployment that recreates',
      object: given.aDeployment({ ready: 2, spec: { strategy: { type: 'Recreate' } } }),
    },
    { kind: 'StatefulSet', object: given.aStatefulSet({ ready: 2 }) },
    { kind: 'Rollout', object: given.aRollout({ ready: 2 }) },
    { kind: 'blue-green Rollout', object: given.aRollout({ ready: 2, spec: { strategy: { blueGreen: {} } } }) },
    { kind: 'LeaderWorkerSet', object: given.aGroupSet({ replicas: 3, ready: 2 }) },
    { kind: 'InferenceService', object: given.anInferenceService({ spec: { minReplicas: 3 } }) },
    {
      kind: 'Workspace',
      object: given.aWorkspace(),
      surroundings: [
        given.aStatefulSet({ ready: 2, meta: { uid: 'uid-set' }, container: { args: ['--kaito-config-file=x'] } }),
        given.aConfigMap(),
      ],
    },
  ];
  const rows = kinds.flatMap((one) => ACTIONS.map((action) => ({ ...one, action })));
  const names: readonly (readonly string[] | undefined)[] = [['vllm-0'], ['vllm-2'], undefined];

  it.each(rows)('$action of a $kind stops none of them', ({ action, object, surroundings = [] }) => {
    for (const broken of names) {
      const pods = { ready: 2, total: 3, ...(broken && { broken }) };
      const input = anInput({
        action,
        object,
        surroundings,
        pods,
        edits: editsOf(action),
        revisions: { now: {}, before: { template: OLD_TEMPLATE } },
      });

      const outcome = planAction(input);

      if (outcome.kind === 'refused') continue;
      expect(outcome.draft.serving).toMatchObject({ ready: 2, stopped: 0 });
      expect(outcome.draft.confirm).toBeNull();
      for (const step of outcome.draft.steps) {
        if (step.kind === 'wait') expect(step.until).not.toBe('no-pods');
        for (const one of step.kind === 'write' ? step.patch : []) {
          if (/replicas$/.test(one.path) && one.op !== 'test' && one.op !== 'remove')
            expect(Number(one.value)).toBeGreaterThanOrEqual(2);
          expect(JSON.stringify(one)).not.toContain('"true"');
        }
      }
    }
  });

  it('says of all that are replaced that what is in flight in them is cut', () => {
    const draft = planOf({ action: 'set-args', object: given.aDeployment({ replicas: 3, ready: 2 }) });

    expect(draft.serving).toEqual({ ready: 2, total: 3, stopped: 0, replaced: 3 });
    expect(draft.cost).toContain('Requests in flight on the replaced replicas are cut');
  });

  it('counts the GPUs of the broken alone where only these are taken away', () => {
    const draft = planOf({ action: 'scale-to-zero', edits: [], object: given.aDeployment({ replicas: 3, ready: 2 }) });

    expect(draft.supply).toMatch(/^1 GPU per replica becomes free/);
  });

  it('says that nothing would put it back only where that was looked for', () => {
    const said = (notRead: readonly string[]) =>
      planOf({ notRead: [...notRead] }).hazards.some(({ id }) => id === 'uncontested');

    expect([said([]), said(['autoscalers'])]).toEqual([true, false]);
  });

  it('a Deployment replaces the broken one first, without surge, and gets its settings back', () => {
    const object = given.aDeployment({ ready: 2 });

    const draft = planOf({ object });

    expect(outlineOf(draft.steps).join(', ')).toBe(
      'Deployment: strategy, Deployment: args, ready 3, verify 3, Deployment: strategy',
    );
    const [first, , , , last] = draft.steps;
    expect(first?.kind === 'write' && first.patch).toContainEqual({
      op: 'replace',
      path: '/spec/strategy',
      value: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    });
    expect(last?.kind === 'write' && last.patch.at(-1)).toEqual({
      op: 'replace',
      path: '/spec/strategy',
      value: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    });
    expect(draft.outage).toEqual({ ms: 0, says: expect.stringContaining('No downtime') });
  });

  it('a StatefulSet makes the broken one anew alone where it is the highest, and lets the others follow once it serves', () => {
    const pods = { ready: 2, total: 3, broken: ['vllm-2'] };

    const draft = planOf({ object: given.aStatefulSet({ ready: 2 }), pods });

    expect(outlineOf(draft.steps).join(', ')).toBe(
      'StatefulSet: replicas=2, ready 2, StatefulSet: strategy args, StatefulSet: replicas=3, ready 3, verify 3, StatefulSet: strategy, ready 3, verify 3',
    );
  });

  it('groups that would surge are replaced where they are, and their settings come back', () => {
    const path = '/spec/rolloutStrategy';
    const own = { type: 'RollingUpdate', rollingUpdateConfiguration: { maxSurge: 1, maxUnavailable: 1 } };
    const object = given.aGroupSet({ replicas: 3, ready: 3, spec: { rolloutStrategy: own } });

    const { steps } = planOf({ object, pods: { ready: 3, total: 3, broken: [] } });

    const writes = steps.flatMap((step) => (step.kind === 'write' ? [step] : []));
    const set = writes.map(({ patch }) => patch.find((one) => one.op !== 'test' && one.path.startsWith(path)));
    expect(set[0]).toMatchObject({ value: { rollingUpdateConfiguration: { maxSurge: 0, maxUnavailable: 1 } } });
    expect(set.at(-1)).toMatchObject({ value: own });
  });

  it.each([{ broken: ['vllm-0'] }, { broken: ['vllm-1'] }, { broken: undefined }])(
    'a StatefulSet with $broken broken gets commands instead',
    ({ broken }) => {
      const pods = { ready: 2, total: 3, ...(broken && { broken }) };

      const refused = refusalOf({ object: given.aStatefulSet({ ready: 2 }), pods });

      expect(refused).toMatchObject({ why: 'replicas-serve', paste: expect.stringContaining('--max-model-len') });
    },
  );

  it.each([
    [
      'an HPA would raise the count meanwhile',
      [given.anHpa('h', { scaleTargetRef: { kind: 'StatefulSet', name: 'vllm' } })],
      {},
    ],
    ['a partition holds pods back', [], { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }],
  ])('a StatefulSet gets commands where %s', (_name, surroundings, spec) => {
    const pods = { ready: 2, total: 3, broken: ['vllm-2'] };

    expect(refusalOf({ object: given.aStatefulSet({ ready: 2, spec }), surroundings, pods }).why).toBe(
      'replicas-serve',
    );
  });

  it('scale-to-zero takes only the broken one away', () => {
    const draft = planOf({ action: 'scale-to-zero', object: given.aDeployment({ ready: 2 }), edits: [] });

    expect(outlineOf(draft.steps).join(', ')).toBe('Deployment: replicas=2, ready 2');
    expect(draft.hazards.map(({ id }) => id)).toContain('lowered-only');
  });

  it('scale-to-zero of a StatefulSet takes the highest away only where that is the broken one', () => {
    const object = given.aStatefulSet({ ready: 2 });
    const plan = (broken: string[]) =>
      planAction(anInput({ action: 'scale-to-zero', object, edits: [], pods: { ready: 2, total: 3, broken } }));

    expect(plan(['vllm-2'])).toMatchObject({ kind: 'plan' });
    expect(plan(['vllm-1'])).toMatchObject({ kind: 'refused', why: 'replicas-serve' });
  });

  it('an InferenceService, which has no count, gets the command that stops it', () => {
    const object = given.anInferenceService({ spec: { minReplicas: 3 } });

    const refused = refusalOf({ action: 'scale-to-zero', object, edits: [], pods: { ready: 2, total: 3 } });

    expect(refused).toMatchObject({
      why: 'replicas-serve',
      paste: [
        'kubectl -n llm annotate inferenceservice.serving.kserve.io/vllm serving.kserve.io/stop=true',
        '# Rollback:',
        '# kubectl -n llm annotate inferenceservice.serving.kserve.io/vllm serving.kserve.io/stop-',
      ].join('\n'),
    });
  });

  it('the nodes of a Workspace are one engine: none of them is taken away alone', () => {
    const set = given.aStatefulSet({
      ready: 2,
      meta: { uid: 'uid-set' },
      container: { args: ['--kaito-config-file=x'] },
    });
    const pods = { ready: 2, total: 3, broken: ['vllm-2'] };

    const refused = refusalOf({
      action: 'scale-to-zero',
      object: given.aWorkspace(),
      surroundings: [set, given.aConfigMap()],
      edits: [],
      pods,
    });

    expect(refused).toMatchObject({
      why: 'replicas-serve',
      paste: [
        'kubectl -n llm scale statefulset.apps/vllm --replicas=0',
        '# Rollback:',
        '# kubectl -n llm scale statefulset.apps/vllm --replicas=3',
      ].join('\n'),
    });
  });

  it('an HPA would set a lowered count back, so there is no button', () => {
    const refused = refusalOf({
      action: 'scale-to-zero',
      object: given.aDeployment({ ready: 2 }),
      surroundings: [given.anHpa()],
      edits: [],
    });

    expect(refused.why).toBe('would-be-undone');
  });
});

describe('going to zero while replicas serve', () => {
  it.each<[name: string, over: Partial<PlanInput>, stopped: number]>([
    ['scale-to-zero', { action: 'scale-to-zero', edits: [] }, 2],
    ['stop-bleed', { action: 'stop-bleed' }, 2],
  ])('%s needs the name of the workload typed', (_name, over, stopped) => {
    const draft = planOf({ ...over, object: given.aDeployment({ ready: 2 }), toZero: true });

    expect(draft.confirm).toBe('vllm');
    expect(draft.serving).toMatchObject({ ready: 2, total: 3, stopped, replaced: 0 });
    expect(outlineOf(draft.steps)).toContain('no-pods');
  });

  it('is not offered where all of them serve', () => {
    expect(refusalOf({ action: 'scale-to-zero', object: given.aDeployment({ ready: 3 }), edits: [] }).why).toBe(
      'replicas-serve',
    );
  });

  it('is not offered where nobody knows what serves', () => {
    const refused = refusalOf({ action: 'scale-to-zero', object: given.aDeployment({ ready: null }), edits: [] });

    expect(refused).toMatchObject({ why: 'replicas-serve', says: expect.stringContaining('Unknown how many') });
  });

  it('needs no name where nothing serves', () => {
    expect(planOf({ action: 'scale-to-zero', edits: [] })).toMatchObject({
      confirm: null,
      serving: { ready: 0, stopped: 0 },
    });
  });
});

describe('the only replica', () => {
  const object = given.aDeployment({ replicas: 1, ready: 1 });

  it('is not replaced without the typed name', () => {
    expect(refusalOf({ action: 'set-args', object }).why).toBe('replicas-serve');
    expect(refusalOf({ action: 'set-args', object }).says).toMatch(/add `--to-zero`/);
    // What is shown as the headline is cut there.
    expect(refusalOf({ action: 'set-args', object }).says.length).toBeLessThan(290);
    expect(planOf({ action: 'set-args', object, toZero: true })).toMatchObject({
      confirm: 'vllm',
      serving: { stopped: 1 },
    });
  });

  it('goes on serving where a GPU is known to be free for one beside it', () => {
    const known = { startupMs: null, gpus: null, requests: null, freeGpus: 1 };

    const draft = planOf({ action: 'set-args', object, known });

    expect(draft).toMatchObject({ confirm: null, serving: { stopped: 0 }, outage: { ms: 0 } });
    expect(JSON.stringify(draft.steps[0])).toContain('"maxSurge":1');
  });
});
