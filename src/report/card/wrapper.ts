import type { Facts } from '../../model/fact.ts';
import { bold, plain, type Span } from '../../model/message.ts';
import type { Diagnosis } from '../../model/verdict.ts';
import { clip } from '../sentence.ts';

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
