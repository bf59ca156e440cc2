import type { LineCitation } from '../../../model/citation.ts';
import type { Phrase } from '../../../model/phrase.ts';
import { ownersIn } from '../../scan/lines.ts';
import { matchSegment } from '../../scan/match-segment.ts';
import type { Evidence } from '../evidence.ts';
import { particular } from '../weigh/weigh.ts';
import { remarkLines } from './remark-lines.ts';

/** The phrases that remarks quote, the particular first in each. */
export function quotedPhrases(
  evidence: Pick<Evidence, 'readings'>,
): readonly { readonly phrase: Phrase; readonly from: LineCitation }[] {
  return remarkLines(evidence).flatMap(({ text, from }) =>
    phrasesIn(text, evidence).map((phrase) => ({ phrase, from })),
  );
}

/** The phrases that would know a text as a line, the particular first. */
export function phrasesIn(text: string, { readings }: Pick<Evidence, 'readings'>): readonly Phrase[] {
  const { wholeGate, endsGate } = readings.phrases;
  const raw = Buffer.from(text, 'utf8').toString('latin1');
  const matchers = new Set([...ownersIn(raw, wholeGate), ...ownersIn(raw, endsGate)]);
  return matchSegment({ raw, masked: false, below: [] }, matchers)
    .map(({ matcher }) => matcher.phrase)
    .toSorted((a, b) => particular(b) - particular(a));
}
