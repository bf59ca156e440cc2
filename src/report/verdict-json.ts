import type { Facts } from '../model/fact.ts';
import type { Diagnosis, Verdict } from '../model/verdict.ts';
import { type Amplifier, amplifiersOf } from './card/amplifiers.ts';

/** A verdict as `--json` prints it, with what makes the incident worse beside it. */
export function verdictJson({
  diagnosis: { verdict },
  facts,
}: {
  readonly diagnosis: Diagnosis;
  readonly facts: Facts;
}): Verdict & { readonly amplifiers: readonly Amplifier[] } {
  return { ...verdict, amplifiers: amplifiersOf(facts, verdict) };
}
