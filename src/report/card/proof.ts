import { type Citation, placeOf } from '../../model/citation.ts';
import type { Facts } from '../../model/fact.ts';
import type { Block } from '../../model/message.ts';
import type { Diagnosis } from '../../model/verdict.ts';
import { cite, needsWords, QUOTE } from '../words/citations.ts';
import { knownValue } from '../words/report-input.ts';
import { clip, quote } from '../words/sentence.ts';

const QUOTES = 3;

type Quoted = { readonly one: Citation; readonly says: string; readonly weight: number };

/** The lines that the finding rests on, few enough for one glance; `oom explain` has them all. */
export function proofBlocks({ verdict }: Pick<Diagnosis, 'verdict'>, facts: Facts): Block[] {
  const place = (at: number): Quoted[] =>
    verdict.evidence.flatMap(({ from, says, fact }) =>
      from.slice(at, at + 1).map((one) => ({ one, says, weight: weightOf(one, fact, facts) })),
    );
  // Where there is room, the second line of a proof tells more: `Evicted`, and then for what.
  const lines = new Map<string, string>();
  for (const { one, says } of [...place(0), ...place(1)].toSorted((a, b) => b.weight - a.weight)) {
    const words = needsWords(one) ? `  (${clip(says, 200)})` : '';
    if (lines.size < QUOTES && !lines.has(placeOf(one))) lines.set(placeOf(one), `${cite(one, QUOTE)}${words}`);
  }
  return lines.size === 0 ? [] : [quote('Proof', [...lines.values()])];
}

// What is so proves more than what is not, and what the machine said more than what somebody wrote down about the incident.
function weightOf({ file }: Citation, fact: string, facts: Facts): number {
  if (file === 'incident.json') return 0;
  return knownValue(facts, fact) === false ? 1 : 2;
}
