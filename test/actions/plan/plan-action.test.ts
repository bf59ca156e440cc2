import { describe, expect, it } from 'vitest';
import { hashPlan } from '../../../src/actions/plan/hash-plan.ts';
import { type PlanInput, planAction } from '../../../src/actions/plan/plan-action.ts';
import { Plan } from '../../../src/model/plan.ts';
import * as given from '../objects.ts';
import { anInput, LOWER, outlineOf, planOf, refusalOf } from './harness.ts';

const AROUND = [given.aWorkspaceSet(), given.aConfigMap()];
const AT_ZERO = given.aDeployment({ replicas: 0, ready: 0 });
const ALL_READY = given.aDeployment({ ready: 3 });
/** What is written between two waits, where broken replicas are replaced first. */
const rolled = (what: string) => `Deployment: strategy, Deployment: ${what}, ready 3, verify 3, Deployment: strategy`;
/** All of a kind go to zero, are changed, and come back one before the others. */
const anew = (kind: string, count: number) =>
  `${kind}: replicas=0, no-pods, ${kind}: args, ${kind}: replicas=1, ready 1, ${count > 1 ? `${kind}: replicas=${count}, ready ${count}, ` : ''}verify ${count}`;
const SCALE_UP = { action: 'scale-up', edits: [] } as const;
const MEMORY = (to: string): PlanInput['edits'] => [
  { flag: 'resources.limits.memory', from: null, to, why: '', facts: [] },
];
const ram = (to: string) => ({ action: 'raise-ram', edits: MEMORY(to) }) satisfies Partial<PlanInput>;
const ALLOCATOR: PlanInput['edits'] = [
  { flag: 'PYTORCH_CUDA_ALLOC_CONF', from: null, to: 'expandable_segments:True', why: '', facts: [] },
];

