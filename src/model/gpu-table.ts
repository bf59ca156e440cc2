import type { GpuInstance, GpuModel, MigProfile } from './hardware-files.ts';
import { GIB, MIB } from './quantity.ts';
import { tablesInForce } from './reference-tables.ts';

export type { GpuInstance, GpuModel, MigProfile };

export type GpuProduct = {
  readonly gpu: GpuModel;
  /** Set under MIG strategy `single`, where the label ends in `-MIG-1g.10gb`. */
  readonly mig: MigProfile | undefined;
  /** Time-slicing or MPS: pods share the memory of one GPU. */
  readonly shared: boolean;
};

/** The GPU behind a product label (`NVIDIA-A100-SXM4-80GB-MIG-1g.10gb`, `Tesla-T4-SHARED`) or a product name as nvidia-smi prints it. */
export function gpuByProduct(label: string): GpuProduct | undefined {
  const dashed = label.trim().replaceAll(/[\s/_]+/g, '-');
  const match = /^(.*?)(?:-MIG-(\d+g\.\d+gb)[\w.+-]*?)?(-SHARED)?$/i.exec(dashed);
  const product = normalise(match?.[1] ?? dashed);
  const gpu = tablesInForce().gpus.find((model) => model.labels.some((known) => normalise(known) === product));
  if (gpu === undefined) return undefined;
  return { gpu, mig: match?.[2] === undefined ? undefined : migProfile(match[2]), shared: match?.[3] !== undefined };
}

// Older drivers print `Tesla T4` or `A100-SXM4-40GB` where newer ones put NVIDIA in front.
function normalise(product: string): string {
  return product
    .toLowerCase()
    .replace(/^nvidia-/, '')
    .replace(/^(?:graphics-device|graphics)-/, '');
}

/** A MIG profile by its name (`1g.10gb`) or by the resource that asks for it (`nvidia.com/mig-1g.10gb`). */
export function migProfile(name: string): MigProfile | undefined {
  const profile = name.replace(/^nvidia\.com\/mig-/, '').toLowerCase();
  return tablesInForce().migProfiles.find((known) => known.profile === profile);
}

/** The smallest slice of the same GPU that is larger than this one and has so many bytes; undefined if only the whole GPU does. */
export function largerSlice({ parents, approxMib }: MigProfile, bytes: number): MigProfile | undefined {
  const ofCard = tablesInForce().migProfiles.filter((one) => one.parents.some((card) => parents.includes(card)));
  const whole = Math.max(...ofCard.map((one) => one.approxMib));
  return ofCard
    .filter((one) => one.approxMib > approxMib && one.approxMib < whole && one.approxMib * MIB >= bytes)
    .toSorted((a, b) => a.approxMib - b.approxMib)[0];
}

/** GPUs of a cloud instance type, as the label node.kubernetes.io/instance-type names it. */
export function gpusOfInstance(type: string): (GpuInstance & { readonly model: GpuModel | undefined }) | undefined {
  const wanted = type.trim().toLowerCase();
  const instance = tablesInForce().gpuInstances.find((known) => known.type.toLowerCase() === wanted);
  if (instance === undefined) return undefined;
  return { ...instance, model: modelNamed(instance.gpu) };
}

function modelNamed(name: string): GpuModel | undefined {
  return tablesInForce().gpus.find((gpu) => gpu.model === name || gpu.model.startsWith(`${name} / `));
}

/** Memory of one GPU in bytes as drivers print it, else as PyTorch prints it, else the marketing number. */
export function gpuMemoryBytes(gpu: GpuModel): number {
  const smi = gpu.smiMib[0];
  if (smi !== undefined) return smi * MIB;
  const torch = gpu.torchGib[0]?.[1];
  return torch === undefined ? gpu.nominalGb * GIB : Math.round(torch * GIB);
}
