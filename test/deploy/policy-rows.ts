import { applyPatch } from '../../src/model/json-patch.ts';
import type { PatchOperation } from '../../src/model/plan.ts';
import { aDeployment, anOwner, aStatefulSet } from '../../src/standins/api-server/objects/builders.ts';
import type { Review } from './policy.ts';

export const ACT = 'system:serviceaccount:oombot:oombot-act';

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
const template = { metadata: { labels: { app: 'vllm-server' }, annotations: { kept: 'yes' } }, spec: podSpec };

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
  resource: { count: 1, labelSelector: { matchLabels: { apps: 'phi' } } },
  inference: { preset: { name: 'phi' }, config: 'old' },
};
delete workspace.spec;
const scaled: Anything = {
  ...anOwner('keda.sh/v1alpha1', 'ScaledObject', 's'),
  spec: { scaleTargetRef: { name: 'v' }, triggers: [{ type: 'cpu', metadata: { value: '60' } }], maxReplicaCount: 3 },
};
const service: Anything = { ...anOwner('v1', 'Service', 'a'), spec: { ports: [{ port: 8000 }] } };
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u' };
const configMap: Anything = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'phi-oom-1' }, data: { a: 'b' } };

/** The deployment with other arguments; with a script as its only one. */
const withArgs = (args: readonly string[]): Anything => {
  const [main, ...others] = podSpec.containers;
  const spec = { ...podSpec, containers: [{ ...main, args }, ...others] };
  return { ...deployment, spec: { ...deployment.spec, template: { ...template, spec } } };
};
const scriptOf = (length: string, more: string): string =>
  `set -e\nvllm serve m \\\n  --max-model-len ${length}${more} \\\n  --port 8000`;
const scripted = (length: string): Anything => withArgs([scriptOf(length, '')]);

/** A write of the acting account: a patch of an object, of a subresource of it too, or an object that is made. */
export type Change =
  | { readonly kind: 'update'; readonly old: Anything; readonly patch: PatchOperation[]; readonly subresource?: string }
  | { readonly kind: 'create'; readonly object: Anything; readonly resource: string; readonly group: string };

/** A patch of an object: of its `/scale` or `/status` by `part`. */
const on = (old: Anything, ...patch: PatchOperation[]): Change => ({ kind: 'update', old, patch });
const part = (subresource: string, old: Anything, ...patch: PatchOperation[]): Change => {
  return { kind: 'update', old, patch, subresource };
};
const making = (object: Anything, resource = 'configmaps', group = ''): Change => ({
  kind: 'create',
  object,
  resource,
  group,
});

/** The plural that the API server knows a kind by. */
export const resourceOf = ({ kind }: { readonly kind: string }): string => `${kind.toLowerCase()}s`;

/** A change as an admission policy is shown it. */
export function reviewOf(change: Change): Review {
  const userInfo = { username: ACT };
  if (change.kind === 'create') {
    const { object, resource, group } = change;
    return {
      object,
      oldObject: null,
      request: { operation: 'CREATE', kind: { kind: object.kind }, resource: { group, resource }, userInfo },
    };
  }
  const { old, patch, subresource } = change;
  const [version, group = ''] = old.apiVersion.split('/').toReversed();
  const request = {
    operation: 'UPDATE',
    ...(subresource === undefined ? {} : { subResource: subresource }),
    kind: { group, version, kind: old.kind },
    resource: { group, version, resource: resourceOf(old) },
    userInfo,
  };
  if (subresource === 'scale') {
    const scale = (replicas: unknown) => ({ kind: 'Scale', metadata: { name: old.metadata.name }, spec: { replicas } });
    const object = applied(scale(old.spec.replicas), patch);
    const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
    return { object, oldObject: scale(old.spec.replicas), request: { ...request, kind } };
  }
  return { object: applied(old, patch), oldObject: old, request };
}

function applied(old: Anything, patch: PatchOperation[]): unknown {
  const outcome = applyPatch(old, patch);
  if (outcome.kind === 'failed') throw new Error(outcome.why);
  return outcome.value;
}

