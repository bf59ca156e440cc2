import type { Facts } from '../../model/fact.ts';
import { type Block, bold, plain } from '../../model/message.ts';
import { clip, paragraph } from '../sentence.ts';

/** That the deciding line and the version of the engine do not go together, where that is seen. */
export function misfitBlocks(facts: Facts): Block[] {
  const found = facts.get('log.version-misfit');
  if (found?.kind !== 'known' || typeof found.value !== 'string') return [];
  return [paragraph(bold('Does not fit: '), plain(clip(found.value, 600)))];
}
