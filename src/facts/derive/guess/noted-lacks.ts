import { anyOf } from '../../text/patterns.ts';
import { LACKS_AT_WAKING } from '../error/waking.ts';
import { FAILS, type Family, family, HINTS, once } from './family.ts';
import { POOL_REFUSED } from './told/pool-refused.ts';

/** A want of memory as people tell it, in no engine's words: who holds the card, and what a start is said to need. */
export const NOTED_LACKS: readonly Family[] = [
  family(
    'gpu',
    once('gpu.startup.shared-gpu'),
    /\bsecond (?:instance|model|engine|server|replica)\b[^\n]{0,24}\bsame (?:card|GPU)|\b(?:zombie|orphan(?:ed)?|left[- ]?over|stale) process\w*\b[^\n]{0,40}(?:\d ?GB|\bGPU|\bmemory|\bcard)/i,
    FAILS,
  ),
  family('gpu', once('gpu.startup.shared-gpu'), LACKS_AT_WAKING, FAILS),
  family('gpu', once('gpu.startup.kv-room'), new RegExp(POOL_REFUSED, 'i'), FAILS),
  family(
    'gpu',
    ['gpu.startup.weights', 'gpu.burst.headroom'],
    /\bcards? (?:is|are|was|were) (?:nearly |almost )?full\b/i,
    HINTS,
  ),
  family('host', once('host.startup.limit'), /\bneeds? \d{1,4} ?Gi?B? of RAM\b[^\n]{0,40}\blimit\b/i, FAILS),
  family(
    'host',
    once('host.startup.limit'),
    anyOf(
      'i',
      /\b(?:pods?|containers?|jobs?|process(?:es)?|service|workload)\b(?:(?!\bnever\b|\bnot\b|n't\b)[^.;\n]){0,24}\b(?:reach\w*|hit(?:s|ting)?|over|above|beyond)\b (?:its |the |their |a )?(?:own |max(?:imum)?\.? |hard ){0,2}(?:memory|RAM) limit/,
      /(?<!\b(?:GPU|VRAM|card|device|wired|Metal) )\b(?:memory|RAM) limit (?:of (?:the |its )?(?:pod|container) )?(?:is|was|has been|had been|gets?) (?:reached|hit|exceeded)\b/,
      /\bmore memory than (?:its|the|their) limit\b/,
    ),
    FAILS,
  ),
  family('host', ['host.startup.weight-staging', 'host.burst.payload'], /\bhost[- ]OOM(?:s|ed|['’]d)?\b/i, FAILS),
  family('host', once('host.offload'), /\bRAM\b[^\n]{0,24}\beaten up\b[^\n]{0,40}\b(?:offload|pinned)/i, FAILS),
];
