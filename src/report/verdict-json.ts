import type { Facts } from '../model/fact.ts';
import type { Diagnosis, OfferedProfile, Verdict } from '../model/verdict.ts';
import { amplifiersOf } from './card/amplifiers.ts';
import { beforeOf } from './card/preceding-events.ts';
import type { Cited } from './words/citations.ts';

/** A verdict as `--json` prints it, with what makes the incident worse, what came before it, and the profile that goes with what is offered. */
export function verdictJson({
  diagnosis: { verdict, profile },
  facts,
}: {
  readonly diagnosis: Diagnosis;
  readonly facts: Facts;
}): Verdict & {
  readonly amplifiers: readonly Cited[];
  readonly before: readonly Cited[];
  readonly profile?: OfferedProfile;
} {
  const aside = { amplifiers: amplifiersOf(facts, verdict), before: beforeOf(facts, verdict) };
  return { ...verdict, ...aside, ...(profile === undefined ? {} : { profile }) };
}
