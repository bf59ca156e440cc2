import { isRemark } from '../../model/citation.ts';
import type { Facts } from '../../model/fact.ts';
import type { Block } from '../../model/message.ts';
import type { Verdict } from '../../model/verdict.ts';
import { placeOf, quoteOf } from '../citations.ts';

type Judged = Pick<Verdict, 'certain' | 'causeCertain' | 'cause'>;

/** The remark of a person that a guess, or the cause of a proved failure, rests on, named as what it is. */
export function remarkBlocks(facts: Facts, { certain, causeCertain, cause }: Judged): Block[] {
  const remark = facts.get('log.remark');
  const [from] = remark?.kind === 'known' ? remark.from : [];
  if (!certain && from !== undefined)
    return quoted('No line of the logs points anywhere; a remark in the files does, and proves nothing', from);
  const noted = facts.get('log.noted-gpu-cause');
  const [named] = noted?.kind === 'known' && noted.value === cause && !causeCertain ? noted.from : [];
  if (named === undefined || !isRemark(named)) return [];
  return quoted('The cause is named by a remark in the files, which proves nothing', named);
}

function quoted(title: string, from: Parameters<typeof placeOf>[0]): Block[] {
  return [{ kind: 'quote', title, lines: [`${placeOf(from)}  ${quoteOf(from, 420)}`] }];
}
