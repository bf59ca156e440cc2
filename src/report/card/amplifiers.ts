import type { Facts } from '../../model/fact.ts';
import type { Cause, Plane } from '../../model/taxonomy.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { Cited } from '../words/citations.ts';

/** Longest quote and longest citation of each. */
export const AMPLIFIER_PROOF = [120, 250] as const;

type Rule = {
  readonly fact: string;
  readonly planes: readonly Plane[];
  /** Causes that are the same thing: then it is told already. */
  readonly told?: readonly Cause[];
  readonly says: string;
};

// In the order in which they hurt.
const AMPLIFIERS: readonly Rule[] = [
  {
    fact: 'amplifier.tight-probe',
    planes: ['gpu', 'host', 'both', 'none', 'unknown'],
    told: ['none.probe-kill'],
    says: 'A probe kills the engine before it has started, which adds restarts',
  },
  {
    fact: 'amplifier.shared-gpu',
    planes: ['gpu', 'both'],
    says: 'Several pods share the GPU without memory isolation',
  },
  {
    fact: 'amplifier.limit-equals-request',
    planes: ['host', 'both'],
    says: 'Memory limit equals request: no headroom for the loading peak',
  },
  {
    fact: 'amplifier.node-mixing',
    planes: ['host', 'both'],
    says: 'No taint keeps other workloads off this node: they share its RAM',
  },
  {
    fact: 'amplifier.cpu-autoscaling',
    planes: ['gpu', 'both', 'none'],
    says: 'Autoscaling uses CPU or RAM only: GPU load adds no replica',
  },
  {
    fact: 'amplifier.eviction-blocked',
    planes: ['gpu', 'host', 'both'],
    says: 'The PodDisruptionBudget allows no eviction: a node drain will wait',
  },
];

/** All that is known to make it worse, the worst first: only what is known and true, and matters for this plane. */
export function amplifiersOf(facts: Facts, { plane, cause }: Pick<Verdict, 'plane' | 'cause'>): Cited[] {
  return AMPLIFIERS.flatMap(({ fact: id, planes, told = [], says }) => {
    const fact = facts.get(id);
    if (fact?.kind !== 'known' || fact.value !== true || !planes.includes(plane) || told.includes(cause)) return [];
    return [{ fact: id, says, from: fact.from }];
  });
}
