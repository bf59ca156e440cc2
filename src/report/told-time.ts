import { type Citation, isRemark } from '../model/citation.ts';
import type { Facts } from '../model/fact.ts';
import type { Verdict } from '../model/verdict.ts';

/** The remark that alone dates the failure of a verdict, and proves no date; undefined where the evidence does, or nothing. */
export function toldTime(facts: Facts, { plane, phase }: Pick<Verdict, 'plane' | 'phase'>): Citation | undefined {
  const life = facts.get('failure.life');
  if (plane === 'none' || phase === 'n/a' || life?.kind !== 'known') return undefined;
  return life.from.every(isRemark) ? life.from[0] : undefined;
}
