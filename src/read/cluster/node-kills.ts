import type { Cited } from '../../model/engine-reader.ts';
import type { Placed } from '../../model/json-file.ts';
import type { Event } from '../../model/kubernetes.ts';
import type { KernelKill, Whose } from '../kernel/kernel.ts';
import { killToldBy } from '../kernel/kernel-lines.ts';
import { allLines } from '../text/lines.ts';
import type { EventView } from './container-states.ts';
import { viewOfEvents } from './read-pod-json.ts';

/** A kill that an event of the node reports; `at` epoch ms. */
type NodeKill = Cited<string> & { readonly at: number | undefined };

/** Those of the container alone, as far as they are known to be. */
export type NodeKills = {
  /** On the account of the node. */
  readonly ofNode: readonly NodeKill[];
  /** At the limit of the container, as a detector of problems on the node tells them. */
  readonly ofContainer: readonly NodeKill[];
};

const KILLS = new Set(['SystemOOM', 'OOMKilling']);

/** The kills among the events of a node. `whose` tells whose process a kill ended. */
export function readNodeKills(
  events: readonly Placed<Event>[],
  node: string | undefined,
  whose: (kill: KernelKill) => Whose,
): NodeKills {
  const own = viewOfEvents(events).filter((event) => isOfNode(event, node) && isOwnKill(event, whose));
  return {
    ofNode: own.filter((event) => !isOfGroup(event)).map(toKill),
    ofContainer: own.filter(isOfGroup).map(toKill),
  };
}

function isOfNode({ reason, object }: EventView, node: string | undefined): boolean {
  const isOther = node !== undefined && object?.name !== undefined && object.name !== node;
  return KILLS.has(reason.value) && object?.kind?.toLowerCase() === 'node' && !isOther;
}

function isOfGroup({ message }: EventView): boolean {
  return /memory cgroup out of memory/i.test(message?.value ?? '');
}

function isOwnKill({ message, lastAt, firstAt }: EventView, whose: (kill: KernelKill) => Whose): boolean {
  const [line] = allLines(message?.value ?? '');
  const at = lastAt ?? firstAt;
  return line !== undefined && whose({ ...killToldBy(line), at }) === 'own';
}

function toKill({ message, reason, lastAt, firstAt }: EventView): NodeKill {
  return { ...(message ?? reason), at: lastAt ?? firstAt };
}
