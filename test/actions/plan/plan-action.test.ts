import { describe, expect, it } from 'vitest';
import { hashPlan } from '../../../src/actions/plan/hash-plan.ts';
import { type PlanInput, planAction } from '../../../src/actions/plan/plan-action.ts';
import { Plan } from '../../../src/model/plan.ts';
import * as given from '../objects.ts';
import { anInput, LOWER, outlineOf, planOf, refusalOf } from './harness.ts';

const AROUND = [given.aWorkspaceSet(), given.aConfigMap()];
const MEMORY = (to: string): PlanInput['edits'] => [
  { flag: 'resources.limits.memory', from: null, to, why: '', facts: [] },
];
const ALLOCATOR: PlanInput['edits'] = [
  { flag: 'PYTORCH_CUDA_ALLOC_CONF', from: null, to: 'expandable_segments:True', why: '', facts: [] },
];

describe('stop-bleed with all replicas down', () => {
  it.each<{ name: string; over: Partial<PlanInput>; steps: string }>([
    {
      name: 'Deployment',
      over: {},
      steps:
        'Deployment: replicas=0, no-pods, Deployment: args, Deployment: replicas=1, ready 1, Deployment: replicas=3, ready 3, verify 3',
    },
    {
      name: 'Deployment with one replica',
      over: { object: given.aDeployment({ replicas: 1, ready: 0 }) },
      steps: 'Deployment: replicas=0, no-pods, Deployment: args, Deployment: replicas=1, ready 1, verify 1',
    },
    {
      name: 'Deployment at zero, the count recorded',
      over: { object: given.aDeployment({ replicas: 0, ready: 0 }), recordedReplicas: 2 },
      steps: 'no-pods, Deployment: args, Deployment: replicas=1, ready 1, Deployment: replicas=2, ready 2, verify 2',
    },
    {
      name: 'Deployment under an HPA, which takes over at its minimum',
      over: { beside: [given.anHpa()] },
      steps: 'Deployment: replicas=0, no-pods, Deployment: args, Deployment: replicas=2, ready 2, verify 2',
    },
    {
      name: 'Deployment under KEDA, which sets the count that it is paused at',
      over: { beside: [given.aScaledObject()] },
      steps:
        'ScaledObject: paused=0, no-pods, Deployment: args, ScaledObject: paused=1, ready 1, ScaledObject: paused=3, ready 3, verify 3, ScaledObject: paused gone',
    },
    {
      name: 'LeaderWorkerSet',
      over: { object: given.aGroupSet() },
      steps:
        'LeaderWorkerSet: replicas=0, no-pods, LeaderWorkerSet: args, LeaderWorkerSet: replicas=1, ready 1, LeaderWorkerSet: replicas=2, ready 2, verify 2',
    },
    {
      name: 'StatefulSet',
      over: { object: given.aStatefulSet({ ready: 0 }) },
      steps:
        'StatefulSet: replicas=0, no-pods, StatefulSet: args, StatefulSet: replicas=1, ready 1, StatefulSet: replicas=3, ready 3, verify 3',
    },
    {
      name: 'InferenceService',
      over: { object: given.anInferenceService(), pods: { ready: 0, total: 2 } },
      steps:
        'InferenceService: stop=true, no-pods, InferenceService: args, InferenceService: stop gone, ready 2, verify 2',
    },
    {
      name: 'InferenceService in a plain Deployment, one replica first',
      over: {
        object: given.anInferenceService({
          meta: { annotations: { 'serving.kserve.io/deploymentMode': 'RawDeployment' } },
          spec: { maxReplicas: 4 },
        }),
        pods: { ready: 0, total: 2 },
      },
      steps:
        'InferenceService: stop=true, no-pods, InferenceService: args, InferenceService: stop gone minReplicas=1 maxReplicas=1, ready 1, InferenceService: minReplicas=2 maxReplicas=4, ready 2, verify 2',
    },
    {
      name: 'Workspace',
      over: { object: given.aWorkspace(), beside: AROUND },
      steps:
        'StatefulSet: replicas=0, no-pods, create ConfigMap, Workspace: config, StatefulSet: replicas=1, ready 1, verify 1',
    },
    {
      name: 'Rollout',
      over: { object: given.aRollout({ ready: 0 }) },
      steps:
        'Rollout: replicas=0, no-pods, Rollout: args, Rollout: replicas=1, ready 1, Rollout: replicas=3, ready 3, verify 3',
    },
  ])('$name', ({ over, steps }) => {
    expect(outlineOf(planOf(over).steps).join(', ')).toBe(steps);
  });

  it('numbers its steps from one on, without a gap', () => {
    expect(planOf().steps.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('keeps a pause of somebody else', () => {
    const { steps, hazards } = planOf({
      beside: [given.aScaledObject({ 'autoscaling.keda.sh/paused-replicas': '3' })],
    });

    expect(outlineOf(steps).at(-1)).toBe('verify 3');
    expect(steps.filter(({ kind }) => kind === 'write').at(-1)).toMatchObject({
      patch: [{ value: '1' }, { value: '3' }],
    });
    expect(hazards.find(({ id }) => id === 'keda')?.says).toContain('someone else');
  });

  it('leaves a frozen KEDA alone', () => {
    const { steps } = planOf({ beside: [given.aScaledObject({ 'autoscaling.keda.sh/paused': 'true' })] });

    expect(outlineOf(steps).some((step) => step.startsWith('ScaledObject'))).toBe(false);
  });

  it('asks for the count where nobody recorded it', () => {
    expect(refusalOf({ object: given.aDeployment({ replicas: 0, ready: 0 }) }).why).toBe('no-record');
  });

  it('is as the schema of a plan has it, and its hash changes with what it does', () => {
    const draft = planOf();
    const whole = {
      ...draft,
      id: 'p',
      incidentId: 'i',
      hash: hashPlan(draft),
      proposedBy: 'U_ONCALL',
      proposedAt: 1,
      expiresAt: 2,
      state: 'proposed',
    };

    expect(Plan.safeParse(whole).error).toBeUndefined();
    expect(hashPlan(JSON.parse(JSON.stringify(draft)))).toBe(hashPlan(draft));
    expect(hashPlan(planOf({ edits: [{ ...LOWER, to: '4096' }] }))).not.toBe(hashPlan(draft));
    expect(hashPlan({ ...draft, approvals: 2 })).not.toBe(hashPlan(draft));
  });
});

describe('the other actions', () => {
  it.each<{ name: string; over: Partial<PlanInput>; steps: string }>([
    {
      name: 'scale-to-zero',
      over: { action: 'scale-to-zero', edits: [] },
      steps: 'Deployment: replicas=0, no-pods',
    },
    {
      name: 'scale-to-zero under KEDA',
      over: { action: 'scale-to-zero', edits: [], beside: [given.aScaledObject()] },
      steps: 'ScaledObject: paused=0, no-pods',
    },
    {
      name: 'set-args with all down',
      over: { action: 'set-args' },
      steps: 'Deployment: strategy, Deployment: args, ready 3, verify 3, Deployment: strategy',
    },
    {
      name: 'set-args at zero',
      over: { action: 'set-args', object: given.aDeployment({ replicas: 0, ready: 0 }) },
      steps: 'Deployment: args',
    },
    {
      name: 'set-args with all serving',
      over: { action: 'set-args', object: given.aDeployment({ ready: 3 }) },
      steps: 'Deployment: strategy, Deployment: args, ready 3, verify 3, Deployment: strategy',
    },
    {
      name: 'set-args of a StatefulSet that is all down',
      over: { action: 'set-args', object: given.aStatefulSet({ replicas: 1, ready: 0 }) },
      steps: 'StatefulSet: replicas=0, no-pods, StatefulSet: args, StatefulSet: replicas=1, ready 1, verify 1',
    },
    {
      name: 'set-args of a StatefulSet that all serves',
      over: { action: 'set-args', object: given.aStatefulSet({ ready: 3 }) },
      steps: 'StatefulSet: args, ready 3, verify 3',
    },
    {
      name: 'scale-up',
      over: {
        action: 'scale-up',
        edits: [],
        object: given.aDeployment({ replicas: 0, ready: 0 }),
        recordedReplicas: 2,
      },
      steps: 'Deployment: replicas=1, ready 1, Deployment: replicas=2, ready 2, verify 2',
    },
    {
      name: 'scale-up from one',
      over: {
        action: 'scale-up',
        edits: [],
        object: given.aDeployment({ replicas: 1, ready: 1 }),
        recordedReplicas: 2,
      },
      steps: 'Deployment: replicas=2, ready 2, verify 2',
    },
    {
      name: 'set-allocator',
      over: { action: 'set-allocator', edits: ALLOCATOR },
      steps: 'Deployment: strategy, Deployment: env, ready 3, verify 3, Deployment: strategy',
    },
    {
      name: 'raise-ram, the request with it where the two are equal',
      over: { action: 'raise-ram', edits: MEMORY('48Gi') },
      steps: 'Deployment: strategy, Deployment: limit=48Gi request=48Gi, ready 3, verify 3, Deployment: strategy',
    },
    {
      name: 'restart-drained',
      over: { action: 'restart-drained', edits: [], object: given.aDeployment({ ready: 3 }) },
      steps: 'drained, Deployment: strategy, Deployment: restart, ready 3, verify 3, Deployment: strategy',
    },
    {
      name: 'prefix caching off',
      over: { action: 'set-args', edits: [{ ...LOWER, flag: '--enable-prefix-caching', to: 'false' }] },
      steps: 'Deployment: strategy, Deployment: args, ready 3, verify 3, Deployment: strategy',
    },
  ])('$name', ({ over, steps }) => {
    expect(outlineOf(planOf(over).steps).join(', ')).toBe(steps);
  });

  it('scale-up finds the count on the object where the store has lost it', () => {
    const before = { incident: 'i', by: 'U_APPROVER', at: 'then', before: { '/spec/replicas': 2 } };
    const meta = { annotations: { 'oombot.dev/run': 'run_1/1', 'oombot.dev/rollback': JSON.stringify(before) } };
    const object = given.aDeployment({ replicas: 0, ready: 0, meta });

    expect(outlineOf(planOf({ action: 'scale-up', edits: [], object }).steps).at(-1)).toBe('verify 2');
  });

  it('scale-up lets KEDA go that an earlier run has paused', () => {
    const scaled = given.aScaledObject({ 'autoscaling.keda.sh/paused-replicas': '0', 'oombot.dev/run': 'run_1/1' });
    const object = given.aDeployment({ replicas: 0, ready: 0 });

    const { steps } = planOf({ action: 'scale-up', edits: [], object, beside: [scaled], recordedReplicas: 2 });

    expect(outlineOf(steps).join(', ')).toBe(
      'ScaledObject: paused=1, ready 1, ScaledObject: paused=2, ready 2, verify 2, ScaledObject: paused gone',
    );
  });

  it('scale-up without a recorded count gives it back to KEDA, after one replica was looked at', () => {
    const scaled = given.aScaledObject({ 'autoscaling.keda.sh/paused-replicas': '0', 'oombot.dev/run': 'run_1/1' });
    const object = given.aDeployment({ replicas: 0, ready: 0 });

    const { steps } = planOf({ action: 'scale-up', edits: [], object, beside: [scaled] });

    expect(outlineOf(steps).join(', ')).toBe('ScaledObject: paused=1, ready 1, verify 1, ScaledObject: paused gone');
  });

  it('scale-up leaves a pause of somebody else where it would take the replicas away again', () => {
    const scaled = given.aScaledObject({ 'autoscaling.keda.sh/paused-replicas': '0' });
    const object = given.aDeployment({ replicas: 0, ready: 0 });

    const { steps, hazards } = planOf({ action: 'scale-up', edits: [], object, beside: [scaled], recordedReplicas: 2 });

    expect(outlineOf(steps).at(-1)).toBe('verify 2');
    expect(hazards.map(({ id }) => id)).toContain('keda-stays-paused');
  });

  it('a restart says that requests keep coming, and cannot be taken back', () => {
    const { steps, hazards } = planOf({
      action: 'restart-drained',
      edits: [],
      object: given.aDeployment({ ready: 3 }),
    });

    expect(hazards.map(({ id }) => id)).toContain('requests-keep-coming');
    expect(steps[0]).toMatchObject({ until: 'drained', deadlineMs: 60_000 });
    const restart = steps[1];
    const back = restart?.kind === 'write' ? restart.inverse.filter(({ op }) => op !== 'test') : [];
    expect(back.map(({ path }) => path)).toEqual(['/spec/strategy']);
  });

  it('a setting of the allocator keeps the others, under the name that is in use', () => {
    const env = [{ name: 'PYTORCH_ALLOC_CONF', value: 'max_split_size_mb:128,expandable_segments:False' }];

    const { edits, steps } = planOf({
      action: 'set-allocator',
      edits: ALLOCATOR,
      object: given.aDeployment({ ready: 0, container: { env } }),
    });

    expect(edits).toMatchObject([{ flag: 'PYTORCH_ALLOC_CONF', to: 'max_split_size_mb:128,expandable_segments:True' }]);
    expect(JSON.stringify(steps[1])).toContain('max_split_size_mb:128,expandable_segments:True');
  });

  it('a setting of the allocator that a build ignores under the new name is told again under the one that it reads', () => {
    const env = [{ name: 'PYTORCH_ALLOC_CONF', value: 'max_split_size_mb:128,expandable_segments:True' }];
    const asked = ALLOCATOR.map((edit) => ({ ...edit, facts: ['allocator.variable'] }));

    const { edits } = planOf({
      action: 'set-allocator',
      edits: asked,
      object: given.aDeployment({ ready: 0, container: { env } }),
    });

    const to = 'max_split_size_mb:128,expandable_segments:True';
    expect(edits).toMatchObject([{ flag: 'PYTORCH_CUDA_ALLOC_CONF', to }]);
  });

  it('a setting of the allocator leaves a variable alone that such a build does not read', () => {
    const env = [{ name: 'PYTORCH_CUDA_ALLOC_CONF', value: 'max_split_size_mb:128' }];
    const asked = ALLOCATOR.map((edit) => ({ ...edit, flag: 'PYTORCH_NPU_ALLOC_CONF', facts: ['allocator.variable'] }));

    const { edits } = planOf({
      action: 'set-allocator',
      edits: asked,
      object: given.aDeployment({ ready: 0, container: { env } }),
    });

    expect(edits).toMatchObject([{ flag: 'PYTORCH_NPU_ALLOC_CONF', to: 'expandable_segments:True' }]);
  });

  it.each([
    ['--enable-sleep-mode', '0.11.0'],
    ['--enable-sleep-mode', null],
    ['--kv-transfer-config={}', '0.21.0'],
    ['--kv_transfer_config', null],
  ])('the allocator is left with %s in vLLM %s', (flag, version) => {
    const object = given.aDeployment({ ready: 0, container: { args: [flag] } });
    const engine = { name: 'vllm', version };

    expect(refusalOf({ action: 'set-allocator', edits: ALLOCATOR, object, engine }).why).toBe('argument-editor');
  });

  it.each([
    ['--enable-sleep-mode', '0.15.0'],
    ['--kv-transfer-config={}', '0.11.0'],
  ])('the allocator is set beside %s in vLLM %s, which takes both', (flag, version) => {
    const object = given.aDeployment({ ready: 0, container: { args: [flag] } });
    const engine = { name: 'vllm', version };

    expect(planOf({ action: 'set-allocator', edits: ALLOCATOR, object, engine }).edits).toHaveLength(1);
  });
});

describe('why there is no plan', () => {
  const paused = given.aDeployment({ ready: 0, spec: { paused: true } });
  const healed = given.aDeployment({
    ready: 0,
    meta: { annotations: { 'argocd.argoproj.io/tracking-id': 'models:x' } },
  });
  const keeping = given.aStatefulSet({
    ready: 0,
    spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } },
  });

  it.each<{ name: string; over: Partial<PlanInput>; why: string; paste: RegExp | null }>([
    {
      name: 'a kind that nobody writes',
      over: { object: given.anObject('ray.io/v1', 'RayCluster') },
      why: 'unknown-owner',
      paste: /suspend/,
    },
    { name: 'something that is no object', over: { object: null }, why: 'unknown-owner', paste: /kubectl get pods/ },
    {
      name: 'a controller that undoes it',
      over: { object: healed },
      why: 'would-be-undone',
      paste: /^--- Deployment\/vllm[\s\S]*kubectl -n llm patch/,
    },
    { name: 'a roll-out that is paused', over: { object: paused }, why: 'would-be-undone', paste: /kubectl/ },
    { name: 'volumes that would go', over: { object: keeping }, why: 'no-count', paste: /whenScaled":"Retain/ },
    {
      name: 'a flag that the engine does not have',
      over: { edits: [{ ...LOWER, flag: '--no-such-flag' }] },
      why: 'argument-editor',
      paste: null,
    },
    { name: 'nothing to change', over: { edits: [{ ...LOWER, to: '32768' }] }, why: 'nothing-to-do', paste: null },
    { name: 'no edits', over: { edits: [] }, why: 'nothing-to-do', paste: null },
    {
      name: 'a value outside its bounds',
      over: { bounds: [{ flag: '--max-model-len', min: 1, max: 4096 }] },
      why: 'outside-bounds',
      paste: null,
    },
    { name: 'another model', over: { edits: [{ ...LOWER, flag: '--model' }] }, why: 'protected', paste: null },
    { name: 'a secret', over: { edits: [{ ...LOWER, flag: 'HF_TOKEN' }] }, why: 'protected', paste: null },
    { name: 'the other direction', over: { direction: 'raise' }, why: 'wrong-direction', paste: null },
    {
      name: 'the other direction by the value that stands there',
      over: { direction: 'raise', edits: [{ ...LOWER, from: '4096' }] },
      why: 'wrong-direction',
      paste: null,
    },
    {
      name: 'more memory than the cap',
      over: { action: 'raise-ram', edits: MEMORY('65Gi') },
      why: 'above-cap',
      paste: /kubectl -n llm patch/,
    },
    {
      name: 'memory without a cap',
      over: { action: 'raise-ram', edits: MEMORY('48Gi'), limits: { ...anInput().limits, maxMemoryBytes: null } },
      why: 'above-cap',
      paste: /kubectl -n llm patch/,
    },
    { name: 'less memory', over: { action: 'raise-ram', edits: MEMORY('16Gi') }, why: 'nothing-to-do', paste: null },
    {
      name: 'no limit of memory',
      over: {
        action: 'raise-ram',
        edits: MEMORY('48Gi'),
        object: given.aDeployment({ ready: 0, container: { resources: {} } }),
      },
      why: 'no-limit',
      paste: null,
    },
    {
      name: 'a count that nobody recorded',
      over: { action: 'scale-up', edits: [], object: given.aDeployment({ replicas: 0, ready: 0 }) },
      why: 'no-record',
      paste: null,
    },
    {
      name: 'up already',
      over: { action: 'scale-up', edits: [], recordedReplicas: 3 },
      why: 'nothing-to-do',
      paste: null,
    },
    {
      name: 'zero already',
      over: { action: 'scale-to-zero', edits: [], object: given.aDeployment({ replicas: 0, ready: 0 }) },
      why: 'nothing-to-do',
      paste: null,
    },
    {
      name: 'no revision before',
      over: { action: 'roll-back', edits: [] },
      why: 'no-record',
      paste: /rollout undo deployment.apps\/vllm/,
    },
    {
      name: 'a restart of what makes its own pods while some serve',
      over: {
        action: 'restart-drained',
        edits: [],
        object: given.anInferenceService(),
        pods: { ready: 1, total: 2, broken: ['vllm-b'] },
      },
      why: 'replicas-serve',
      paste: /delete pod vllm-b$/,
    },
    {
      name: 'a Workspace without its configuration file',
      over: { object: given.aWorkspace(), beside: [given.aWorkspaceSet('python3 api.py'), given.aConfigMap()] },
      why: 'no-container',
      paste: /kubectl/,
    },
    { name: 'advice', over: { action: 'advise', edits: [] }, why: 'no-button', paste: null },
  ])('$name', ({ over, why, paste }) => {
    const refused = refusalOf(over);

    expect({ why: refused.why, says: refused.says }).toEqual({ why, says: expect.stringMatching(/\.$|:|=false$/) });
    if (paste === null) expect(refused.paste).toBeNull();
    else expect(refused.paste).toMatch(paste);
  });
});

describe('what the approver reads', () => {
  it('is a diff of the object, without what is secret', () => {
    const object = given.aDeployment({
      ready: 0,
      container: { args: ['--max-model-len', '32768', '--api-key', 'sk-hide', '--hf-token=hf_hide'] },
    });

    const { diff } = planOf({ object });

    expect(diff).toContain('-            - "32768"');
    expect(diff).toContain('+            - "8192"');
    expect(diff).not.toMatch(/sk-hide|hf_hide|hf_do-not-show|also-not-shown/);
  });

  it('shows the count where only the count changes', () => {
    expect(planOf({ action: 'scale-to-zero', edits: [] }).diff).toMatch(/-\s+replicas: 3\n\+\s+replicas: 0/);
  });

  it('shows a new ConfigMap whole', () => {
    const { diff } = planOf({ object: given.aWorkspace(), beside: AROUND });

    expect(diff).toMatch(/\+\s+max-model-len: 8192/);
    expect(diff).toMatch(/-\s+config: phi-config\n\+\s+config: phi-config-oom-inc-0/);
  });

  it('has each write as a command, with its tests, both ways', () => {
    const [first] = planOf({ action: 'scale-to-zero', edits: [] }).steps;

    expect(first).toMatchObject({
      command: `kubectl -n llm patch deployment.apps/vllm --type=json -p='[{"op":"test","path":"/spec/replicas","value":3},{"op":"replace","path":"/spec/replicas","value":0}]'`,
      inverseCommand: `kubectl -n llm patch deployment.apps/vllm --type=json -p='[{"op":"test","path":"/spec/replicas","value":0},{"op":"replace","path":"/spec/replicas","value":3}]'`,
    });
  });

  it('says what is not known', () => {
    const { outage, supply, cost } = planOf({ known: { startupMs: null, gpus: null, requests: null } });

    expect(outage).toEqual({ ms: null, says: expect.stringContaining('not known') });
    expect(supply).toContain('not known');
    expect(cost).toContain('not known');
  });

  it('says what is known', () => {
    const known = {
      startupMs: 240_000,
      gpus: 'No GPU is free.',
      requests: '18 % of the last hour were longer.',
      inFlight: 7,
    };

    const { outage, supply, cost } = planOf({ known, object: given.aDeployment({ ready: 2 }), toZero: true });

    expect(outage).toEqual({ ms: 240_000, says: expect.stringContaining('4 min') });
    expect(supply).toMatch(/3 x 1 GPU a replica become free.*No GPU is free\./);
    expect(cost).toMatch(/18 % of the last hour were longer\. 7 requests are in flight/);
  });

  it('has the values that stand there, not those of the evidence', () => {
    expect(planOf({ edits: [{ ...LOWER, from: '1' }] }).edits).toMatchObject([{ from: '32768', to: '8192' }]);
  });

  it('names what was not read, and what ready does not tell', () => {
    const object = given.aDeployment({ ready: 2, container: { readinessProbe: undefined } });

    const ids = planOf({ object, notRead: ['ScaledObjects'] }).hazards.map(({ id }) => id);

    expect(ids).toEqual(expect.arrayContaining(['not-read', 'no-readiness-probe', 'one-at-a-time']));
  });

  it('changes leader and workers of a group where both hold what is changed', () => {
    const edits = [{ ...LOWER, flag: 'PYTORCH_CUDA_ALLOC_CONF', to: 'expandable_segments:True' }];

    const steps = planOf({ object: given.aGroupSet(), action: 'set-allocator', edits }).steps;

    const write = steps.find((step) => step.kind === 'write' && step.patch.some(({ path }) => path.includes('/env')));
    const paths = write?.kind === 'write' ? write.patch.map(({ path }) => path).join() : '';
    expect(paths).toMatch(/leaderTemplate.*workerTemplate/);
  });
});

it('gives the same plan for the same objects', () => {
  expect(planAction(anInput())).toEqual(planAction(anInput()));
});
