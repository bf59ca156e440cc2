import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { applyPatch } from '../../src/model/json-patch.ts';
import type { PatchOperation } from '../../src/model/plan.ts';
import { aDeployment, anOwner, aStatefulSet } from '../../src/standins/api-server/builders.ts';
import { evaluate, parseCel } from './cel.ts';
import { deniedBy, type Policy, type Review } from './policy.ts';

const FOLDER = join(import.meta.dirname, '../../deploy/kubernetes/acting');

type Rule = { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] };
type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly name: string; readonly namespace: string }[];
  readonly spec?: Policy;
};

const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const documents = (name: string) => parseAllDocuments(read(name)).map((document) => document.toJS() as Manifest);
const files = readdirSync(FOLDER).filter((name) => name !== 'kustomization.yaml');
const manifests = files.flatMap(documents);
const of = (kind: string, name: string) => manifests.find((one) => one.kind === kind && one.metadata.name === name)!;

describe('the acting installation', () => {
  it('is kept apart: what reads does not name it', () => {
    const reading = readFileSync(join(FOLDER, '../kustomization.yaml'), 'utf8');

    expect(parse(reading).resources.join(' ')).not.toContain('act');
    expect(parse(read('kustomization.yaml')).resources.filter((name: string) => !files.includes(name))).toEqual([]);
  });

  it('lets no namespace be acted in before it opts in', () => {
    const bound = parse(read('kustomization.yaml')).resources.flatMap(documents);

    expect(bound.filter(({ kind }: Manifest) => kind === 'ClusterRoleBinding')).toEqual([]);
    expect(bound.filter(({ roleRef }: Manifest) => roleRef?.name === 'oombot-act')).toEqual([]);
    expect(of('RoleBinding', 'oombot-act')).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: 'oombot-act' },
      subjects: [{ name: 'oombot-act', namespace: 'oombot' }],
    });
  });

  it('lets the reader act as exactly one account', () => {
    expect(of('Role', 'oombot-impersonate-act')).toMatchObject({
      metadata: { namespace: 'oombot' },
      rules: [{ resources: ['serviceaccounts'], verbs: ['impersonate'], resourceNames: ['oombot-act'] }],
    });
    expect(of('RoleBinding', 'oombot-impersonate-act').subjects).toMatchObject([{ name: 'oombot-read' }]);
  });

  it('asks for no more than it needs', () => {
    const rules = of('ClusterRole', 'oombot-act').rules ?? [];
    const resources = rules.flatMap((rule) => rule.resources);

    expect(new Set(rules.flatMap(({ verbs }) => verbs))).toEqual(new Set(['get', 'list', 'patch', 'create']));
    expect(resources.filter((one) => /secret|exec|proxy|\*|token|pods\//.test(one))).toEqual([]);
    expect(rules.filter(({ verbs }) => verbs.includes('create')).flatMap((rule) => rule.resources)).toEqual([
      'configmaps',
    ]);
    expect(rules.find((rule) => rule.resources.includes('configmaps'))?.verbs).not.toContain('patch');
  });
});

const policy = of('ValidatingAdmissionPolicy', 'oombot-act').spec!;
const ACT = 'system:serviceaccount:oombot:oombot-act';

const deniedFor = (review: Review): string[] => deniedBy(policy, review);

// biome-ignore lint/suspicious/noExplicitAny: any object of the API
type Anything = any;

const container = {
  name: 'vllm',
  image: 'vllm/vllm-openai:v0.11.0',
  command: ['vllm', 'serve'],
  args: ['--max-model-len', '32768'],
  env: [
    { name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: 'hf', key: 'token' } } },
    { name: 'MODE', value: 'x' },
    { name: 'PYTORCH_CUDA_ALLOC_CONF', value: 'a:b' },
  ],
  resources: { limits: { memory: '64Gi', 'nvidia.com/gpu': '1' }, requests: { memory: '64Gi' } },
};
const podSpec = { containers: [container, { name: 'proxy', image: 'p:1' }], serviceAccountName: 'llm', volumes: [] };
const template = { metadata: { labels: { app: 'a' }, annotations: { kept: 'yes' } }, spec: podSpec };

