import type { Facts } from '../../model/fact.ts';
import type { Block } from '../../model/message.ts';
import type { Verdict } from '../../model/verdict.ts';
import { placeOf, quoteOf } from '../citations.ts';

/** The remark of a person that a guess rests on, named as what it is. */
export function remarkBlocks(facts: Facts, { certain }: Pick<Verdict, 'certain'>): Block[] {
  const remark = facts.get('log.remark');
  const [from] = remark?.kind === 'known' ? remark.from : [];
  if (certain || from === undefined) return [];
  const title = 'No line of the logs points anywhere; a remark in the files does, and proves nothing';
  return [{ kind: 'quote', title, lines: [`${placeOf(from)}  ${quoteOf(from, 420)}`] }];
}
