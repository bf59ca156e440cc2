import { valueAt } from '../../model/json-patch.ts';
import type { ApiWorld, KubeObject } from '../api-server/objects/world.ts';
import { oomKilledWorld } from './scenarios.ts';

const NAME = 'vllm-vpa';

/** The RAM OOM of `oomKilledWorld`, in a pod whose memory a VPA had set to 20 GiB when it was created. */
export function vpaLimitWorld(now?: number): ApiWorld {
  const world = oomKilledWorld(now);
  const workload = world.objects.find(({ kind }) => kind === 'Deployment');
  const objects = world.objects.map((one) => (one.kind === 'Pod' ? admitted(one, '21474836480') : one));
  return { ...world, objects: workload === undefined ? objects : [...objects, vpaOf(workload)] };
}

// As its webhook leaves the first container of a pod; the workload and its ReplicaSets stay as they are.
function admitted(pod: KubeObject, memory: string): KubeObject {
  const changed = structuredClone(pod) as KubeObject;
  const resources = valueAt(changed, '/spec/containers/0/resources') as Record<string, Record<string, string>>;
  for (const kind of ['limits', 'requests']) resources[kind] = { ...resources[kind], memory };
  const updates = 'container 0: memory request, cpu request, memory limit';
  const annotations = {
    vpaObservedContainers: 'vllm',
    vpaUpdates: `Pod resources updated by ${NAME}: ${updates}`,
  };
  return { ...changed, metadata: { ...changed.metadata, annotations } };
}

function vpaOf({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): KubeObject {
  return {
    apiVersion: 'autoscaling.k8s.io/v1',
    kind: 'VerticalPodAutoscaler',
    metadata: { name: NAME, namespace, uid: `uid-vpa-${NAME}` },
    spec: { targetRef: { apiVersion, kind, name }, updatePolicy: { updateMode: 'Recreate' } },
    status: {
      recommendation: { containerRecommendations: [{ containerName: 'vllm', target: { memory: '21474836480' } }] },
    },
  };
}
