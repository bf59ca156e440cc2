import { parseSize } from '../../../model/quantity.ts';
import { FAILS, type Family } from './family.ts';
import { DEVICES } from './growth.ts';
import type { Read } from './pointer.ts';

const AMOUNT = String.raw`[~≈]?(\d[\d,]{0,12}(?:\.\d{1,4})?)\s?([KMGT]i?B?|%)?`;
const FROM_TO = new RegExp(
  String.raw`${AMOUNT}\s*(?:up to|down to|to|->|→|升?到|涨到)\s*(?:[\u4e00-\u9fff]{0,8})\s*${AMOUNT}(?![\w.])`,
  'i',
);
const LATER = new RegExp(
  String.raw`${AMOUNT}\s(?:right |just )?(?:after|at) (?:the )?(?:start|boot|load)\w{0,4},?\s(?:and |then |but )?${AMOUNT}\s(?:after )?(?:an?|\d{1,3}|two|three|four|five|six|ten) (?:hours?|days?|weeks?)`,
  'i',
);
const MEMORY = /\b(?:memory|VRAM|RAM|RSS|HBM|working set)\b|显存|内存/i;
// Long enough for pools and arenas to have filled.
const IN_THE_LONG_RUN =
  /\b(?:hours?|days?|weeks?|overnight|afternoon|night|weekend|evening|(?:requests?|prompts|iterations|rounds|calls|images))\b|小时|天|轮|次|请求/i;
// What was set, or what a cache was given, is no growth.
const SET =
  /\b(?:v?\d+\.\d+\.\d+|fp8|fp16|bf16|int[48]|bump\w*|upgrad\w*|replac\w*|increased by|mov(?:e|ed|ing)|allow\w*|alerts?|budget\w*|docs?|each|replicas?|quota|swings?|limits?|requests?: |raised?|rais(?:es|ing)|chang(?:e|ed|ing)|set|lower(?:ed|ing)?|reduc\w*|quanti[sz]\w*|fraction|utili[sz]ation|\w*cache\w*|context|batch|swap|need\w*|available in|driver|version)\b/i;
const LEFT = /\b(?:free|avail\w*|left)\b/i;
const LEAST_PART = 1.1;

/** What people tell of a memory that went from one size to another over hours, days or requests. */
export function readToldRises(
  lines: readonly { readonly text: string; readonly from: Read['from'] }[],
): readonly Read[] {
  return lines.flatMap(({ text, from }) => {
    const match =
      MEMORY.test(text) && IN_THE_LONG_RUN.test(text) && !SET.test(text)
        ? (FROM_TO.exec(text) ?? LATER.exec(text))
        : null;
    return match !== null && rises(match, LEFT.test(text)) ? [{ family: familyOf(text), score: FAILS, from }] : [];
  });
}

function rises(
  [, first = '', firstUnit, last = '', lastUnit]: readonly (string | undefined)[],
  left: boolean,
): boolean {
  const [before, after] = [sizeOf(first, firstUnit ?? lastUnit), sizeOf(last, lastUnit ?? firstUnit)];
  return left ? before >= after * LEAST_PART : after >= before * LEAST_PART;
}

function sizeOf(digits: string, unit: string | undefined): number {
  const bare = digits.replaceAll(',', '');
  return unit === undefined || unit === '%' ? Number.NaN : (parseSize(`${bare} ${unit}`) ?? Number.NaN);
}

function familyOf(text: string): Pick<Family, 'plane' | 'starting' | 'serving'> {
  return DEVICES.test(text)
    ? { plane: 'gpu', starting: 'gpu.startup.weights', serving: 'gpu.chronic.leak' }
    : { plane: 'host', starting: 'host.startup.weight-staging', serving: 'host.chronic.leak' };
}
