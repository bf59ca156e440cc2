import type { Facts } from '../../model/fact.ts';
import { fixedLimits } from '../../model/fixed-limits.ts';
import { textOf } from './engine-figures.ts';

/** Why no argument sets the limits of an engine; undefined where arguments do. */
export function whyFixed(facts: Facts): string | undefined {
  return fixedLimits(textOf(facts, 'engine.name') ?? '', textOf(facts, 'engine.set-by'))?.why;
}