const deployment: Anything = { ...aDeployment({ replicas: 2, annotations: { kept: 'yes' } }).deployment };
deployment.spec = { ...deployment.spec, template };
const statefulSet: Anything = { ...aStatefulSet({ replicas: 2 }) };
statefulSet.spec = { ...statefulSet.spec, template, updateStrategy: { type: 'RollingUpdate' } };
const rollout: Anything = {
  ...anOwner('argoproj.io/v1alpha1', 'Rollout', 'r'),
  spec: { replicas: 2, template, strategy: { canary: { steps: [], trafficRouting: { nginx: {} } } } },
};
const lws: Anything = {
  ...anOwner('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'l'),
  spec: { replicas: 1, leaderWorkerTemplate: { size: 2, leaderTemplate: template, workerTemplate: template } },
};
const isvc: Anything = {
  ...anOwner('serving.kserve.io/v1beta1', 'InferenceService', 'i'),
  spec: {
    predictor: {
      minReplicas: 1,
      serviceAccountName: 'llm',
      model: { ...container, name: undefined, storageUri: 's3://m' },
    },
  },
};
delete isvc.spec.predictor.model.name;
const workspace: Anything = {
  ...anOwner('kaito.sh/v1beta1', 'Workspace', 'w'),
  resource: { count: 1 },
  inference: { preset: { name: 'phi' }, config: 'old' },
};
delete workspace.spec;
const scaled: Anything = { ...anOwner('keda.sh/v1alpha1', 'ScaledObject', 's'), spec: { maxReplicaCount: 3 } };
const configMap: Anything = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'phi-oom-1' }, data: { a: 'b' } };

const updating = (old: Anything, patch: PatchOperation[]): Review => {
  const applied = applyPatch(old, patch);
  if (applied.kind === 'failed') throw new Error(applied.why);
  const [group, version] = old.apiVersion.split('/');
  const request = {
    operation: 'UPDATE',
    kind: { group, version, kind: old.kind },
    resource: { group, version, resource: `${old.kind.toLowerCase()}s` },
    userInfo: { username: ACT },
  };
  return { object: applied.value, oldObject: old, request };
};

const creating = (object: Anything, resource = 'configmaps', group = ''): Review => ({
  object,
  oldObject: null,
  request: {
    operation: 'CREATE',
    kind: { kind: object.kind },
    resource: { group, resource },
    userInfo: { username: ACT },
  },
});

const set = (path: string, value: Anything): PatchOperation => ({ op: 'add', path, value });
const remove = (path: string): PatchOperation => ({ op: 'remove', path });
const C = '/spec/template/spec/containers/0';
const LEADER = '/spec/leaderWorkerTemplate/leaderTemplate/spec/containers/0';
const WORKER = '/spec/leaderWorkerTemplate/workerTemplate/spec/containers/0';

type Row = readonly [what: string, review: Review];

