import type { LineCitation } from '../../model/citation.ts';
import type { Phrase } from '../../model/phrase.ts';
import { causeInLife } from '../when/life.ts';
import { FAILS, HINTS, type Read } from './family.ts';

const FRAME = /\.frame/;

/** What a line would point to that this phrase knows; nothing where it names no memory and no cause. */
export function pointerOf(phrase: Phrase, from: LineCitation): readonly Read[] {
  const starting = causeInLife({ phrase }, 'starting');
  const serving = causeInLife({ phrase }, 'serving');
  const plane = starting?.split('.')[0];
  if (phrase.weight === 'context' || FRAME.test(phrase.id) || starting === undefined || serving === undefined)
    return [];
  if (plane !== 'gpu' && plane !== 'host' && plane !== 'none') return [];
  return [{ family: { plane, starting, serving }, score: phrase.weight === 'hint' ? HINTS : FAILS, from }];
}
