import type { Facts } from '../model/fact.ts';
import type { Diagnosis, Verdict } from '../model/verdict.ts';
import { type Amplifier, amplifiersOf } from './card/amplifiers.ts';
import { type Before, beforeOf } from './card/before.ts';

/** A verdict as `--json` prints it, with what makes the incident worse and what came before it. */
export function verdictJson({
  diagnosis: { verdict },
  facts,
}: {
  readonly diagnosis: Diagnosis;
  readonly facts: Facts;
}): Verdict & { readonly amplifiers: readonly Amplifier[]; readonly before: readonly Before[] } {
  return { ...verdict, amplifiers: amplifiersOf(facts, verdict), before: beforeOf(facts, verdict) };
}
