import type { LineCitation } from '../../../model/citation.ts';
import type { Cause } from '../../../model/taxonomy.ts';
import { readQuotedError } from '../error/exception.ts';
import type { ExceptionKind } from '../error/exception-kind.ts';
import type { Evidence } from '../evidence.ts';
import { HINTS, type Read } from './family.ts';
import { pointerOf } from './pointer.ts';
import { phrasesIn } from './quoted-phrases.ts';
import { remarkLines } from './remark-lines.ts';

// Said by PyTorch's allocator when it gives up, and at no other time (c10/cuda/CUDACachingAllocator.cpp).
const OF_REFUSAL =
  /\bhas a total capaci?ty of\b.{1,40}\bis free\b|\b(?:allocated|reserved)(?: in total)? by PyTorch\b|\bTried to allocate [\d.]{1,12} [KMG]iB\b/;

/** Whether a remark quotes the figures of a device that refused, its first words left out. */
export function quotesRefusal(text: string): boolean {
  return OF_REFUSAL.test(text);
}

/** The failures that remarks quote in the words of an engine: by the phrases that would know the line, else as an error. */
export function readQuoted(evidence: Pick<Evidence, 'readings'>): readonly Read[] {
  return remarkLines(evidence).flatMap(({ text, from }) => {
    const known = phrasesIn(text, evidence).flatMap((phrase) => pointerOf(phrase, from));
    return known.length > 0 ? known : quotedError(text, from);
  });
}

/** Whether the remarks quote an error, and none that speaks of memory. */
export function quotesAnother(evidence: Pick<Evidence, 'readings'>): boolean {
  const quoted = readQuoted(evidence);
  return quoted.length > 0 && quoted.every(({ family }) => family.plane === 'none');
}

const CAUSE_OF_KIND: Readonly<Record<ExceptionKind, readonly [starting: Cause, serving: Cause]>> = {
  config: ['none.config', 'none.other'],
  setting: ['none.config', 'none.config'],
  communication: ['none.comm', 'none.comm'],
  driver: ['none.driver', 'none.driver'],
  'gpu-fault': ['none.gpu-fault', 'none.gpu-fault'],
  other: ['none.other', 'none.other'],
};

// The code of a kill.
const NO_ERROR = /\berror(?: code)?:? ?137\b/i;

function quotedError(text: string, from: LineCitation): readonly Read[] {
  const kind = readQuotedError(text.replace(NO_ERROR, ''));
  if (kind === undefined) return [];
  const [starting, serving] = CAUSE_OF_KIND[kind];
  return [{ family: { plane: 'none', starting, serving }, score: HINTS, from }];
}
