import type { Cited } from '../../model/engine-reader.ts';
import type { Placed } from '../../model/json-file.ts';
import type { Event, Node, OwnerObject, Pod, Revision } from '../../model/kubernetes.ts';
import { type Finding, unknown } from './finding.ts';

export type Owner = { readonly kind: string; readonly name: string; readonly from: Cited<string>['from'] };
export type OwnersReading = { readonly chain: readonly Owner[]; readonly top: Owner | undefined };

/** owners.json: from the pod's controller up to the top owner. */
export function readOwners(_owners: readonly Placed<OwnerObject>[]): OwnersReading {
  return { chain: [], top: undefined };
}

/** What changed between the last two revisions: `image: a -> b; args: --max-model-len 8192 -> 32768`; `nothing` when they are equal. */
export function readRevisionChange(_revisions: readonly Placed<Revision>[]): Finding<string> {
  return unknown('not-in-snapshot', 'not read');
}

export type SiblingsReading = {
  readonly total: number;
  readonly dead: number;
  readonly deadShare: Finding<number>;
};

/** Share of the replicas whose container died within `windowMs` (20 minutes) before `until` (epoch ms, the death or the capture). */
export function readSiblings(_siblings: readonly Placed<Pod>[], _until: number, _windowMs?: number): SiblingsReading {
  return { total: 0, dead: 0, deadShare: unknown('not-in-snapshot', 'not read') };
}

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
  /** SystemOOM, OOMKilling and eviction events of the node. */
  readonly oomEvents: readonly Cited<string>[];
};

/** node.json with the node's events. */
export function readNode(_node: Node, _events?: readonly Placed<Event>[]): NodeReading {
  const none = unknown('not-in-snapshot', 'not read');
  return {
    name: undefined,
    product: none,
    count: none,
    gpuMemory: none,
    shared: none,
    allocatableMemory: none,
    memoryPressure: none,
    oomEvents: [],
  };
}
