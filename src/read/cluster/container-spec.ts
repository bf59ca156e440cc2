import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import { isGpuResource } from '../../model/gpu-resource.ts';
import { MIB, parseQuantity } from '../../model/quantity.ts';
import { known, type Reading, unknown } from '../reading.ts';
import { type ContainerView, type EnvView, NO_CONTAINER, type ProbeView } from './container-states.ts';
import { engineContainer, undecided } from './engine-container.ts';
import { containersOf, type PodEvidence } from './gather.ts';

/** What the spec of one container says. Sizes in bytes. Limits in force (in-place resize) stand before those of the spec. */
export type ContainerSpecReading = {
  readonly name: string | undefined;
  readonly image: Cited<string> | undefined;
  /** `command` and `args` in order, one word each. */
  readonly words: readonly Cited<string>[];
  readonly env: readonly EnvView[];
  readonly memoryLimit: Reading<number>;
  readonly memoryRequest: Reading<number>;
  /** Whole devices, MIG slices and claims together. */
  readonly gpuCount: Reading<number>;
  /** The resource that asks for them (`nvidia.com/gpu`, `nvidia.com/mig-1g.10gb`, a claim's name). */
  readonly gpuResource: string | undefined;
  readonly liveness: ProbeView | undefined;
  readonly startup: ProbeView | undefined;
  /** What lies at /dev/shm: a volume in memory, or what the runtime puts there; `sizeLimit` bytes, undefined where nothing bounds it. */
  readonly shm: { readonly sizeLimit: number | undefined; readonly from: Citation } | undefined;
};

/** The named container, else the engine's, else the first. */
export function readContainerSpec(evidence: PodEvidence, container?: string): ContainerSpecReading {
  const view = find(evidence, container) ?? NO_CONTAINER;
  const isOpen = differ(undecided(evidence));
  return {
    name: view.name?.value,
    image: view.image,
    words: [...view.command, ...view.args],
    env: view.env,
    memoryLimit: isOpen ? OPEN : memoryOf(view.limits, 'limit'),
    memoryRequest: isOpen ? OPEN : memoryOf(view.requests, 'request'),
    gpuCount: gpuCountOf(view),
    gpuResource: gpusOf(view)[0]?.name ?? view.claims[0]?.value,
    liveness: view.liveness,
    startup: view.startup,
    shm: shmOf(evidence, view),
  };
}

const OPEN = unknown('contradictory', 'nothing tells which container runs the engine, and their limits differ');

function differ(containers: readonly ContainerView[]): boolean {
  const memory = ({ limits, requests }: ContainerView) =>
    `${limits.get('memory')?.value} ${requests.get('memory')?.value}`;
  return new Set(containers.map(memory)).size > 1;
}

function find(evidence: PodEvidence, name: string | undefined): ContainerView | undefined {
  const containers = containersOf(evidence);
  const named = name === undefined ? undefined : containers.find((container) => container.name?.value === name);
  return named ?? engineContainer(evidence) ?? containers[0];
}

function memoryOf(quantities: ContainerView['limits'], what: string): Reading<number> {
  const cited = quantities.get('memory');
  if (cited === undefined)
    return unknown('not-in-snapshot', `the memory ${what} of the container is not in the snapshot`);
  const bytes = parseQuantity(cited.value);
  return bytes === undefined
    ? unknown('failed', `the memory ${what} is no quantity: ${cited.value.slice(0, 40)}`)
    : known(bytes, cited.from);
}

type GpuAsk = { readonly name: string; readonly count: number; readonly from: Citation };

// Extended resources have equal limits and requests; either may be all that was pasted. Shares of memory are no devices.
function gpusOf(view: ContainerView): readonly GpuAsk[] {
  const asked = new Map([...view.requests, ...view.limits]);
  return [...asked].flatMap(([name, cited]) => {
    const count = parseQuantity(cited.value);
    const isShare = /gpumem|gpu-mem|gpucores/i.test(name);
    return isGpuResource(name) && !isShare && count !== undefined ? [{ name, count, from: cited.from }] : [];
  });
}

function gpuCountOf(view: ContainerView): Reading<number> {
  const asks = gpusOf(view);
  const count = asks.reduce((sum, ask) => sum + ask.count, 0) + view.claims.length;
  const from = [...asks.map((ask) => ask.from), ...view.claims.map((claim) => claim.from)];
  if (from.length > 0) return known(count, ...from);
  return unknown('not-in-snapshot', 'no GPU request of the container is in the snapshot');
}

const SHM = '/dev/shm';
/** What containerd, CRI-O and moby put at /dev/shm where nothing is mounted and the pod has an IPC of its own, in bytes. */
const PLAIN_SHM = 64 * MIB;
const HIDES_SHM = /^\/dev(?:\/shm)?\/?$/;

function shmOf(evidence: PodEvidence, view: ContainerView): ContainerSpecReading['shm'] {
  const mount = view.mounts.find((candidate) => candidate.path.replace(/\/+$/, '') === SHM);
  const volume = evidence.views.flatMap((pod) => pod.volumes).find((candidate) => candidate.name === mount?.volume);
  if (view.allMounts !== undefined && !view.mounts.some(({ path }) => HIDES_SHM.test(path))) {
    const isOwn = evidence.views.every(({ hostIpc }) => !hostIpc);
    return isOwn ? { sizeLimit: PLAIN_SHM, from: view.allMounts } : undefined;
  }
  if (volume?.medium?.value !== 'Memory') return undefined;
  return { sizeLimit: parseQuantity(volume.sizeLimit?.value), from: (volume.sizeLimit ?? volume.medium).from };
}
