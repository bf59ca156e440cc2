import { type Citation, isRemark } from '../../model/citation.ts';
import type { Fact, Facts } from '../../model/fact.ts';
import { fixedLimits } from '../../model/fixed-limits.ts';
import { type Block, bold, plain, type Span } from '../../model/message.ts';
import type { Diagnosis, Verdict } from '../../model/verdict.ts';
import { cite } from '../words/citations.ts';
import { toldTime } from '../words/report-input.ts';
import { clip, paragraph } from '../words/sentence.ts';
import { capital } from '../words/verdict-words.ts';

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

/** Where what is known contradicts itself: the deciding line and the version, what was asked for and what is in force. */
export function misfitBlocks(facts: Facts): Block[] {
  return [
    ...told('Does not fit: ', facts.get('log.version-misfit')),
    ...told('Not as asked: ', facts.get('engine.asked-otherwise')),
  ];
}

function told(title: string, found: Fact | undefined): Block[] {
  if (found?.kind !== 'known' || typeof found.value !== 'string') return [];
  return [paragraph(bold(title), plain(clip(found.value, 600)))];
}

/** Where the limits of TensorRT-LLM are changed if not by arguments. */
export function setByItems({ verdict }: Diagnosis, facts: Facts): Span[][] {
  const told = (id: string) => {
    const found = facts.get(id);
    return found?.kind === 'known' ? found.value : undefined;
  };
  const fixed = fixedLimits(String(told('engine.name') ?? ''), told('engine.set-by'));
  if (fixed?.why === undefined || fixed.way === undefined) return [];
  if (verdict.plane !== 'gpu' && verdict.plane !== 'both') return [];
  return [[bold('Where: '), plain(`${capital(fixed.why)}: ${fixed.way}`)]];
}

/** Where the changes belong if a platform runs the engine: it hands over the arguments, and puts back what others change. */
export function wrapperItems({ verdict, says, next }: Diagnosis, facts: Facts): Span[][] {
  if (verdict.remedies.length === 0) return [];
  const told = [says, ...next].join(' ');
  const sentences = ['wrapper.arguments-at', 'wrapper.restarts', 'wrapper.sets']
    .map((id) => facts.get(id))
    .flatMap((fact) => (fact?.kind === 'known' && typeof fact.value === 'string' ? [fact.value] : []))
    .filter((sentence) => !told.includes(sentence));
  const release = facts.get('wrapper.version');
  const named = release?.kind === 'known' ? ` (${clip(String(release.value), 60)})` : '';
  return sentences.length === 0 ? [] : [[bold(`Where${named}: `), plain(clip(sentences.join(' '), 600))]];
}