const set = (path: string, value: Anything): PatchOperation => ({ op: 'add', path, value });
const remove = (path: string): PatchOperation => ({ op: 'remove', path });
const POD = '/spec/template/spec';
const C = `${POD}/containers/0`;
const EVIL = [{ name: 'x', image: 'evil:1' }];
const LEADER = '/spec/leaderWorkerTemplate/leaderTemplate/spec/containers/0';
const WORKER = '/spec/leaderWorkerTemplate/workerTemplate/spec/containers/0';

export type Row = readonly [what: string, change: Change];

export const withFlag = (flag: string, value: string): Change =>
  on(deployment, set(`${C}/args`, ['--max-model-len', '32768', flag, value]));
export const withVariable = (name: string, value: string): Change => on(deployment, set(`${C}/env/-`, { name, value }));

const pod: Anything = {
  ...anOwner('v1', 'Pod', 'vllm-server-0'),
  metadata: { name: 'vllm-server-0', namespace: 'llm', uid: 'u', labels: { app: 'vllm-server' } },
  spec: podSpec,
};
const outPod: Anything = { ...pod, metadata: { ...pod.metadata, labels: { app: 'out-of-service' } } };

export const ALLOWED: readonly Row[] = [
  ['a pod is taken out of its Service', on(pod, set('/metadata/labels/app', 'out-of-service'))],
  ['and put back', on(outPod, set('/metadata/labels/app', 'vllm-server'))],
  ['a pod is ended', on(outPod, set('/spec/activeDeadlineSeconds', 1))],
  ['nothing at all', on(deployment)],
  ['replicas', on(deployment, set('/spec/replicas', 0))],
  ['arguments', on(deployment, set(`${C}/args`, ['--max-model-len', '8192']))],
  ['arguments where there were none', on(deployment, set(`${POD}/containers/1/args`, ['--enforce-eager']))],
  ['an argument that goes', on(deployment, set(`${C}/args`, []))],
  ['a flag in a command', on(deployment, set(`${C}/command`, ['vllm', 'serve', '--max-num-seqs', '8']))],
  ['a flag in a script', on(scripted('32768'), set(`${C}/args`, [scriptOf('8192', ' \\\n --max-num-seqs=64')]))],
  ['JSON as a value', on(deployment, set(`${C}/args`, ['-cc', '{"cudagraph_capture_sizes": [1, 2]}']))],
  ['an allocator setting', on(deployment, set(`${C}/env/2/value`, 'expandable_segments:True'))],
  [
    'a listed variable that is new',
    on(deployment, set(`${C}/env/-`, { name: 'VLLM_ADDITIONAL_ARGS', value: '--max-num-seqs 8' })),
  ],
  ['a listed variable that goes', on(deployment, remove(`${C}/env/2`))],
  ['a NIM variable', on(deployment, set(`${C}/env/-`, { name: 'NIM_MAX_MODEL_LEN', value: '8192' }))],
  [
    'more memory',
    on(deployment, set(`${C}/resources/limits/memory`, '96Gi'), set(`${C}/resources/requests/memory`, '96Gi')),
  ],
  ['memory at the cap', on(deployment, set(`${C}/resources/limits/memory`, '512Gi'))],
  [
    'memory back down',
    on(deployment, set(`${C}/resources/requests/memory`, '32Gi'), set(`${C}/resources/limits/memory`, '32Gi')),
  ],
  [
    'the restart mark',
    on(deployment, set('/spec/template/metadata/annotations/kubectl.kubernetes.io~1restartedAt', '2026')),
  ],
  ['our annotations', on(deployment, set('/metadata/annotations/oombot.dev~1run', 'run_1/1'))],
  [
    'how replicas are replaced',
    on(deployment, set('/spec/strategy', { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } })),
  ],
  ['a partition', on(statefulSet, set('/spec/updateStrategy/rollingUpdate', { partition: 1 }))],
  ['surge of a canary', on(rollout, set('/spec/strategy/canary/maxSurge', 0))],
  [
    'arguments of leader and workers',
    on(lws, set(`${LEADER}/args`, ['--max-num-seqs', '8']), set(`${WORKER}/args`, ['--max-num-seqs', '8'])),
  ],
  ['roll-out of groups', on(lws, set('/spec/rolloutStrategy', { type: 'RollingUpdate' }))],
  ['arguments of a model server', on(isvc, set('/spec/predictor/model/args', ['--no-enable-prefix-caching']))],
  ['the stop of KServe', on(isvc, set('/metadata/annotations', { 'serving.kserve.io/stop': 'true' }))],
  ['the range of a model server', on(isvc, set('/spec/predictor/minReplicas', 2))],
  ['the configuration of a Workspace', on(workspace, set('/inference/config', 'phi-oom-1'))],
  ['the pause of KEDA', on(scaled, set('/metadata/annotations', { 'autoscaling.keda.sh/paused-replicas': '0' }))],
  ['what the server itself counts', on(deployment, set('/metadata/generation', 3), set('/status/replicas', 1))],
  ['a ConfigMap of our name', making(configMap)],
  ['a scale', part('scale', deployment, set('/spec/replicas', 0))],
  ['replicas at the cap', on(deployment, set('/spec/replicas', 100))],
  ['a connector that is taken away', on(withArgs(['--kv-transfer-config', '{"x":1}']), set(`${C}/args`, []))],
];

