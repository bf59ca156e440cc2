import { kaitoRelease, offloadsByDefault } from './kaito.ts';
import type { Wrapper } from './wrappers.ts';

/** How what wraps an engine deals with it, in sentences. */
export type WrapperWay = {
  /** Where the arguments of the engine have to be changed. */
  readonly argumentsAt: string;
  /** Who makes pods anew, and who puts a change back. */
  readonly restarts: string;
  /** What it sets where nobody sets anything else, by the version of the engine inside; undefined where that is nothing. */
  readonly sets?: (version: string | undefined) => string | undefined;
};

const WAYS: Readonly<Record<Wrapper, WrapperWay>> = {
  // kserve/kserve config/runtimes/kserve-huggingfaceserver.yaml, config/configmap/inferenceservice.yaml (v0.20.0).
  kserve: {
    argumentsAt:
      'Arguments stand in the InferenceService (spec.predictor.model.args) or in the ServingRuntime that it names.',
    restarts: 'KServe makes the Deployment and puts a change of it back.',
    sets: () => 'KServe gives a model 1 CPU and 2Gi of memory where the InferenceService names no resources.',
  },
  // kaito-project/kaito presets/workspace/inference/vllm/inference_api.py, pkg/workspace/manifests/manifests.go (v0.12.0).
  kaito: {
    argumentsAt:
      'Arguments stand in the ConfigMap that spec.inference.config of the Workspace names (inference_config.yaml, section vllm), read when a pod starts.',
    restarts: 'KAITO makes the StatefulSet and puts a change of it back.',
    sets: kaitoSets,
  },
  // ray-project/ray python/ray/llm/_internal/serve; ray-project/kuberay ray-operator.
  'ray-serve': {
    argumentsAt:
      'Arguments stand in the RayService (serveConfigV2, engine_kwargs of its application) or in the program that it runs.',
    restarts: 'Ray starts processes anew inside pods that stay Running: restarts of the pod do not count them.',
  },
  // kubernetes-sigs/lws api/leaderworkerset/v1, RecreateGroupOnPodRestart.
  'leader-worker-set': {
    argumentsAt: 'Arguments stand in spec.leaderWorkerTemplate of the LeaderWorkerSet, for leader and workers apart.',
    restarts: 'One container that restarts makes the whole group anew: look at all pods of the group.',
  },
  // vllm-project/production-stack helm/values.yaml, helm/templates/deployment-vllm-multi.yaml.
  'production-stack': {
    argumentsAt: 'Arguments stand in the values of the chart (servingEngineSpec.modelSpec, vllmConfig).',
    restarts: 'The next helm upgrade puts a change of the Deployment back.',
  },
  // llm-d-incubation/llm-d-modelservice charts/llm-d-modelservice/values.yaml.
  'llm-d': {
    argumentsAt:
      'Arguments stand in the values of the chart (containers under decode and under prefill), for both apart.',
    restarts: 'The next upgrade of the chart puts a change of its workloads back.',
  },
  // NVIDIA/k8s-nim-operator api/apps/v1alpha1, NIMService.
  nim: {
    argumentsAt:
      'Arguments are variables NIM_* of the pod (spec.env of the NIMService), from NIM 2 on any of the engine in NIM_PASSTHROUGH_ARGS; the image picks the rest by its profile.',
    restarts: 'The operator of NIM makes the Deployment and puts a change of it back.',
  },
};

export function wayOf(wrapper: Wrapper): WrapperWay {
  return WAYS[wrapper];
}

function kaitoSets(version: string | undefined): string {
  const release = kaitoRelease(version);
  const cache = 'keeps KV blocks in up to half of the free memory of the node, whatever the limit of the container is';
  if (release === undefined) {
    return offloadsByDefault(version) ? `KAITO from 0.7 on ${cache}, unless its configuration says otherwise.` : '';
  }
  const { name, fraction, length, offloads } = release;
  const more = offloads ? `, and it ${cache}` : '';
  return `KAITO ${name} sets the fraction (${fraction}) and ${length}${more}, unless its configuration says otherwise.`;
}
