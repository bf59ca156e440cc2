import type { PodEvidence } from './gather.ts';
import { containersOf, firstOf } from './gather.ts';
import type { ContainerView } from './view.ts';

// Whole devices, slices and shares, by the names that device plugins register.
const GPU_RESOURCE =
  /^(?:nvidia\.com\/(?:gpu|mig-|gpumem|pgpu)|amd\.com\/gpu|gpu\.intel\.com\/|habana\.ai\/gaudi|huawei\.com\/Ascend|aliyun\.com\/gpu|aws\.amazon\.com\/neuron|google\.com\/tpu|rebellions\.ai\/)/i;
const ENGINE_WORD =
  /\b(?:vllm|sglang|text-generation-inference|text-generation-launcher|tgi|tritonserver|tensorrt|trtllm|lmdeploy|llama[-.]?(?:cpp|server)|ollama|kaito|huggingfaceserver|nim)\b/i;
const ENGINE_NAME = /^(?:vllm|main|kserve-container|server)$|-ctr$/;

export function isGpuResource(name: string): boolean {
  return GPU_RESOURCE.test(name);
}

export function asksForGpu(container: ContainerView): boolean {
  return container.claims.length > 0 || [...container.limits.keys(), ...container.requests.keys()].some(isGpuResource);
}

/**
 * The container that runs the engine. In this order, the first that decides: asks for a GPU (of several, the one whose
 * image or command names an engine), names an engine, default-container annotation, usual names, the only one, the first.
 */
export function engineContainer(evidence: PodEvidence): ContainerView | undefined {
  const main = containersOf(evidence).filter((container) => container.kind === 'container');
  const gpu = main.filter(asksForGpu);
  const byDefault = firstOf(evidence, (view) => view.defaultContainer?.value);
  return (
    gpu.find(namesEngine) ??
    gpu[0] ??
    main.find(namesEngine) ??
    main.find((container) => byDefault !== undefined && container.name?.value === byDefault) ??
    main.find((container) => ENGINE_NAME.test(container.name?.value ?? '')) ??
    main[0]
  );
}

function namesEngine(container: ContainerView): boolean {
  const words = [container.image, ...container.command, ...container.args.slice(0, 3)];
  return words.some((word) => ENGINE_WORD.test(word?.value ?? ''));
}
