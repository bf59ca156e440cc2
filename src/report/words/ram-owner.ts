import type { Facts } from '../../model/fact.ts';
import type { Verdict } from '../../model/verdict.ts';
import { knownValue } from './report-input.ts';

/** Whose RAM ran out; `unstated` where nothing shows a container, or the cause is a node that was short and nothing proves it. */
export type WhoseRam = 'container' | 'node' | 'unstated';

/** Of a verdict on RAM: the kubelet or the kernel names the node by itself, whatever emptied it. */
export function whoseRam({ plane, cause }: Pick<Verdict, 'plane' | 'cause'>, facts?: Facts): WhoseRam {
  if ((plane === 'host' || plane === 'both') && facts !== undefined && nodeRanOut(facts)) return 'node';
  if (cause === 'host.node-pressure') return 'unstated';
  return facts === undefined || showsContainer(facts) ? 'container' : 'unstated';
}

// A log alone may be of a machine without containers, and a kernel line without its constraint of either.
function showsContainer(facts: Facts): boolean {
  const ofPod = ['death.container', 'death.oom-killed', 'ram.limit', 'ram.used'];
  return (
    ofPod.some((id) => knownValue(facts, id) !== undefined) ||
    ['container', 'pod'].includes(String(knownValue(facts, 'kernel.oom-kill')))
  );
}

/** What is proved of the node: an eviction for memory, or a kill for the node or the NUMA nodes it is bound to. */
function nodeRanOut(facts: Facts): boolean {
  const kill = knownValue(facts, 'kernel.oom-kill');
  return knownValue(facts, 'death.evicted-for') === 'memory' || kill === 'node' || kill === 'numa-nodes';
}