describe('stop-bleed with all replicas down', () => {
  it.each<[name: string, over: Partial<PlanInput>, steps: string]>([
    ['Deployment', {}, anew('Deployment', 3)],
    ['Deployment with one replica', { object: given.aDeployment({ replicas: 1, ready: 0 }) }, anew('Deployment', 1)],
    [
      'Deployment at zero, the count recorded',
      { object: AT_ZERO, recordedReplicas: 2 },
      'no-pods, Deployment: args, Deployment: replicas=1, ready 1, Deployment: replicas=2, ready 2, verify 2',
    ],
    [
      'Deployment under an HPA, which takes over at its minimum',
      { surroundings: [given.anHpa()] },
      'Deployment: replicas=0, no-pods, Deployment: args, Deployment: replicas=2, ready 2, verify 2',
    ],
    [
      'Deployment under KEDA, which sets the count that it is paused at',
      { surroundings: [given.aScaledObject()] },
      'ScaledObject: paused=0, no-pods, Deployment: args, ScaledObject: paused=1, ready 1, ScaledObject: paused=3, ready 3, verify 3, ScaledObject: paused gone',
    ],
    ['LeaderWorkerSet', { object: given.aGroupSet() }, anew('LeaderWorkerSet', 2)],
    ['StatefulSet', { object: given.aStatefulSet({ ready: 0 }) }, anew('StatefulSet', 3)],
    [
      'InferenceService',
      { object: given.anInferenceService(), pods: { ready: 0, total: 2 } },
      'InferenceService: stop=true, no-pods, InferenceService: args, InferenceService: stop gone, ready 2, verify 2',
    ],
    [
      'InferenceService in a plain Deployment, one replica first',
      {
        object: given.anInferenceService({
          meta: { annotations: { 'serving.kserve.io/deploymentMode': 'RawDeployment' } },
          spec: { maxReplicas: 4 },
        }),
        pods: { ready: 0, total: 2 },
      },
      'InferenceService: stop=true, no-pods, InferenceService: args, InferenceService: stop gone minReplicas=1 maxReplicas=1, ready 1, InferenceService: minReplicas=2 maxReplicas=4, ready 2, verify 2',
    ],
    [
      'Workspace',
      { object: given.aWorkspace(), surroundings: AROUND },
      'StatefulSet: replicas=0, no-pods, create ConfigMap, Workspace: config, StatefulSet: replicas=1, ready 1, verify 1',
    ],
    ['Rollout', { object: given.aRollout({ ready: 0 }) }, anew('Rollout', 3)],
  ])('%s', (_name, over, steps) => {
    expect(outlineOf(planOf(over).steps).join(', ')).toBe(steps);
  });

  it('numbers its steps from one on, without a gap', () => {
    expect(planOf().steps.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('keeps a pause of somebody else', () => {
    const { steps, hazards } = planOf({
      surroundings: [given.aScaledObject({ 'autoscaling.keda.sh/paused-replicas': '3' })],
    });

    expect(outlineOf(steps).at(-1)).toBe('verify 3');
    expect(steps.filter(({ kind }) => kind === 'write').at(-1)).toMatchObject({
      patch: [{ value: '1' }, { value: '3' }],
    });
    expect(hazards.find(({ id }) => id === 'keda')?.says).toMatch(/^Someone else has paused KEDA at 3 replicas/);
  });

  it('leaves a frozen KEDA alone', () => {
    const { steps } = planOf({ surroundings: [given.aScaledObject({ 'autoscaling.keda.sh/paused': 'true' })] });

    expect(outlineOf(steps).some((step) => step.startsWith('ScaledObject'))).toBe(false);
  });

  it('asks for the count where nobody recorded it', () => {
    expect(refusalOf({ object: AT_ZERO }).why).toBe('no-record');
  });

  it('is as the schema of a plan has it, and its hash changes with what it does', () => {
    const draft = planOf();
    const stored = { id: 'p', incidentId: 'i', proposedBy: 'U_ONCALL', proposedAt: 1, expiresAt: 2, state: 'proposed' };

    expect(Plan.safeParse({ ...draft, ...stored, hash: hashPlan(draft) }).error).toBeUndefined();
    expect(hashPlan(JSON.parse(JSON.stringify(draft)))).toBe(hashPlan(draft));
    expect(hashPlan(planOf({ edits: [{ ...LOWER, to: '4096' }] }))).not.toBe(hashPlan(draft));
    expect(hashPlan({ ...draft, approvals: 2 })).not.toBe(hashPlan(draft));
  });
});

describe('the other actions', () => {
  it.each<[name: string, over: Partial<PlanInput>, steps: string]>([
    ['scale-to-zero', { action: 'scale-to-zero', edits: [] }, 'Deployment: replicas=0, no-pods'],
    [
      'scale-to-zero under KEDA',
      { action: 'scale-to-zero', edits: [], surroundings: [given.aScaledObject()] },
      'ScaledObject: paused=0, no-pods',
    ],
    ['set-args with all down', { action: 'set-args' }, rolled('args')],
    ['set-args at zero', { action: 'set-args', object: AT_ZERO }, 'Deployment: args'],
    ['set-args with all serving', { action: 'set-args', object: ALL_READY }, rolled('args')],
    [
      'set-args of a StatefulSet that is all down',
      { action: 'set-args', object: given.aStatefulSet({ replicas: 1, ready: 0 }) },
      anew('StatefulSet', 1),
    ],
    [
      'set-args of a StatefulSet that all serves',
      { action: 'set-args', object: given.aStatefulSet({ ready: 3 }) },
      'StatefulSet: args, ready 3, verify 3',
    ],
    [
      'scale-up',
      { ...SCALE_UP, object: AT_ZERO, recordedReplicas: 2 },
      'Deployment: replicas=1, ready 1, Deployment: replicas=2, ready 2, verify 2',
    ],
    [
      'scale-up from one',
      { ...SCALE_UP, object: given.aDeployment({ replicas: 1, ready: 1 }), recordedReplicas: 2 },
      'Deployment: replicas=2, ready 2, verify 2',
    ],
    ['set-allocator', { action: 'set-allocator', edits: ALLOCATOR }, rolled('env')],
    ['raise-ram, the request with it where the two are equal', ram('48Gi'), rolled('limit=48Gi request=48Gi')],
    [
      'restart-drained',
      { action: 'restart-drained', edits: [], object: ALL_READY },
      'drained, Deployment: strategy, Deployment: restart, ready 3, verify 3, Deployment: strategy',
    ],
    [
      'prefix caching off',
      { action: 'set-args', edits: [{ ...LOWER, flag: '--enable-prefix-caching', to: 'false' }] },
      rolled('args'),
    ],
  ])('%s', (_name, over, steps) => {
    expect(outlineOf(planOf(over).steps).join(', ')).toBe(steps);
  });

  it('scale-up finds the count on the object where the store has lost it', () => {
    const before = { incident: 'i', by: 'U_APPROVER', at: 'then', before: { '/spec/replicas': 2 } };
    const meta = { annotations: { 'oombot.dev/run': 'run_1/1', 'oombot.dev/rollback': JSON.stringify(before) } };
    const object = given.aDeployment({ replicas: 0, ready: 0, meta });

    expect(outlineOf(planOf({ ...SCALE_UP, object }).steps).at(-1)).toBe('verify 2');
  });

  it.each<[name: string, recordedReplicas: number | null, steps: string]>([
    [
      'lets KEDA go that an earlier run has paused',
      2,
      'ScaledObject: paused=1, ready 1, ScaledObject: paused=2, ready 2, verify 2, ScaledObject: paused gone',
    ],
    [
      'without a recorded count gives it back to KEDA, after one replica was looked at',
      null,
      'ScaledObject: paused=1, ready 1, verify 1, ScaledObject: paused gone',
    ],
  ])('scale-up %s', (_name, recordedReplicas, steps) => {
    const scaled = given.aScaledObject({ 'autoscaling.keda.sh/paused-replicas': '0', 'oombot.dev/run': 'run_1/1' });

    const draft = planOf({ ...SCALE_UP, object: AT_ZERO, surroundings: [scaled], recordedReplicas });

    expect(outlineOf(draft.steps).join(', ')).toBe(steps);
  });

  it('scale-up leaves a pause of somebody else where it would take the replicas away again', () => {
    const scaled = given.aScaledObject({ 'autoscaling.keda.sh/paused-replicas': '0' });

    const { steps, hazards } = planOf({ ...SCALE_UP, object: AT_ZERO, surroundings: [scaled], recordedReplicas: 2 });

    expect(outlineOf(steps).at(-1)).toBe('verify 2');
    expect(hazards.map(({ id }) => id)).toContain('keda-stays-paused');
  });

  it('a restart says that requests keep coming, and cannot be taken back', () => {
    const { steps, hazards } = planOf({ action: 'restart-drained', edits: [], object: ALL_READY });

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

  const BOTH = 'max_split_size_mb:128,expandable_segments:True';
  it.each([
    [
      'that a build ignores under the new name is told again',
      'PYTORCH_ALLOC_CONF',
      BOTH,
      'PYTORCH_CUDA_ALLOC_CONF',
      BOTH,
    ],
    [
      'leaves a variable alone that such a build does not read',
      'PYTORCH_CUDA_ALLOC_CONF',
      'max_split_size_mb:128',
      'PYTORCH_NPU_ALLOC_CONF',
      'expandable_segments:True',
    ],
  ])('a setting of the allocator %s', (_name, name, value, flag, to) => {
    const { edits } = planOf({
      action: 'set-allocator',
      edits: ALLOCATOR.map((edit) => ({ ...edit, flag, facts: ['allocator.variable'] })),
      object: given.aDeployment({ ready: 0, container: { env: [{ name, value }] } }),
    });

    expect(edits).toMatchObject([{ flag, to }]);
  });

  it.each([
    ['--enable-sleep-mode', '0.11.0', 'argument-editor'],
    ['--enable-sleep-mode', null, 'argument-editor'],
    ['--enable-sleep-mode', '0.15.0', undefined],
    ['--kv-transfer-config={}', '0.21.0', 'argument-editor'],
    ['--kv_transfer_config', null, 'argument-editor'],
    ['--kv-transfer-config={}', '0.11.0', undefined],
  ])('the allocator is left with %s in vLLM %s, unless that takes both: %s', (flag, version, why) => {
    const object = given.aDeployment({ ready: 0, container: { args: [flag] } });
    const engine = { name: 'vllm', version };

    const outcome = planAction(anInput({ action: 'set-allocator', edits: ALLOCATOR, object, engine }));

    expect(outcome).toMatchObject(why === undefined ? { draft: { edits: [{}] } } : { kind: 'refused', why });
  });
});

const paused = given.aDeployment({ ready: 0, spec: { paused: true } });
const healed = given.aDeployment({
  ready: 0,
  meta: { annotations: { 'argocd.argoproj.io/tracking-id': 'models:x' } },
});
const keeping = given.aStatefulSet({
  ready: 0,
  spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } },
});

it.each<[name: string, over: Partial<PlanInput>, why: string, paste?: RegExp]>([
  ['a kind that nobody writes', { object: given.anObject('ray.io/v1', 'RayCluster') }, 'unknown-owner', /suspend/],
  ['something that is no object', { object: null }, 'unknown-owner', /kubectl get pods/],
  [
    'a controller that undoes it',
    { object: healed },
    'would-be-undone',
    /^--- Deployment\/vllm[\s\S]*kubectl -n llm patch/,
  ],
  ['a roll-out that is paused', { object: paused }, 'would-be-undone', /kubectl/],
  ['volumes that would go', { object: keeping }, 'no-count', /whenScaled":"Retain/],
  ['a flag that the engine does not have', { edits: [{ ...LOWER, flag: '--no-such-flag' }] }, 'protected'],
  ['nothing to change', { edits: [{ ...LOWER, to: '32768' }] }, 'nothing-to-do'],
  ['no edits', { edits: [] }, 'nothing-to-do'],
  ['a value outside its bounds', { bounds: [{ flag: '--max-model-len', min: 1, max: 4096 }] }, 'outside-bounds'],
  ['another model', { edits: [{ ...LOWER, flag: '--model' }] }, 'protected'],
  ['a secret', { edits: [{ ...LOWER, flag: 'HF_TOKEN' }] }, 'protected'],
  ['the other direction', { direction: 'raise' }, 'wrong-direction'],
  [
    'the other direction by the value that stands there',
    { direction: 'raise', edits: [{ ...LOWER, from: '4096' }] },
    'wrong-direction',
  ],
  ['more memory than the cap', ram('65Gi'), 'above-cap', /kubectl -n llm patch/],
  [
    'memory without a cap',
    { ...ram('48Gi'), limits: { ...anInput().limits, maxMemoryBytes: null } },
    'above-cap',
    /kubectl -n llm patch/,
  ],
  ['less memory', ram('16Gi'), 'nothing-to-do'],
  [
    'no limit of memory',
    { ...ram('48Gi'), object: given.aDeployment({ ready: 0, container: { resources: {} } }) },
    'no-limit',
  ],
  ['a count that nobody recorded', { ...SCALE_UP, object: AT_ZERO }, 'no-record'],
  ['up already', { ...SCALE_UP, recordedReplicas: 3 }, 'nothing-to-do'],
  ['zero already', { action: 'scale-to-zero', edits: [], object: AT_ZERO }, 'nothing-to-do'],
  ['no revision before', { action: 'roll-back', edits: [] }, 'no-record', /rollout undo deployment.apps\/vllm/],
  [
    'a restart of what makes its own pods while some serve',
    {
      action: 'restart-drained',
      edits: [],
      object: given.anInferenceService(),
      pods: { ready: 1, total: 2, broken: ['vllm-b'] },
    },
    'replicas-serve',
    /delete pod vllm-b$/,
  ],
  [
    'a Workspace without its configuration file',
    { object: given.aWorkspace(), surroundings: [given.aWorkspaceSet('python3 api.py'), given.aConfigMap()] },
    'no-container',
    /kubectl/,
  ],
  ['advice', { action: 'advise', edits: [] }, 'no-button'],
])('why there is no plan: %s', (_name, over, why, paste) => {
  const refused = refusalOf(over);

  expect({ why: refused.why, says: refused.says }).toEqual({ why, says: expect.stringMatching(/\.$|:|=false$/) });
  if (paste === undefined) expect(refused.paste).toBeNull();
  else expect(refused.paste).toMatch(paste);
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
    const { diff } = planOf({ object: given.aWorkspace(), surroundings: AROUND });

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

    expect(outage).toEqual({ ms: null, says: expect.stringContaining('unknown') });
    expect(supply).toContain('unknown');
    expect(cost).toContain('unknown');
  });

  it('says what is known', () => {
    const known = {
      startupMs: 240_000,
      gpus: 'No GPU is free.',
      requests: '18% of the last hour were longer.',
      inFlight: 7,
    };

    const { outage, supply, cost } = planOf({ known, object: given.aDeployment({ ready: 2 }), toZero: true });

    expect(outage).toEqual({ ms: 240_000, says: expect.stringContaining('4 min') });
    expect(supply).toMatch(/3 x 1 GPU per replica become free.*No GPU is free\./);
    expect(cost).toMatch(/18% of the last hour were longer\. 7 requests are in flight/);
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
