import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import { gpuByProduct, gpuMemoryBytes, gpusOfInstance } from '../../model/gpu-table.ts';
import type { Node } from '../../model/kubernetes.ts';
import { MIB, parseQuantity } from '../../model/quantity.ts';
import { known, type Reading, unknown } from '../reading.ts';
import { fieldOf, pointerWord } from './read-pod-json.ts';

export type NodeReading = {
  readonly product: Reading<string>;
  readonly count: Reading<number>;
  /** Memory of one GPU (or MIG slice) in bytes. */
  readonly gpuMemory: Reading<number>;
  /** Time-slicing or MPS: pods share one GPU. */
  readonly shared: Reading<boolean>;
  readonly allocatableMemory: Reading<number>;
};

const field = fieldOf('node.json');

/** node.json. */
export function readNode(node: Node): NodeReading {
  const label = (name: string): Cited<string> | undefined =>
    field(node.metadata?.labels?.[name], `/metadata/labels/${pointerWord(name)}`);
  return {
    ...gpusOf(label),
    shared: sharedOf(label),
    allocatableMemory: allocatableOf(node),
  };
}

type Label = (name: string) => Cited<string> | undefined;
type GpusReading = Pick<NodeReading, 'product' | 'count' | 'gpuMemory'>;

// The labels of the GPU operator first; a node without it still has its instance type.
function gpusOf(label: Label): GpusReading {
  const product = label('nvidia.com/gpu.product') ?? label('amd.com/gpu.product-name');
  const type = label('node.kubernetes.io/instance-type') ?? label('beta.kubernetes.io/instance-type');
  const instance = type === undefined ? undefined : gpusOfInstance(type.value);
  const from = type?.from;
  return {
    product: productOf(product, instance?.gpu, from),
    count: numberOf(label('nvidia.com/gpu.count'), 1, 'count') ?? fallback(instance?.count, from, 'number'),
    gpuMemory:
      numberOf(label('nvidia.com/gpu.memory'), MIB, 'memory') ??
      byTable(product) ??
      fallback(instance?.model === undefined ? undefined : gpuMemoryBytes(instance.model), from, 'memory'),
  };
}

function productOf(
  product: Cited<string> | undefined,
  gpu: string | undefined,
  from: Citation | undefined,
): Reading<string> {
  if (product !== undefined) return known(product.value, product.from);
  return fallback(gpu, from, 'model');
}

function fallback<T extends string | number>(
  value: T | undefined,
  from: Citation | undefined,
  what: string,
): Reading<T> {
  if (value !== undefined && from !== undefined) return known(value, from);
  return unknown('not-in-snapshot', `neither labels nor instance type tell the ${what} of the GPUs`);
}

function numberOf(cited: Cited<string> | undefined, factor: number, what: string): Reading<number> | undefined {
  if (cited === undefined) return undefined;
  const value = Number(cited.value);
  if (Number.isFinite(value) && value > 0) return known(value * factor, cited.from);
  return unknown('failed', `the label for the ${what} of the GPUs is no number`);
}

function byTable(product: Cited<string> | undefined): Reading<number> | undefined {
  const found = product === undefined ? undefined : gpuByProduct(product.value);
  if (product === undefined || found === undefined) return undefined;
  return known(found.mig === undefined ? gpuMemoryBytes(found.gpu) : found.mig.approxMib * MIB, product.from);
}

function sharedOf(label: Label): Reading<boolean> {
  const replicas = label('nvidia.com/gpu.replicas');
  const strategy = label('nvidia.com/gpu.sharing-strategy');
  const product = label('nvidia.com/gpu.product');
  if (replicas !== undefined && Number(replicas.value) > 1) return known(true, replicas.from);
  if (strategy !== undefined && strategy.value !== 'none') return known(true, strategy.from);
  if (product?.value.endsWith('-SHARED') === true) return known(true, product.from);
  const proof = strategy ?? replicas ?? product;
  if (proof !== undefined) return known(false, proof.from);
  return unknown('not-in-snapshot', 'the labels of the GPU operator are not on the node');
}

function allocatableOf(node: Node): Reading<number> {
  const cited = field(node.status?.allocatable?.memory, '/status/allocatable/memory');
  const bytes = parseQuantity(cited?.value);
  if (cited === undefined || bytes === undefined) {
    return unknown('not-in-snapshot', 'the allocatable memory of the node is not in the snapshot');
  }
  return known(bytes, cited.from);
}
