import { type Citation, isRemark } from '../../model/citation.ts';
import type { Facts } from '../../model/fact.ts';
import type { Block } from '../../model/message.ts';
import type { Verdict } from '../../model/verdict.ts';
import { cite } from '../citations.ts';
import { toldTime } from '../told-time.ts';

type Judged = Pick<Verdict, 'certain' | 'causeCertain' | 'plane' | 'phase' | 'cause'>;

/** The remark of a person that a guess, or the cause or the time of a proved failure, rests on, named as what it is. */
export function remarkBlocks(facts: Facts, verdict: Judged): Block[] {
  const remark = facts.get('log.remark');
  const [from] = remark?.kind === 'known' ? remark.from : [];
  if (!verdict.certain && from !== undefined)
    return quoted('No line of the logs points anywhere; a remark in the files does, and proves nothing', from);
  if (verdict.causeCertain) return [];
  const cause = namedBy(facts, verdict);
  const time = verdict.certain ? toldTime(facts, verdict) : undefined;
  return [
    ...(cause === undefined ? [] : quoted('The cause is named by a remark in the files, which proves nothing', cause)),
    ...(time === undefined ? [] : quoted('When it was, a remark in the files tells, which proves nothing', time)),
  ];
}

function namedBy(facts: Facts, { cause }: Judged): Citation | undefined {
  const noted = facts.get('log.noted-gpu-cause');
  const [named] = noted?.kind === 'known' && noted.value === cause ? noted.from : [];
  return named !== undefined && isRemark(named) ? named : undefined;
}

function quoted(title: string, from: Citation): Block[] {
  return [{ kind: 'quote', title, lines: [cite(from, 420)] }];
}
