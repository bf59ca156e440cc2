import { isGpuResource } from '../../model/gpu-resource.ts';
import type { ContainerSpec, Pod } from '../../model/kubernetes.ts';

const ENGINE =
  /\b(?:vllm|sglang|text-generation-inference|text-generation-launcher|tgi|tritonserver|tensorrt|trtllm|lmdeploy|llama[-.]?(?:cpp|server)|ollama|kaito|huggingfaceserver|nim)\b/i;
const USUAL_NAME = /^(?:vllm|main|kserve-container|server)$|-ctr$/;
const DEFAULT = 'kubectl.kubernetes.io/default-container';

/** Name of the container that runs the engine: one that asks for a GPU, names an engine, is the default, is called as usual; else the first. */
export function engineContainer(pod: Pod): string | undefined {
  const all = pod.spec?.containers ?? [];
  const gpu = all.filter(asksForGpu);
  const chosen =
    gpu.find(namesEngine) ??
    gpu[0] ??
    all.find(namesEngine) ??
    all.find(({ name }) => name !== undefined && name === pod.metadata?.annotations?.[DEFAULT]) ??
    all.find(({ name }) => USUAL_NAME.test(name ?? '')) ??
    all[0];
  return chosen?.name;
}

function asksForGpu({ resources }: ContainerSpec): boolean {
  const names = [...Object.keys(resources?.limits ?? {}), ...Object.keys(resources?.requests ?? {})];
  return (resources?.claims ?? []).length > 0 || names.some(isGpuResource);
}

function namesEngine({ image, command = [], args = [] }: ContainerSpec): boolean {
  return [image ?? '', ...command, ...args.slice(0, 3)].some((word) => ENGINE.test(word));
}
