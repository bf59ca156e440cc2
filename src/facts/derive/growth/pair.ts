import { GIB } from '../../../model/quantity.ts';
import type { Memory } from '../../text/course.ts';
import { anyOf } from '../../text/patterns.ts';
import { type Amount, amountsIn } from './amounts.ts';
import { IN_THE_LONG_RUN } from './said.ts';

const EARLY = anyOf(
  'i',
  /\b(?:(?:re)?start(?:s|ed|-?up)?|fresh(?:ly)?|initial(?:ly)?|begin(?:ning)?|boot|launch|deploy(?:ment|ed)?|(?:re)?load(?:ed)?|yesterday|earlier|ago|before|first|idle|was|were|said|base|day (?:one|1|0)|(?:on |this )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day (?:morning|evening))\b/,
  /启动|刚|开始|起初|最初|上午/,
);
const LATE = anyOf(
  'i',
  /\b(?:later|now|next|after(?!(?: the| a)? (?:re)?(?:start|load|boot|launch|deploy))|end|evening|tonight|today|tomorrow|by (?:the |now|then|next|noon|\d)|finally|eventually|until|up to|currently|already|day (?:[2-9]|\d{2}|two|three|four|five|six|seven|ten))\b/,
  /之后|以后|后|现在|晚上|第[二三四五六七八九十]/,
);
// What was set, or what a cache was given, is no growth.
const SET =
  /\bv\d+\.\d+|\b(?:bump\w*|increased by|allow\w*|budget\w*|quota|swings?|limits? (?:from|to|was|is)|raised?|rais(?:es|ing)|chang(?:e|ed|ing)|(?<!working )set|lower(?:ed|ing)?|reduc\w*|\w*cache (?:usage|hit|size)|kv cache|--[\w-]+)\b/i;
// Without words for the time, what another version, model or setting takes.
const COMPARED =
  /\b(?:v?\d+\.\d+\.\d+|fp8|fp16|bf16|int[48]|upgrad\w*|replac\w*|mov(?:e|ed|ing)|alerts?|docs?|replicas?|quanti[sz]\w*|fraction|utili[sz]ation|context|batch|need\w*|available in|driver|shards?|models?)\b/i;
// When it was, of both.
const CLOCK = /\b\d{1,2}:\d{2}\b|\b(?:cycle|round|run|day|hour|week) \d|\b\d{1,3} ?h\b|\b\d(?:st|nd|rd|th)\b|\bat \d/i;
const LEFT = /\b(?:free|avail\w*|left|less)\b|剩/i;

// What an arena or the first requests take.
const LEAST_PART = 1.1;
// A card holds its pool from the start: what comes on top of it is a small part of the whole.
const LEAST_ON_CARD = 1.04;
const LEAST_BYTES = GIB / 2;
const LEAST_POINTS = 5;
// From nothing to all is a load, or two readings of other things.
const MOST_TIMES = 500;
const NEAR = 48;

/** Where a line begins to tell of a memory that went from one size to another over hours, days or requests. */
export function pairIn(text: string, memoryAt: (at: number) => Memory | undefined): number | undefined {
  if (!IN_THE_LONG_RUN.test(text)) return undefined;
  const amounts = amountsIn(text);
  const found = amounts.findIndex((one, i) => amounts.slice(i + 1).some((other) => goesUp(text, one, other, memoryAt)));
  return amounts[found]?.at;
}

function goesUp(text: string, one: Amount, other: Amount, memoryAt: (at: number) => Memory | undefined): boolean {
  if (one.unit !== other.unit) return false;
  const order = orderOf(one, other);
  const around = text.slice(Math.max(0, one.at - NEAR), other.at + NEAR);
  const compared = markOf(one.words) === undefined && markOf(other.words) === undefined && COMPARED.test(around);
  if (order === undefined || compared || SET.test(around)) return false;
  const [before, after] = (order === 'forward') !== LEFT.test(around) ? [one, other] : [other, one];
  return isMore(before, after, memoryAt(one.at));
}

// Words say which came first; without them an arrow or a `to` does.
function orderOf(one: Amount, other: Amount): 'forward' | 'backward' | undefined {
  const [first, second] = [markOf(one.words), markOf(other.words)];
  if (other.led && second !== 'early') return 'forward';
  if (first === second) {
    return first === undefined && CLOCK.test(one.words) && CLOCK.test(other.words) ? 'forward' : undefined;
  }
  if (first === 'early' || second === 'late') return 'forward';
  // Of what stands behind a later one without a word of its own nobody says when it was.
  return second === 'early' ? 'backward' : undefined;
}

function markOf(words: string): 'early' | 'late' | undefined {
  if (LATE.test(words)) return 'late';
  return EARLY.test(words) ? 'early' : undefined;
}

function isMore(before: Amount, after: Amount, memory: Memory | undefined): boolean {
  const grown = after.value - before.value;
  if (before.unit === 'share') return grown >= LEAST_POINTS;
  const times = after.value / before.value;
  return grown >= LEAST_BYTES && times >= (memory === 'gpu' ? LEAST_ON_CARD : LEAST_PART) && times <= MOST_TIMES;
}
