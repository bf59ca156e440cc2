import type { PodEvidence } from './gather.ts';
import { containersOf, firstOf } from './gather.ts';
import { isHelperName } from './programs.ts';
import { asksForGpu, isEngineWord, namesEngine } from './runs-engine.ts';
import type { ContainerView } from './view.ts';

const ENGINE_NAME = /^(?:vllm|main|kserve-container|server)$|-ctr$/;

/** Whether a container or a pod of this name runs an engine, as far as names tell. */
export function isEngineName(name: string): boolean {
  return (ENGINE_NAME.test(name) || isEngineWord(name)) && !isHelperName(name);
}

/**
 * The container that runs the engine. In this order, the first that decides: asks for a GPU (of several, the one whose
 * image or command names an engine), names an engine, default-container annotation, usual names, the only one that is no
 * helper, the first.
 */
export function engineContainer(evidence: PodEvidence): ContainerView | undefined {
  const main = mainOf(evidence);
  return decided(evidence, main) ?? main.find((one) => !isHelper(one)) ?? main[0];
}

/** Whether anything but its place in the list tells which container runs the engine. */
export function hasToldEngine(evidence: PodEvidence): boolean {
  return decided(evidence, mainOf(evidence)) !== undefined;
}

function mainOf(evidence: PodEvidence): readonly ContainerView[] {
  return containersOf(evidence).filter((container) => container.kind === 'container');
}

function decided(evidence: PodEvidence, main: readonly ContainerView[]): ContainerView | undefined {
  const gpu = main.filter(asksForGpu);
  const byDefault = firstOf(evidence, (view) => view.defaultContainer?.value);
  const [only, ...more] = main.length > 1 ? main.filter((one) => !isHelper(one)) : main;
  return (
    gpu.find(namesEngine) ??
    gpu[0] ??
    main.find((one) => namesEngine(one) && !isHelper(one)) ??
    main.find((container) => byDefault !== undefined && container.name?.value === byDefault) ??
    main.find((container) => isEngineName(container.name?.value ?? '')) ??
    (more.length === 0 ? only : undefined)
  );
}

// A container of another name may run a helper's image: `log` of fluent/fluent-bit.
function isHelper({ name, image }: ContainerView): boolean {
  return isHelperName(name?.value ?? '') || isHelperName(programOf(image?.value ?? ''));
}

function programOf(image: string): string {
  return (image.split('/').at(-1) ?? image).replace(/[:@].*$/, '');
}
