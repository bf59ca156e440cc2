import type { KubeObject } from '../../../../src/standins/api-server/objects/world.ts';

type Json = Record<string, unknown>;

/** A workload of one kind in the shape that its CRD gives it, with what its operator makes beside it; the owner is the last. */
export type OwnerCase = {
  readonly name: string;
  readonly kind: string;
  readonly container: string;
  readonly objects: (over?: { replicas?: number }) => readonly KubeObject[];
  /** Pods of one replica. */
  readonly size?: number;
};

const RESOURCES = {
  limits: { 'nvidia.com/gpu': '1', memory: '32Gi', cpu: '8' },
  requests: { 'nvidia.com/gpu': '1', memory: '32Gi', cpu: '4' },
};

const engine = (over: Json = {}): Json => ({
  name: 'vllm',
  image: 'vllm/vllm-openai:v0.11.0',
  command: ['vllm', 'serve', 'Qwen/Qwen3-8B'],
  args: ['--max-model-len', '32768', '--gpu-memory-utilization=0.95', '--enable-prefix-caching'],
  env: [{ name: 'HF_HOME', value: '/cache' }],
  resources: RESOURCES,
  readinessProbe: { httpGet: { path: '/health', port: 8000 } },
  ...over,
});

const template = (container: Json, labels: Json = { app: 'vllm' }): Json => ({
  metadata: { labels },
  spec: {
    containers: [container, { name: 'metrics', image: 'exporter:1' }],
    volumes: [{ name: 'cache', emptyDir: {} }],
  },
});

function object(apiVersion: string, kind: string, rest: Json, name = 'vllm'): KubeObject {
  const { annotations, labels, ...fields } = rest as { annotations?: Json; labels?: Json };
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: 'llm',
      uid: `uid-${kind}-${name}`,
      ...(labels && { labels: labels as Record<string, string> }),
      ...(annotations && { annotations }),
    },
    ...fields,
  };
}

const SELECTOR = { selector: { matchLabels: { app: 'vllm' } } };

const deployment = (replicas: number): KubeObject =>
  object('apps/v1', 'Deployment', {
    annotations: { 'deployment.kubernetes.io/revision': '2' },
    spec: {
      replicas,
      ...SELECTOR,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      progressDeadlineSeconds: 600,
      template: template(engine()),
    },
  });

const statefulSet = (replicas: number): KubeObject =>
  object('apps/v1', 'StatefulSet', {
    spec: {
      replicas,
      ...SELECTOR,
      serviceName: 'vllm',
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      template: template(engine()),
      volumeClaimTemplates: [{ metadata: { name: 'models' }, spec: { accessModes: ['ReadWriteOnce'] } }],
    },
  });

const groupSet = (replicas: number): KubeObject =>
  object('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', {
    spec: {
      replicas,
      startupPolicy: 'LeaderCreated',
      networkConfig: { subdomainPolicy: 'Shared' },
      rolloutStrategy: {
        type: 'RollingUpdate',
        rollingUpdateConfiguration: { partition: 0, maxSurge: 0, maxUnavailable: 1 },
      },
      leaderWorkerTemplate: {
        size: 2,
        restartPolicy: 'RecreateGroupOnPodRestart',
        leaderTemplate: {
          metadata: { labels: { role: 'leader' } },
          spec: {
            containers: [
              engine({
                name: 'vllm-leader',
                command: [
                  'sh',
                  '-c',
                  'bash /vllm-workspace/ray.sh leader --ray_cluster_size=$(LWS_GROUP_SIZE); ' +
                    'vllm serve Qwen/Qwen3-8B --max-model-len 32768 --enable-prefix-caching --tensor-parallel-size 2',
                ],
                args: undefined,
              }),
            ],
          },
        },
        workerTemplate: {
          spec: {
            containers: [
              engine({
                name: 'vllm-worker',
                command: ['sh', '-c', 'bash /vllm-workspace/ray.sh worker --ray_address=$(LWS_LEADER_ADDRESS)'],
                args: undefined,
                readinessProbe: undefined,
              }),
            ],
          },
        },
      },
    },
  });