export const DENIED: readonly Row[] = [
  ['another label of a pod', on(pod, set('/metadata/labels/app', 'payments'))],
  ['one more label of a pod', on(pod, set('/metadata/labels/team', 'x'))],
  ['the image of a pod', on(pod, set('/spec/containers/0/image', 'evil:1'))],
  ['the owner of a pod', on(pod, set('/metadata/ownerReferences', []))],
  ['a command', on(deployment, set(`${C}/command`, ['sh', '-c', 'vllm serve m']))],
  ['a flag that is not known', on(deployment, set(`${C}/args`, ['--max-model-len', '32768', '--exec', 'x']))],
  ['what is served', on(withArgs(['--model', 'a']), set(`${C}/args`, ['--model', 'b']))],
  ['a model taken away', on(withArgs(['--model', 'a']), set(`${C}/args`, []))],
  ['a connector that is given', on(deployment, set(`${C}/args`, ['--kv-transfer-config', '{"x":1}']))],
  ['a word that belongs to no flag', on(deployment, set(`${C}/args`, ['--max-model-len', '8192', 'evil']))],
  ['a command behind a flag', on(scripted('32768'), set(`${C}/args`, [scriptOf('8192;curl', '')]))],
  ['a command on a line of its own', on(scripted('32768'), set(`${C}/args`, [scriptOf('8192\ncurl', '')]))],
  ['a command in a value', on(scripted('32768'), set(`${C}/args`, [scriptOf('$(curl)', '')]))],
  ['another script', on(scripted('32768'), set(`${C}/args`, ['curl evil --max-model-len 8192']))],
  ['what is handed on', on(deployment, set(`${C}/env/-`, { name: 'VLLM_ADDITIONAL_ARGS', value: '--model b' }))],
  ['replicas beyond the cap', on(deployment, set('/spec/replicas', 101))],
  ['a scale beyond the cap', part('scale', deployment, set('/spec/replicas', 101))],
  ['an image', on(deployment, set(`${C}/image`, 'evil:1'))],
  ['another container', on(deployment, set(`${POD}/containers/-`, EVIL[0]))],
  ['a container less', on(deployment, remove(`${POD}/containers/1`))],
  ['the name of a container', on(deployment, set(`${C}/name`, 'x'))],
  ['an init container', on(deployment, set(`${POD}/initContainers`, EVIL))],
  ['the service account', on(deployment, set(`${POD}/serviceAccountName`, 'admin'))],
  ['volumes', on(deployment, set(`${POD}/volumes/-`, { name: 'x', secret: { secretName: 's' } }))],
  ['mounts', on(deployment, set(`${C}/volumeMounts`, [{ name: 'x', mountPath: '/x' }]))],
  ['privileges', on(deployment, set(`${C}/securityContext`, { privileged: true }))],
  ['the host’s network', on(deployment, set(`${POD}/hostNetwork`, true))],
  ['a variable from a secret', on(deployment, set(`${C}/env/-`, { name: 'NIM_X', valueFrom: { secretKeyRef: {} } }))],
  ['a variable on no list', on(deployment, set(`${C}/env/-`, { name: 'LD_PRELOAD', value: '/x.so' }))],
  ['another value of one on no list', on(deployment, set(`${C}/env/1/value`, 'y'))],
  ['a secret of a listed family', on(deployment, set(`${C}/env/-`, { name: 'NIM_API_KEY', value: 'k' }))],
  ['a token taken away', on(deployment, remove(`${C}/env/0`))],
  ['all of a Secret as variables', on(deployment, set(`${C}/envFrom`, [{ secretRef: { name: 's' } }]))],
  ['memory beyond the cap', on(deployment, set(`${C}/resources/limits/memory`, '513Gi'))],
  ['memory that is none', on(deployment, set(`${C}/resources/limits/memory`, 'lots'))],
  ['more GPUs', on(deployment, set(`${C}/resources/limits/nvidia.com~1gpu`, '8'))],
  ['a limit that was not set', on(deployment, set(`${POD}/containers/1/resources`, { limits: { memory: '1Gi' } }))],
  ['a limit taken away', on(deployment, remove(`${C}/resources/limits/memory`))],
  ['the labels of pods', on(deployment, set('/spec/template/metadata/labels/app', 'b'))],
  ['annotations of pods', on(deployment, set('/spec/template/metadata/annotations/inject', 'true'))],
  ['an annotation of pods taken away', on(deployment, remove('/spec/template/metadata/annotations/kept'))],
  ['labels', on(deployment, set('/metadata/labels/x', 'y'))],
  ['owners', on(deployment, set('/metadata/ownerReferences', [owner]))],
  ['annotations of others', on(deployment, set('/metadata/annotations/argocd.argoproj.io~1skip', 'true'))],
  ['an annotation taken away', on(deployment, remove('/metadata/annotations/kept'))],
  [
    'KEDA’s pause on what is not KEDA’s',
    on(deployment, set('/metadata/annotations/autoscaling.keda.sh~1paused-replicas', '0')),
  ],
  ['the selector', on(deployment, set('/spec/selector/matchLabels/app', 'b'))],
  ['paused', on(deployment, set('/spec/paused', true))],
  ['no template', on(rollout, remove('/spec/template'))],
  ['a template of somebody else', on(rollout, set('/spec/workloadRef', { name: 'x' }))],
  ['where a canary’s traffic goes', on(rollout, set('/spec/strategy/canary/trafficRouting', {}))],
  ['steps of a canary taken away', on(rollout, remove('/spec/strategy/canary/steps'))],
  ['an image of the workers', on(lws, set(`${WORKER}/image`, 'evil:1'))],
  ['the size of a group', on(lws, set('/spec/leaderWorkerTemplate/size', 4))],
  ['a leader of its own taken away', on(lws, remove('/spec/leaderWorkerTemplate/leaderTemplate'))],
  ['where a model comes from', on(isvc, set('/spec/predictor/model/storageUri', 's3://evil'))],
  ['an image of a model server', on(isvc, set('/spec/predictor/model/image', 'evil:1'))],
  ['the account of a predictor', on(isvc, set('/spec/predictor/serviceAccountName', 'admin'))],
  ['a range where there was none', on(isvc, set('/spec/predictor/maxReplicas', 9))],
  ['a transformer', on(isvc, set('/spec/transformer', { containers: [] }))],
  ['another preset', on(workspace, set('/inference/preset/name', 'evil'))],
  ['more nodes', on(workspace, set('/resource/count', 9))],
  ['the triggers of KEDA', on(scaled, set('/spec/maxReplicaCount', 99))],
  ['a ConfigMap that is there', on(configMap, set('/data/a', 'c'))],
  ['a ConfigMap of another name', making({ ...configMap, metadata: { name: 'kube-root-ca.crt' } })],
  ['a Deployment', making(deployment, 'deployments', 'apps')],
  ['a Secret', making({ kind: 'Secret', metadata: { name: 'a-oom-1' } }, 'secrets')],
  ['a Pod', making({ kind: 'Pod', metadata: { name: 'a-oom-1' } }, 'pods')],
  ['any other kind', on(service)],
  ['a status', part('status', deployment, set('/metadata/generation', 3))],
];
