import type { Fact, Facts } from '../../model/fact.ts';
import { type Block, bold, plain } from '../../model/message.ts';
import { clip, paragraph } from '../sentence.ts';

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