const ALLOWED: readonly Row[] = [
  ['nothing at all', updating(deployment, [])],
  ['replicas', updating(deployment, [set('/spec/replicas', 0)])],
  ['arguments', updating(deployment, [set(`${C}/args`, ['--max-model-len', '8192'])])],
  ['arguments where there were none', updating(deployment, [set('/spec/template/spec/containers/1/args', ['-v'])])],
  ['a command', updating(deployment, [set(`${C}/command`, ['sh', '-c', 'vllm serve m'])])],
  ['an allocator setting', updating(deployment, [set(`${C}/env/2/value`, 'expandable_segments:True')])],
  [
    'a listed variable that is new',
    updating(deployment, [set(`${C}/env/-`, { name: 'VLLM_ADDITIONAL_ARGS', value: '-x' })]),
  ],
  ['a listed variable that goes', updating(deployment, [remove(`${C}/env/2`)])],
  ['a NIM variable', updating(deployment, [set(`${C}/env/-`, { name: 'NIM_MAX_MODEL_LEN', value: '8192' })])],
  [
    'more memory',
    updating(deployment, [set(`${C}/resources/limits/memory`, '96Gi'), set(`${C}/resources/requests/memory`, '96Gi')]),
  ],
  ['memory at the cap', updating(deployment, [set(`${C}/resources/limits/memory`, '512Gi')])],
  ['memory back down', updating(deployment, [set(`${C}/resources/limits/memory`, '32Gi')])],
  [
    'the restart mark',
    updating(deployment, [set('/spec/template/metadata/annotations/kubectl.kubernetes.io~1restartedAt', '2026')]),
  ],
  ['our annotations', updating(deployment, [set('/metadata/annotations/oombot.dev~1run', 'run_1/1')])],
  [
    'how replicas are replaced',
    updating(deployment, [set('/spec/strategy', { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } })]),
  ],
  ['a partition', updating(statefulSet, [set('/spec/updateStrategy/rollingUpdate', { partition: 1 })])],
  ['surge of a canary', updating(rollout, [set('/spec/strategy/canary/maxSurge', 0)])],
  ['arguments of leader and workers', updating(lws, [set(`${LEADER}/args`, ['x']), set(`${WORKER}/args`, ['x'])])],
  ['roll-out of groups', updating(lws, [set('/spec/rolloutStrategy', { type: 'RollingUpdate' })])],
  ['arguments of a model server', updating(isvc, [set('/spec/predictor/model/args', ['x'])])],
  ['the stop of KServe', updating(isvc, [set('/metadata/annotations', { 'serving.kserve.io/stop': 'true' })])],
  ['the range of a model server', updating(isvc, [set('/spec/predictor/minReplicas', 2)])],
  ['the configuration of a Workspace', updating(workspace, [set('/inference/config', 'phi-oom-1')])],
  [
    'the pause of KEDA',
    updating(scaled, [set('/metadata/annotations', { 'autoscaling.keda.sh/paused-replicas': '0' })]),
  ],
  ['what the server itself counts', updating(deployment, [set('/metadata/generation', 3), set('/status/replicas', 1)])],
  ['a ConfigMap of our name', creating(configMap)],
  [
    'a scale',
    {
      object: { kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 0 } },
      oldObject: { kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 2 } },
      request: {
        operation: 'UPDATE',
        subResource: 'scale',
        kind: { group: 'autoscaling', kind: 'Scale' },
        resource: { group: 'apps', resource: 'deployments' },
        userInfo: { username: ACT },
      },
    },
  ],
];