const inferenceService = (mode: 'Serverless' | 'RawDeployment', replicas: number): KubeObject =>
  object('serving.kserve.io/v1beta1', 'InferenceService', {
    annotations: { 'serving.kserve.io/deploymentMode': mode },
    spec: {
      predictor: {
        minReplicas: replicas,
        maxReplicas: replicas + 1,
        ...(mode === 'RawDeployment' && {
          deploymentStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        }),
        model: {
          modelFormat: { name: 'huggingface' },
          runtime: 'kserve-huggingfaceserver',
          storageUri: 'hf://Qwen/Qwen3-8B',
          args: ['--model_name=qwen', '--max-model-len=32768', '--enable-prefix-caching'],
          env: [{ name: 'HF_HOME', value: '/cache' }],
          resources: RESOURCES,
        },
      },
    },
  });

const workspaceParts = (replicas: number): KubeObject[] => {
  const labels = { 'kaito.sh/workspace': 'vllm' };
  const owner = { apiVersion: 'kaito.sh/v1beta1', kind: 'Workspace', name: 'vllm', uid: 'uid-Workspace-vllm' };
  const set = object('apps/v1', 'StatefulSet', {
    spec: {
      replicas,
      selector: { matchLabels: labels },
      podManagementPolicy: 'Parallel',
      template: template(
        engine({
          command: [
            '/bin/sh',
            '-c',
            'python3 /workspace/vllm/inference_api.py --served-model-name=qwen --kaito-config-file=/mnt/config/inference_config.yaml',
          ],
          args: undefined,
        }),
        labels,
      ),
    },
  });
  const map = object(
    'v1',
    'ConfigMap',
    { data: { 'inference_config.yaml': '# ours\nvllm:\n  max-model-len: 32768\n  enable-prefix-caching: true\n' } },
    'qwen-config',
  );
  const workspace = object('kaito.sh/v1beta1', 'Workspace', {
    resource: { count: replicas, instanceType: 'Standard_NC24ads_A100_v4', labelSelector: { matchLabels: labels } },
    inference: { preset: { name: 'qwen3-8b' }, config: 'qwen-config' },
  });
  return [{ ...set, metadata: { ...set.metadata, ownerReferences: [{ ...owner, controller: true }] } }, map, workspace];
};

const rollout = (replicas: number, strategy: Json): KubeObject =>
  object('argoproj.io/v1alpha1', 'Rollout', {
    spec: { replicas, ...SELECTOR, strategy, template: template(engine()) },
  });

function ownerCase(
  name: string,
  container: string,
  made: (replicas: number) => KubeObject | readonly KubeObject[],
  over: Partial<OwnerCase> = {},
): OwnerCase {
  const objects: OwnerCase['objects'] = ({ replicas = 2 } = {}) => [made(replicas)].flat();
  return { name, kind: name.split(' ')[0] ?? '', container, objects, ...over };
}

const CANARY = { canary: { maxSurge: '25%', maxUnavailable: 0 } };
const BLUE_GREEN = { blueGreen: { activeService: 'vllm', previewService: 'vllm-preview' } };

/** Every kind that is written. */
export const OWNERS: readonly OwnerCase[] = [
  ownerCase('Deployment', 'vllm', deployment),
  ownerCase('StatefulSet', 'vllm', statefulSet),
  ownerCase('LeaderWorkerSet', 'vllm-leader', groupSet, { size: 2 }),
  ownerCase('InferenceService (Serverless)', 'kserve-container', (count) => inferenceService('Serverless', count)),
  ownerCase('InferenceService (RawDeployment)', 'kserve-container', (count) =>
    inferenceService('RawDeployment', count),
  ),
  ownerCase('Workspace', 'vllm', workspaceParts),
  ownerCase('Rollout (canary)', 'vllm', (count) => rollout(count, CANARY)),
  ownerCase('Rollout (blue-green)', 'vllm', (count) => rollout(count, BLUE_GREEN)),
];

export function ownerOf(name: string): OwnerCase {
  const found = OWNERS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}
