import { isGpuResource } from '../../model/gpu-resource.ts';
import { isEngineName, isEngineWord, isHelperImage, isHelperName, startsHelper } from '../engine/program-names.ts';
import { namingWords, splitScripts } from '../engine/program-words.ts';
import type { ContainerView } from './container-states.ts';
import { containersOf, firstOf, type PodEvidence } from './gather.ts';

/**
 * The container that runs the engine. In this order, the first that decides: asks for a GPU (of several, the one whose
 * image or command names an engine), names an engine, default-container annotation, usual names, the one whose logs are
 * there, the only one that is no helper, the first that is none.
 */
export function engineContainer(evidence: PodEvidence): ContainerView | undefined {
  const main = mainOf(evidence);
  return decided(evidence, main) ?? couldBe(main)[0];
}

/** Whether anything but its place in the list tells which container runs the engine. */
export function hasToldEngine(evidence: PodEvidence): boolean {
  return decided(evidence, mainOf(evidence)) !== undefined;
}

/** The containers of which nothing tells which runs the engine; none where something does. */
export function undecided(evidence: PodEvidence): readonly ContainerView[] {
  const main = mainOf(evidence);
  return decided(evidence, main) === undefined ? couldBe(main) : [];
}

function mainOf(evidence: PodEvidence): readonly ContainerView[] {
  return containersOf(evidence).filter((container) => container.kind === 'container');
}

function decided(evidence: PodEvidence, main: readonly ContainerView[]): ContainerView | undefined {
  const gpu = main.filter(asksForGpu);
  const byDefault = firstOf(evidence, (view) => view.defaultContainer?.value);
  const [only, ...more] = couldBe(main);
  return (
    gpu.find(namesEngine) ??
    gpu[0] ??
    main.find((one) => namesEngine(one) && !isHelper(one)) ??
    main.find(({ name }) => byDefault !== undefined && name?.value === byDefault) ??
    main.find((one) => isEngineName(one.name?.value ?? '') && !runsHelper(one) && !headsRay(one)) ??
    couldBe(main).find(({ name }) => evidence.logged !== undefined && name?.value === evidence.logged) ??
    (more.length === 0 ? only : undefined)
  );
}

// One that stands alone may have any name, and what it runs counts.
function couldBe(main: readonly ContainerView[]): readonly ContainerView[] {
  const [only, ...more] = main;
  if (only?.image !== undefined && more.length === 0) {
    return runsHelper(only) || headsRay(only) ? [] : main;
  }
  return main.filter((one) => !isHelper(one));
}

// A container of another name may run a helper's image: `log` of fluent/fluent-bit.
function isHelper(container: ContainerView): boolean {
  return isHelperName(container.name?.value ?? '') || runsHelper(container) || headsRay(container);
}

// The head of a Ray cluster keeps its books and hands work on; engines run on the workers that have the GPUs (KubeRay, RayCluster
// configuration: no work on the head). Where its command starts an engine as well, or it asks for a GPU, it is one itself.
const HEAD_OF_RAY = /\bray start\b[^\n]{0,2000}--head\b/;

function headsRay(container: ContainerView): boolean {
  const command = [...container.command, ...container.args].map(({ value }) => value);
  return HEAD_OF_RAY.test(command.join(' ')) && !asksForGpu(container) && !command.some(isEngineWord);
}

/** Whether a container asks for a GPU, by its resources or by a claim. */
export function asksForGpu(container: ContainerView): boolean {
  return container.claims.length > 0 || [...container.limits.keys(), ...container.requests.keys()].some(isGpuResource);
}

/** Whether the image or the words of the command name an engine, and no helper of one. */
export function namesEngine(container: ContainerView): boolean {
  if (runsHelper(container)) return false;
  const words = [container.image, ...container.command, ...container.args.slice(0, 3)];
  return words.some((word) => isEngineWord(word?.value ?? ''));
}

/** Whether the command starts a helper of engines and no engine, or, if it names neither, the image is a helper's. */
function runsHelper({ command, args, image }: ContainerView): boolean {
  const words = namingWords(splitScripts([...command, ...args])).map(({ value }) => value);
  if (words.some((word) => isEngineWord(word) && !startsHelper(word))) return false;
  return words.some(startsHelper) || isHelperImage(image?.value ?? '');
}
