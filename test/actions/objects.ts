type Json = Record<string, unknown>;

/** The engine's container as charts of vLLM have it. */
export function aContainer(over: Json = {}): Json {
  return {
    name: 'vllm',
    image: 'vllm/vllm-openai:v0.11.0',
    command: ['vllm', 'serve', 'Qwen/Qwen3-8B'],
    args: ['--max-model-len', '32768', '--gpu-memory-utilization=0.95'],
    env: [
      { name: 'HF_TOKEN', value: 'hf_do-not-show' },
      { name: 'PLAIN', value: 'also-not-shown' },
    ],
    resources: { limits: { 'nvidia.com/gpu': '1', memory: '32Gi' }, requests: { memory: '32Gi' } },
    readinessProbe: { httpGet: { path: '/health', port: 8000 } },
    ...over,
  };
}

function metaOf(name: string, meta: Json = {}): Json {
  return { name, namespace: 'llm', uid: `uid-${name}`, ...meta };
}

type Over = { meta?: Json; spec?: Json; container?: Json; replicas?: number; ready?: number | null };

function aWorkload(apiVersion: string, kind: string, over: Over): Json {
  const { meta, spec, container, replicas = 3, ready } = over;
  return {
    apiVersion,
    kind,
    metadata: metaOf('vllm', meta),
    spec: {
      replicas,
      selector: { matchLabels: { app: 'vllm' } },
      template: {
        metadata: { labels: { app: 'vllm' } },
        spec: { containers: [{ name: 'proxy', image: 'envoy' }, aContainer(container)] },
      },
      ...spec,
    },
    ...(ready === null
      ? {}
      : { status: { observedGeneration: 1, replicas, ...(ready ? { readyReplicas: ready } : {}) } }),
  };
}

export const aDeployment = (over: Over = {}): Json =>
  aWorkload('apps/v1', 'Deployment', {
    ...over,
    spec: {
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      ...over.spec,
    },
  });

export const aStatefulSet = (over: Over = {}): Json =>
  aWorkload('apps/v1', 'StatefulSet', {
    ...over,
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } }, ...over.spec },
  });

export const aRollout = (over: Over = {}): Json =>
  aWorkload('argoproj.io/v1alpha1', 'Rollout', {
    ...over,
    spec: { strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } }, ...over.spec },
  });

export function aGroupSet({ replicas = 2, ready = 0, spec = {} }: Over = {}): Json {
  const template = (container: Json): Json => ({ metadata: {}, spec: { containers: [container] } });
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: metaOf('vllm'),
    spec: {
      replicas,
      leaderWorkerTemplate: {
        size: 2,
        leaderTemplate: template(aContainer()),
        workerTemplate: template(
          aContainer({
            command: ['sh', '-c', 'ray start --address=$(LWS_LEADER_ADDRESS):6379 --block'],
            args: undefined,
          }),
        ),
      },
      ...spec,
    },
    status: { replicas, ...(ready ? { readyReplicas: ready } : {}) },
  };
}

export function anInferenceService({ meta = {}, spec = {} }: Over = {}): Json {
  return {
    apiVersion: 'serving.kserve.io/v1beta1',
    kind: 'InferenceService',
    metadata: metaOf('vllm', meta),
    spec: {
      predictor: {
        minReplicas: 2,
        model: {
          modelFormat: { name: 'huggingface' },
          args: ['--max-model-len=32768'],
          resources: { limits: { 'nvidia.com/gpu': '1' } },
        },
        ...spec,
      },
    },
  };
}

export function aWorkspace(): Json {
  return {
    apiVersion: 'kaito.sh/v1beta1',
    kind: 'Workspace',
    metadata: metaOf('vllm'),
    resource: { count: 1, instanceType: 'Standard_NC24ads_A100_v4' },
    inference: { preset: { name: 'phi-4' }, config: 'phi-config' },
  };
}

export const aWorkspaceSet = (
  command = 'python3 /workspace/vllm/inference_api.py --kaito-config-file=/mnt/config/inference_config.yaml',
): Json =>
  aStatefulSet({
    replicas: 1,
    ready: 0,
    meta: { uid: 'uid-set' },
    container: { name: 'vllm', command: ['/bin/sh', '-c', command], args: undefined },
  });

export const aConfigMap = (): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metaOf('phi-config', { uid: 'uid-config' }),
  data: { 'inference_config.yaml': '# ours\nvllm:\n  max-model-len: 16384\n  cpu-offload-gb: 0\n' },
});

const TARGET = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'vllm' } };

export const aScaledObject = (annotations?: Record<string, string>): Json => ({
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  metadata: metaOf('vllm-scaler', annotations === undefined ? {} : { annotations }),
  spec: { scaleTargetRef: { name: 'vllm' }, minReplicaCount: 1, maxReplicaCount: 4 },
});

export const anHpa = (name = 'vllm-hpa', over: Json = {}): Json => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: metaOf(name),
  spec: { ...TARGET, minReplicas: 2, maxReplicas: 6, ...over },
});

export const anApplication = (selfHeal: boolean | undefined, name = 'models'): Json => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd', uid: `uid-app-${name}` },
  spec: { syncPolicy: selfHeal === undefined ? {} : { automated: { selfHeal } } },
});

export const aFluxObject = (kind: 'Kustomization' | 'HelmRelease', spec: Json): Json => ({
  apiVersion: kind === 'Kustomization' ? 'kustomize.toolkit.fluxcd.io/v1' : 'helm.toolkit.fluxcd.io/v2',
  kind,
  metadata: { name: 'models', namespace: 'flux-system', uid: `uid-${kind}` },
  spec,
});

/** Any object of a kind that nobody writes. */
export const anObject = (apiVersion: string, kind: string, name = 'vllm'): Json => ({
  apiVersion,
  kind,
  metadata: metaOf(name),
  spec: {},
});
