import type { Cited } from '../../model/engine-reader.ts';
import { type Finding, unknown } from './finding.ts';
import type { PodEvidence } from './gather.ts';
import type { EnvView, ProbeView } from './view.ts';

/** What the spec of one container says. Sizes in bytes. Limits in force (in-place resize) stand before those of the spec. */
export type ContainerSpecReading = {
  readonly name: string | undefined;
  readonly image: Cited<string> | undefined;
  /** `command` and `args` in order, one word each. */
  readonly words: readonly Cited<string>[];
  readonly env: readonly EnvView[];
  readonly memoryLimit: Finding<number>;
  readonly memoryRequest: Finding<number>;
  readonly limitEqualsRequest: Finding<boolean>;
  /** Whole devices, MIG slices and claims together. */
  readonly gpuCount: Finding<number>;
  /** The resource that asks for them (`nvidia.com/gpu`, `nvidia.com/mig-1g.10gb`, a claim's name). */
  readonly gpuResource: string | undefined;
  readonly liveness: ProbeView | undefined;
  readonly readiness: ProbeView | undefined;
  readonly startup: ProbeView | undefined;
  /** Memory-backed volume at /dev/shm; `sizeLimit` bytes, undefined without one. */
  readonly shm: { readonly sizeLimit: number | undefined; readonly from: Cited<string>['from'] } | undefined;
};

/** The named container, else the engine's, else the first. */
export function readContainerSpec(_evidence: PodEvidence, _container?: string): ContainerSpecReading {
  const none = unknown('not-in-snapshot', 'not read');
  return {
    name: undefined,
    image: undefined,
    words: [],
    env: [],
    memoryLimit: none,
    memoryRequest: none,
    limitEqualsRequest: none,
    gpuCount: none,
    gpuResource: undefined,
    liveness: undefined,
    readiness: undefined,
    startup: undefined,
    shm: undefined,
  };
}