const DENIED: readonly Row[] = [
  ['an image', updating(deployment, [set(`${C}/image`, 'evil:1')])],
  [
    'another container',
    updating(deployment, [set('/spec/template/spec/containers/-', { name: 'x', image: 'evil:1' })]),
  ],
  ['a container less', updating(deployment, [remove('/spec/template/spec/containers/1')])],
  ['the name of a container', updating(deployment, [set(`${C}/name`, 'x')])],
  ['an init container', updating(deployment, [set('/spec/template/spec/initContainers', [{ name: 'x', image: 'e' }])])],
  ['the service account', updating(deployment, [set('/spec/template/spec/serviceAccountName', 'admin')])],
  ['volumes', updating(deployment, [set('/spec/template/spec/volumes/-', { name: 'x', secret: { secretName: 's' } })])],
  ['mounts', updating(deployment, [set(`${C}/volumeMounts`, [{ name: 'x', mountPath: '/x' }])])],
  ['privileges', updating(deployment, [set(`${C}/securityContext`, { privileged: true })])],
  ['the host’s network', updating(deployment, [set('/spec/template/spec/hostNetwork', true)])],
  [
    'a variable from a secret',
    updating(deployment, [set(`${C}/env/-`, { name: 'NIM_X', valueFrom: { secretKeyRef: {} } })]),
  ],
  ['a variable on no list', updating(deployment, [set(`${C}/env/-`, { name: 'LD_PRELOAD', value: '/x.so' })])],
  ['another value of one on no list', updating(deployment, [set(`${C}/env/1/value`, 'y')])],
  ['a secret of a listed family', updating(deployment, [set(`${C}/env/-`, { name: 'NIM_API_KEY', value: 'k' })])],
  ['a token taken away', updating(deployment, [remove(`${C}/env/0`)])],
  ['all of a Secret as variables', updating(deployment, [set(`${C}/envFrom`, [{ secretRef: { name: 's' } }])])],
  ['memory beyond the cap', updating(deployment, [set(`${C}/resources/limits/memory`, '513Gi')])],
  ['memory that is none', updating(deployment, [set(`${C}/resources/limits/memory`, 'lots')])],
  ['more GPUs', updating(deployment, [set(`${C}/resources/limits/nvidia.com~1gpu`, '8')])],
  [
    'a limit that was not set',
    updating(deployment, [set('/spec/template/spec/containers/1/resources', { limits: {} })]),
  ],
  ['a limit taken away', updating(deployment, [remove(`${C}/resources/limits/memory`)])],
  ['the labels of pods', updating(deployment, [set('/spec/template/metadata/labels/app', 'b')])],
  ['annotations of pods', updating(deployment, [set('/spec/template/metadata/annotations/inject', 'true')])],
  ['an annotation of pods taken away', updating(deployment, [remove('/spec/template/metadata/annotations/kept')])],
  ['labels', updating(deployment, [set('/metadata/labels/x', 'y')])],
  ['owners', updating(deployment, [set('/metadata/ownerReferences', [])])],
  ['annotations of others', updating(deployment, [set('/metadata/annotations/argocd.argoproj.io~1skip', 'true')])],
  ['an annotation taken away', updating(deployment, [remove('/metadata/annotations/kept')])],
  [
    'KEDA’s pause on what is not KEDA’s',
    updating(deployment, [set('/metadata/annotations/autoscaling.keda.sh~1paused-replicas', '0')]),
  ],
  ['the selector', updating(deployment, [set('/spec/selector/matchLabels/app', 'b')])],
  ['paused', updating(deployment, [set('/spec/paused', true)])],
  ['no template', updating(rollout, [remove('/spec/template')])],
  ['a template of somebody else', updating(rollout, [set('/spec/workloadRef', { name: 'x' })])],
  ['where a canary’s traffic goes', updating(rollout, [set('/spec/strategy/canary/trafficRouting', {})])],
  ['steps of a canary taken away', updating(rollout, [remove('/spec/strategy/canary/steps')])],
  ['an image of the workers', updating(lws, [set(`${WORKER}/image`, 'evil:1')])],
  ['the size of a group', updating(lws, [set('/spec/leaderWorkerTemplate/size', 4)])],
  ['a leader of its own taken away', updating(lws, [remove('/spec/leaderWorkerTemplate/leaderTemplate')])],
  ['where a model comes from', updating(isvc, [set('/spec/predictor/model/storageUri', 's3://evil')])],
  ['an image of a model server', updating(isvc, [set('/spec/predictor/model/image', 'evil:1')])],
  ['the account of a predictor', updating(isvc, [set('/spec/predictor/serviceAccountName', 'admin')])],
  ['a range where there was none', updating(isvc, [set('/spec/predictor/maxReplicas', 9)])],
  ['a transformer', updating(isvc, [set('/spec/transformer', { containers: [] })])],
  ['another preset', updating(workspace, [set('/inference/preset/name', 'evil')])],
  ['more nodes', updating(workspace, [set('/resource/count', 9)])],
  ['the triggers of KEDA', updating(scaled, [set('/spec/maxReplicaCount', 99)])],
  ['a ConfigMap that is there', updating(configMap, [set('/data/a', 'c')])],
  ['a ConfigMap of another name', creating({ ...configMap, metadata: { name: 'kube-root-ca.crt' } })],
  ['a Deployment', creating(deployment, 'deployments', 'apps')],
  ['a Secret', creating({ kind: 'Secret', metadata: { name: 'a-oom-1' } }, 'secrets')],
  ['a Pod', creating({ kind: 'Pod', metadata: { name: 'a-oom-1' } }, 'pods')],
  ['any other kind', updating({ ...deployment, apiVersion: 'batch/v1', kind: 'Job' }, [])],
  [
    'a status',
    {
      ...updating(deployment, []),
      request: { ...(updating(deployment, []).request as object), subResource: 'status' },
    },
  ],
];

describe('the admission policy of oombot-act', () => {
  it('fails closed, for that account alone, and not for its questions', () => {
    const applies = (username: string, group: string): boolean =>
      policy.matchConditions.every(
        ({ expression }) =>
          evaluate(parseCel(expression), { request: { userInfo: { username }, resource: { group } } }) === true,
      );

    expect(policy.failurePolicy).toBe('Fail');
    expect(of('ValidatingAdmissionPolicyBinding', 'oombot-act').spec).toEqual({
      policyName: 'oombot-act',
      validationActions: ['Deny'],
    });
    expect([
      applies(ACT, 'apps'),
      applies('system:serviceaccount:oombot:oombot-read', 'apps'),
      applies(ACT, 'authorization.k8s.io'),
    ]).toEqual([true, false, false]);
  });

  it.each(ALLOWED)('lets pass: %s', (_what, review) => {
    expect(deniedFor(review)).toEqual([]);
  });

  it.each(DENIED)('stops: %s', (_what, review) => {
    expect(deniedFor(review)).not.toEqual([]);
  });
});
