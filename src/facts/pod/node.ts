import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import { gpuByProduct, gpuMemoryBytes, gpusOfInstance } from '../../model/gpu-table.ts';
import type { Placed } from '../../model/json-file.ts';
import type { Event, Node } from '../../model/kubernetes.ts';
import { MIB, parseQuantity } from '../../model/quantity.ts';
import type { KernelKill, Whose } from '../text/kernel.ts';
import { killToldBy } from '../text/kernel-lines.ts';
import { allLines } from '../text/lines.ts';
import { type Finding, known, unknown } from './finding.ts';
import { conditionsOf, fieldOf, pointerWord, viewOfEvents } from './pod-view.ts';
import type { EventView } from './view.ts';

export type NodeReading = {
  readonly name: string | undefined;
  readonly product: Finding<string>;
  readonly count: Finding<number>;
  /** Memory of one GPU (or MIG slice) in bytes. */
  readonly gpuMemory: Finding<number>;
  /** Time-slicing or MPS: pods share one card. */
  readonly shared: Finding<boolean>;
  readonly allocatableMemory: Finding<number>;
  readonly memoryPressure: Finding<boolean>;
  /** Kills on the account of the node, as its events tell them; without those that are not known to be the container's. */
  readonly kills: readonly Cited<string>[];
  /** Kills at the limit of the container, as a detector of problems tells them among the node's events. */
  readonly containerKills: readonly Cited<string>[];
};

const field = fieldOf('node.json');

/** node.json with the node's events. `whose` tells whose process a kill ended. */
export function readNode(
  node: Node,
  events: readonly Placed<Event>[] = [],
  whose: (kill: KernelKill) => Whose = () => 'own',
): NodeReading {
  const label = (name: string): Cited<string> | undefined =>
    field(node.metadata?.labels?.[name], `/metadata/labels/${pointerWord(name)}`);
  const oomEvents = nodeOomEvents(events, node.metadata?.name);
  return {
    name: node.metadata?.name,
    ...gpusOf(label),
    shared: sharedOf(label),
    allocatableMemory: allocatableOf(node),
    memoryPressure: pressureOf(node, oomEvents),
    kills: oomEvents.filter((event) => isOwnKill(event, whose)).map(citedEvent),
    containerKills: eventsOf(events, node.metadata?.name)
      .filter((event) => isOfGroup(event) && isOwnKill(event, whose))
      .map(citedEvent),
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
): Finding<string> {
  if (product !== undefined) return known(product.value, product.from);
  return fallback(gpu, from, 'model');
}

function fallback<T extends string | number>(
  value: T | undefined,
  from: Citation | undefined,
  what: string,
): Finding<T> {
  if (value !== undefined && from !== undefined) return known(value, from);
  return unknown('not-in-snapshot', `neither labels nor instance type tell the ${what} of the GPUs`);
}

function numberOf(cited: Cited<string> | undefined, factor: number, what: string): Finding<number> | undefined {
  if (cited === undefined) return undefined;
  const value = Number(cited.value);
  if (Number.isFinite(value) && value > 0) return known(value * factor, cited.from);
  return unknown('failed', `the label for the ${what} of the GPUs is no number`);
}

function byTable(product: Cited<string> | undefined): Finding<number> | undefined {
  const found = product === undefined ? undefined : gpuByProduct(product.value);
  if (product === undefined || found === undefined) return undefined;
  return known(found.mig === undefined ? gpuMemoryBytes(found.gpu) : found.mig.approxMib * MIB, product.from);
}

function sharedOf(label: Label): Finding<boolean> {
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

function allocatableOf(node: Node): Finding<number> {
  const cited = field(node.status?.allocatable?.memory, '/status/allocatable/memory');
  const bytes = parseQuantity(cited?.value);
  if (cited === undefined || bytes === undefined) {
    return unknown('not-in-snapshot', 'the allocatable memory of the node is not in the snapshot');
  }
  return known(bytes, cited.from);
}

function pressureOf(node: Node, oomEvents: readonly EventView[]): Finding<boolean> {
  const event = oomEvents[0];
  if (event !== undefined) return known(true, citedEvent(event).from);
  const condition = conditionsOf(node.status?.conditions, '/status/conditions', field).find(
    (candidate) => candidate.type === 'MemoryPressure',
  );
  if (condition?.status === undefined) {
    return unknown('not-in-snapshot', 'the condition MemoryPressure of the node is not in the snapshot');
  }
  if (condition.status.value === 'Unknown') return unknown('stale', 'the node has stopped reporting');
  return known(condition.status.value === 'True', condition.status.from);
}

const OOM_EVENTS = new Set(['SystemOOM', 'OOMKilling', 'EvictionThresholdMet', 'NodeHasInsufficientMemory']);

const KILLS = new Set(['SystemOOM', 'OOMKilling']);

function isOwnKill({ reason, message, lastAt, firstAt }: EventView, whose: (kill: KernelKill) => Whose): boolean {
  const [line] = allLines(message?.value ?? '');
  const at = lastAt ?? firstAt;
  return KILLS.has(reason.value) && line !== undefined && whose({ ...killToldBy(line), at }) === 'own';
}

function citedEvent({ message, reason }: EventView): Cited<string> {
  return message ?? reason;
}

// node-problem-detector also reports the kills of a container's own limit; only what names the node or all of it counts.
function nodeOomEvents(events: readonly Placed<Event>[], node: string | undefined): readonly EventView[] {
  return eventsOf(events, node).filter(
    (event) =>
      !isOfGroup(event) &&
      (event.reason.value !== 'EvictionThresholdMet' || /memory/i.test(event.message?.value ?? '')),
  );
}

function eventsOf(events: readonly Placed<Event>[], node: string | undefined): readonly EventView[] {
  return viewOfEvents(events).filter(({ reason, object }) => {
    const isOfNode = object?.kind?.toLowerCase() === 'node';
    const isOther = node !== undefined && object?.name !== undefined && object.name !== node;
    return OOM_EVENTS.has(reason.value) && isOfNode && !isOther;
  });
}

function isOfGroup({ message }: EventView): boolean {
  return /memory cgroup out of memory/i.test(message?.value ?? '');
}
