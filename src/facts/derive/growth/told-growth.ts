import type { LineCitation } from '../../../model/citation.ts';
import type { Memory } from '../../text/course.ts';
import { withoutGroups } from '../../text/grouped-digits.ts';
import { FAILS, type Family, type Read } from '../guess/family.ts';
import { cadenceIn } from './cadence.ts';
import { endlessIn, keptIn } from './endless.ts';
import { findingIn } from './finders.ts';
import { memoryAbout, memoryToldOf } from './memory-words.ts';
import { pairIn } from './pair.ts';
import { rateIn } from './rate.ts';
import { roseAtOnce, tellsOfGrowth, withoutLevels } from './said.ts';

export type Telling = { readonly text: string; readonly from: LineCitation };
type Of = Pick<Family, 'plane' | 'starting' | 'serving'>;
/** `asRate`: by what an hour or a piece of work takes and does not give back. */
type Grown = { readonly family: Of; readonly asRate: boolean };
type ToldGrowth = Read & Pick<Grown, 'asRate'>;

export const GROWTH_OF: Readonly<Record<Memory, Of>> = {
  gpu: { plane: 'gpu', starting: 'gpu.startup.weights', serving: 'gpu.chronic.leak' },
  host: { plane: 'host', starting: 'host.startup.weight-staging', serving: 'host.chronic.leak' },
};
// What waits for its turn is kept in RAM: many large requests at once fill it, and their end empties it.
const OF_PAYLOAD: Of = { ...GROWTH_OF.host, serving: 'host.burst.payload' };
const MEDIA = /\b(?:images?|pictures?|photos?|videos?|audio|PDFs?|uploads?|base64)\b|图片|视频|上传/i;
const AT_A_TIME = /\b(?:concurren\w+|parallel|at once|at a time|load test|benchmark|burst)\b|并发|压测/i;
const FOR_LONG = /\b(?:hours?|days?|weeks?|overnight|\d{1,4} ?[hd])\b|小时|天/i;
const OF_POOL: Of = { ...GROWTH_OF.gpu, starting: 'gpu.startup.kv-room' };

/**
 * What people tell of a memory that grows while it serves: two sizes and what lay between, a rate, ends at one age, what a
 * program that looks for leaks has found, or words alone. A memory that nobody names is that of what was `atWork`, else RAM.
 */
export function readToldGrowth(lines: readonly Telling[], atWork?: Memory): readonly ToldGrowth[] {
  const plain = lines.map(({ text, from }) => ({
    text: withoutGroups(text.replace(ACCOUNT, '')).replaceAll('_', ' '),
    from,
  }));
  const own = plain.map((one, at) => ({ ...one, text: withoutPronoun(one.text, plain[at - 1]?.text) }));
  const unnamed = memoryToldOf(own.map(({ text }) => withoutLevels(text))) ?? atWork;
  const levels = own.some(({ text }) => LEVEL_BETWEEN.test(text) && !OF_DEVICE.test(text));
  return own.flatMap(({ text, from }) => {
    const grown = tellsOfGrowth(text) ? grownIn(text, unnamed) : undefined;
    if (grown === undefined) return [];
    const { family, asRate } = grown;
    if (family === GROWTH_OF.host && ((levels && !GOES_ON.test(text)) || isOfPayload(text))) {
      return [{ family: OF_PAYLOAD, asRate: false, score: FAILS, from }];
    }
    return [{ family, asRate, score: FAILS, from }];
  });
}

// The sizes that PyTorch's refusal lists are of one moment.
const ACCOUNT = /\b[Tt]ried to allocate \d[^\n]{0,600}\b(?:by PyTorch|is free|in use)\b/;

// What falls back each time, or stands still from one rise to the next, is no leak.
const LEVEL_BETWEEN = /\b(?:level|flat|stable|steady|constant|quiet) (?:in )?between\b(?! requests)/i;
const OF_DEVICE = /\b(?:VRAM|GPU|card|device|HBM)\b/i;
const GOES_ON = /\b(?:leaks?|leaking|without end|per (?:hour|day)|an hour|a day)\b/i;

const IT_GROWS =
  /\bit(?= (?:has |had |then |slowly |gradually |steadily )*(?:grow[sn]?|grew|climb(?:s|ed)|creeps|crept|rises?|rose|risen)\b)/i;

// `GPU memory is a few gigabytes at first`, and in the next note `it has grown to over 40GB`.
function withoutPronoun(text: string, before: string | undefined): string {
  const memory = before === undefined || memoryToldOf([text]) !== undefined ? undefined : memoryToldOf([before]);
  return memory === undefined ? text : text.replace(IT_GROWS, memory === 'gpu' ? 'GPU memory' : 'host memory');
}

function isOfPayload(text: string): boolean {
  return MEDIA.test(text) && AT_A_TIME.test(text) && !FOR_LONG.test(text);
}

function grownIn(whole: string, unnamed: Memory | undefined): Grown | undefined {
  const found = findingIn(whole);
  if (found !== undefined) return { family: GROWTH_OF[found.memory], asRate: false };
  const text = withoutLevels(whole);
  if (roseAtOnce(text)) return undefined;
  const memoryAt = (at: number) => memoryAbout(text, at, unnamed);
  const pair = pairIn(text, memoryAt);
  const inFigures = memoryOf(pair ?? rateIn(text), memoryAt);
  if (inFigures !== undefined) return { family: GROWTH_OF[inFigures], asRate: pair === undefined };
  const family = familyInWords(text, memoryAt, whole);
  return family && { family, asRate: false };
}

function familyInWords(text: string, memoryAt: (at: number) => Memory | undefined, whole: string): Of | undefined {
  const ends = cadenceIn(text);
  // Who ends again and again at one age met the limit of his container, where nothing else is named.
  if (ends !== undefined) return GROWTH_OF[memoryAt(ends) ?? 'host'];
  const endless = endlessIn(text);
  if (endless?.ofPool) return OF_POOL;
  const memory = memoryOf(keptIn(whole) ?? endless?.at, memoryAt);
  return memory && GROWTH_OF[memory];
}

function memoryOf(sign: number | undefined, memoryAt: (at: number) => Memory | undefined): Memory | undefined {
  return sign === undefined ? undefined : memoryAt(sign);
}
