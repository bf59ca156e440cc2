import { aNode } from '../../standins/api-server/objects/surroundings.ts';
import type { KubeObject } from '../../standins/api-server/objects/world.ts';
import type { EngineService } from '../engine/engine-service.ts';
import { GPUS } from '../engine/models.data.ts';

/** The node on which all pods run. */
export const NODE = 'gpu-node-1';

const IMAGES = { vllm: 'vllm/vllm-openai', sglang: 'lmsysorg/sglang' } as const;
const MODEL_FLAG = { vllm: '--model', sglang: '--model-path' } as const;

/** The workload and the Service of an engine service, as a chart would render them. */
export function serviceObjects(service: EngineService): {
  readonly workload: KubeObject;
  readonly others: readonly KubeObject[];
} {
  const { name, namespace } = service;
  const labels = { app: name };
  const workload: KubeObject = {
    apiVersion: 'apps/v1',
    kind: service.kind,
    metadata: { name, namespace, uid: '', labels, annotations: service.annotations ?? {} },
    spec: {
      replicas: service.replicas,
      selector: { matchLabels: labels },
      ...(service.kind === 'Deployment'
        ? { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
        : { serviceName: name }),
      template: { metadata: { labels }, spec: { containers: [containerOf(service)], ...volumesOf(service) } },
    },
    status: {},
  };
  const of = (apiVersion: string, kind: string, spec: object): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name, namespace, uid: `uid-${kind.toLowerCase()}-${name}`, labels },
    spec,
  });
  const endpoints = of('v1', 'Service', { selector: labels, ports: [{ port: 80, targetPort: 8000 }] });
  return { workload, others: [endpoints, ...(service.objects ?? [])] };
}

function volumesOf({ sharedMemory }: EngineService) {
  if (sharedMemory === undefined) return {};
  return { volumes: [{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: sharedMemory } }] };
}

function containerOf({ engine, version, model, args, env, memory, gpus = 1, sharedMemory }: EngineService) {
  const amounts = { memory, 'nvidia.com/gpu': String(gpus) };
  const health = { httpGet: { path: '/health', port: 8000 } };
  return {
    name: engine,
    image: `${IMAGES[engine]}:v${version}`,
    args: [MODEL_FLAG[engine], model, ...args],
    ...(env && { env: Object.entries(env).map(([name, value]) => ({ name, value })) }),
    ...(sharedMemory !== undefined && { volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }] }),
    ports: [{ containerPort: 8000, protocol: 'TCP' }],
    resources: { limits: amounts, requests: amounts },
    readinessProbe: { ...health, periodSeconds: 5 },
    startupProbe: { ...health, periodSeconds: 10, failureThreshold: 60 },
  };
}

/** The node; it has the GPUs and the RAM of the first service. */
export function nodeOf({ gpu, node }: EngineService, gpus: number): KubeObject {
  const known = GPUS[gpu];
  const labels = {
    'kubernetes.io/hostname': NODE,
    'nvidia.com/gpu.product': known?.product ?? gpu,
    'nvidia.com/gpu.count': String(gpus),
    'nvidia.com/gpu.memory': String(known?.labelMib ?? 0),
  };
  return aNode(NODE, { labels, ...(node && { ramGib: node.ramGib }) });
}

/** The arguments of a container without the model, as the page shows them. */
export function shownArgs(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => word === '--model' || word === '--model-path');
  return at < 0 ? words : words.toSpliced(at, 2);
}
