import type { PodEvidence } from './gather.ts';
import { containersOf, firstOf } from './gather.ts';
import { asksForGpu, namesEngine } from './runs-engine.ts';
import type { ContainerView } from './view.ts';

const ENGINE_NAME = /^(?:vllm|main|kserve-container|server)$|-ctr$/;

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
