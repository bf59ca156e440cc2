import type { Cited } from '../../model/engine-reader.ts';
import type { Placed } from '../../model/json-file.ts';
import type { Event } from '../../model/kubernetes.ts';
import type { KernelKill, Whose } from '../kernel/kernel.ts';
import { killToldBy } from '../kernel/kernel-lines.ts';
import { allLines } from '../text/lines.ts';
import type { EventView } from './container-states.ts';
import { viewOfEvents } from './read-pod-json.ts';

/** A kill that an event of the node tells of; `at` epoch ms. */
type NodeKill = Cited<string> & { readonly at: number | undefined };

/** Those of the container alone, as far as they are known to be. */
export type NodeKills = {
  /** On the account of the node. */
  readonly ofNode: readonly NodeKill[];
  /** At the limit of the container, as a detector of problems on the node tells them. */
  readonly ofContainer: readonly NodeKill[];
};

const OOM_EVENTS = new Set(['SystemOOM', 'OOMKilling', 'EvictionThresholdMet', 'NodeHasInsufficientMemory']);
const KILLS = new Set(['SystemOOM', 'OOMKilling']);

/** The kills among the events of a node. `whose` tells whose process a kill ended. */
export function readNodeKills(
  events: readonly Placed<Event>[],
  node: string | undefined,
  whose: (kill: KernelKill) => Whose,
): NodeKills {
  const own = (of: readonly EventView[]) => of.filter((event) => isOwnKill(event, whose)).map(toKill);
  return { ofNode: own(nodeOomEvents(events, node)), ofContainer: own(eventsOf(events, node).filter(isOfGroup)) };
}

/** The events that tell that the node itself was short: what names it or all of it. */
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

function isOwnKill({ reason, message, lastAt, firstAt }: EventView, whose: (kill: KernelKill) => Whose): boolean {
  const [line] = allLines(message?.value ?? '');
  const at = lastAt ?? firstAt;
  return KILLS.has(reason.value) && line !== undefined && whose({ ...killToldBy(line), at }) === 'own';
}

function toKill({ message, reason, lastAt, firstAt }: EventView): NodeKill {
  return { ...(message ?? reason), at: lastAt ?? firstAt };
}
