import { isHelperImage, startsHelper } from '../engine/other-programs.ts';
import { namingWords, splitScripts } from '../engine/program-words.ts';
import { isEngineWord } from '../engine/runs-by-name.ts';
import type { ContainerView } from './container-states.ts';

// Whole devices, slices and shares, by the names that device plugins register.
const GPU_RESOURCE =
  /^(?:nvidia\.com\/(?:gpu|mig-|gpumem|pgpu)|amd\.com\/gpu|gpu\.intel\.com\/|habana\.ai\/gaudi|huawei\.com\/Ascend|aliyun\.com\/gpu|aws\.amazon\.com\/neuron|google\.com\/tpu|rebellions\.ai\/)/i;

/** Whether a resource that is asked for is a GPU or a part of one. */
export function isGpuResource(name: string): boolean {
  return GPU_RESOURCE.test(name);
}

/** Whether a container asks for a GPU, by its resources or by a claim. */
export function asksForGpu(container: ContainerView): boolean {
  return container.claims.length > 0 || [...container.limits.keys(), ...container.requests.keys()].some(isGpuResource);
}

/** Whether the image or the words of the command name an engine, and nothing that stands beside one. */
export function namesEngine(container: ContainerView): boolean {
  if (runsHelper(container)) return false;
  const words = [container.image, ...container.command, ...container.args.slice(0, 3)];
  return words.some((word) => isEngineWord(word?.value ?? ''));
}

/** Whether the command starts what stands beside engines and no engine, or, where it names neither, the image is of such. */
export function runsHelper({ command, args, image }: ContainerView): boolean {
  const words = namingWords(splitScripts([...command, ...args])).map(({ value }) => value);
  if (words.some((word) => isEngineWord(word) && !startsHelper(word))) return false;
  return words.some(startsHelper) || isHelperImage(image?.value ?? '');
}
