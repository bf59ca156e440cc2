import { FAILS, type Family, family } from './family.ts';

const MORE =
  '(?:\\b(?:grow(?:s|ing|n)?|grew|growth|climb(?:s|ed|ing)?|creep(?:s|ing)?|keeps? (?:increasing|rising|growing|climbing)|(?:goes|going|go|went) up|(?:fill(?:s|ed)?|filling) up|(?:will )?(?:increase|rise)[sd]?|rising|increasing|accumulat(?:es|ed|ing|ion)|leak(?:s|ed|ing)?|saw-?tooth\\w*|never (?:comes|goes|went|came) (?:back )?down|(?:is|are|was|were|does|do|did)(?: not|n.t) (?:be )?(?:freed|released|returned|reclaimed|fall|drop|go down|come (?:back|down)))\\b|(?:一直|不断|持续|逐渐|缓慢|越来越)[^\\n]{0,8}(?:升高|增长|增加|上涨|上升|变大|涨)|(?:每|越)[^\\n]{0,16}(?:上升|升高|增长|增加|涨)|(?:不|没有?|未)(?:会)?(?:下降|释放|回落|回收|减少)|随[^\\n]{0,12}(?:增长|增加|上升|上涨)|泄[漏露])';
const OVER_TIME =
  '(?:\\b(?:only (?:ever )?go(?:es|ing)|keeps?|never|each|every|per|over time|continuous\\w*|gradual\\w*|stead\\w*|linear\\w*|slow\\w*|constant\\w*|until|eventually|after|hours?|days?|weeks?|requests?|prompts?|iterations?)\\b|\\bleak|直至|直到|最终|最后|一直|不断|持续|随着?|每[轮次天]|小时|几天|越来越|之后|泄[漏露])';
/** Whose growth it is. */
export const DEVICES = /\b(?:GPU|VRAM|CUDA|HBM|device|cards?|nvidia-smi)\b|显存|显卡|张卡/i;

// What was looked for and not seen, what comes back, and what a start or the first requests take.
const NOT_GROWN =
  /\b(?:did|does|do|has|have|is|are|was|were)(?: not|n['’]t)\s+(?:\w+\s){0,2}(?:grow\w*|climb\w*|increas\w*|ris(?:e|en|ing)|leak\w*)\b|\bnever (?:grew|grows|climb\w*|ros[ae]|increas\w*|leak\w*)|\bno (?:growth|leak)\b|\bincreased by (?:us|me|ops|hand)\b|\b(?:and|but|then) (?:it )?(?:falls|drops|stays|comes? back|is (?:freed|released))\b|\b(?:up to|to) [\d.]{1,8} ?(?:%|[KMG]i?B?)?[^\n]{0,8}\b(?:at (?:the )?start|with the first)\b|没有?(?:再)?(?:升高|增长|增加|上升|上涨|泄)|(?:就|会)释放|\berrors?\b[^\n]{0,12}\b(?:increase|rise|go up|grow)|\bclock (?:goes|went) up/i;

/** Whether a line tells of a growth, and does not say that there was none. */
export function tellsOfGrowth(text: string): boolean {
  return !NOT_GROWN.test(text);
}

/** What people note of a memory that grows while it serves. Without a name it is RAM: the engines set the device's aside at once. */
export const GROWTH: readonly Family[] = [
  family(
    'gpu',
    ['gpu.startup.weights', 'gpu.chronic.leak'],
    new RegExp(
      `^(?=[^\\n]*(?:${DEVICES.source}))(?=[^\\n]*${OVER_TIME})[^\\n]*(?:memory|VRAM|HBM|显存)(?! (?:errors?|clock|bandwidth|speed|temp))[^\\n]{0,60}${MORE}`,
      'i',
    ),
    FAILS,
  ),
  {
    ...family(
      'host',
      ['host.startup.weight-staging', 'host.chronic.leak'],
      new RegExp(
        `^(?![^\\n]*\\bcache\\b)(?=[^\\n]*${OVER_TIME})[^\\n]*(?:memory|\\bRAM\\b|\\bRSS\\b|内存)(?! (?:errors?|clock|bandwidth|speed|temp))[^\\n]{0,60}${MORE}`,
        'i',
      ),
      FAILS,
    ),
    unless: DEVICES,
  },
  // Pages of the pool that are not given back: what holds them nobody says.
  family(
    'gpu',
    ['gpu.startup.kv-room', 'gpu.chronic.leak'],
    /\bkv[ _-]?cache\b[^\n]{0,40}\b(?:(?:does|do|did|is|are)(?: not|n.t)|never) (?:be )?(?:go|come|return|drop|fall|freed|released|given back)\w*\b/i,
    FAILS,
  ),
  // So much for each piece of work, or at the limit after so long and not after a restart.
  {
    ...family(
      'host',
      ['host.startup.weight-staging', 'host.chronic.leak'],
      /^(?![^\n]*(?:\b(?:GPU|VRAM|CUDA|HBM|device|cards?|kv[ _-]?cache|cache)\b|显存))[^\n]*(?:\b\d[\d.]{0,6} ?[KMG]i?B\b[^\n]{0,24}\b(?:behind|per|each|every)\b(?= (?:request|prompt|call|hour|day|iteration|image|in\b|on\b))|\bleaves? (?:\w+ )?~?\d[\d.]{0,6} ?[KMG]i?B behind\b|\bafter (?:an?|two|three|\d{1,3}) (?:days?|weeks?)\b[^\n]{0,60}\b(?:8|9)\d ?%[^\n]{0,60}\brestart)/i,
      FAILS,
    ),
    unless: DEVICES,
  },
];
