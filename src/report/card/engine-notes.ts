import type { Fact, Facts } from '../../model/fact.ts';
import { fixedLimits } from '../../model/fixed-limits.ts';
import { type Block, bold, plain, type Span } from '../../model/message.ts';
import type { Diagnosis } from '../../model/verdict.ts';
import { clip, paragraph } from '../words/sentence.ts';
import { capital } from '../words/verdict-words.ts';

/** Where what is known contradicts itself: the deciding line and the version, what was asked for and what is in force. */
export function misfitBlocks(facts: Facts): Block[] {
  return [...told('Does not fit: ', facts.get('log.version-misfit'))];
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
  const sentences = ['wrapper.arguments-at']
    .map((id) => facts.get(id))
    .flatMap((fact) => (fact?.kind === 'known' && typeof fact.value === 'string' ? [fact.value] : []))
    .filter((sentence) => !told.includes(sentence));
  const release = facts.get('wrapper.version');
  const named = release?.kind === 'known' ? ` (${clip(String(release.value), 60)})` : '';
  return sentences.length === 0 ? [] : [[bold(`Where${named}: `), plain(clip(sentences.join(' '), 600))]];
}
