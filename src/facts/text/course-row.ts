import { parseSize } from '../../model/quantity.ts';
import { withoutRemark } from './name-head.ts';
import { parseRowTime, type RowTime, splitRowTime } from './row-time.ts';

/** Where a reading stands in its course: ms of any beginning, a count of iterations, requests or runs, or the start. */
export type Place = RowTime & { readonly kind: 'time' | 'count' | 'start' };

/** A figure of a row: bytes, a share (0 to 1), or bare where its column or heading has the unit. */
export type RowValue = {
  /** The words before it in its row, in lower case and without digits. */
  readonly label: string;
  readonly cell: number;
  readonly digits: string;
  readonly unit: string | undefined;
};

export type CourseRow = { readonly place: Place; readonly values: readonly RowValue[]; readonly cells: number };

const COUNTED =
  'i|n|done|sent|served|iter(?:ation)?s?|steps?|runs?|rounds?|cycles?|epochs?|requests?|reqs?|calls?|turns?|prompts?|images?|pictures?|photos?|videos?|pages?|documents?|conversations?|quer(?:y|ies)|questions?|messages?|inferences?|generations?|swaps?';
const NUMBER = String.raw`\d[\d,]{0,15}(?:\.\d{1,6})?(?:[eE][+-]?\d{1,2}(?!\w))?`;
const TIME_UNIT = 's|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?';
const ELAPSED = String.raw`(${NUMBER})\s?(${TIME_UNIT})(?:\s?(\d{1,3})\s?(?:m|mins?|minutes?))?(?![\w%/])`;
const OF_ELAPSED = new RegExp(String.raw`^(?:after|at|in|t\s?=|t)?\s*[+~]?${ELAPSED}`, 'i');
const WITHIN = new RegExp(String.raw`\bafter\s+~?${ELAPSED}`, 'i');
const WITHIN_COUNT = new RegExp(String.raw`\bafter\s+~?(${NUMBER})\s?(k)?\s+(?:${COUNTED})\b`, 'i');
const OF_COUNT = new RegExp(String.raw`^(?:after|at)?\s*(?:${COUNTED})\s*[:=#]?\s*(${NUMBER})(k)?\b`, 'i');
const OF_NUMBER = new RegExp(String.raw`^(?:after|at)?\s*~?(${NUMBER})\s?(k)?\s+(?:${COUNTED})\b`, 'i');
const OF_CLOCK = /^\d{1,2}:\d{2}(:\d{2})?(?=[\s|,]|$)/;
const START =
  /^(?:(?:right )?after (?:the )?)?(?:start(?:-?up)?|load(?:ing|ed)?|ready|boot|fresh|idle|before|begin(?:ning)?|warm-?up|initial(?:ly)?|restart)\b/i;
const FIGURE = new RegExp(String.raw`(?<![\w.,-])[~≈]?(${NUMBER})\s?(%|(?:kB|[KMGT]i?B?)(?![\w/])|bytes?\b)?`, 'g');

const MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

// Names with commas between them and no blanks: a number in a row below has none of its own.
const CSV_HEAD = /^[a-z_]\w*(?: ?\([\w%/]+\))?(?:,[a-z_%][\w%/]*(?: ?\([\w%/]+\))?)+$/i;

/** The cells of a framed row, of one below a csv heading (or of that), or of one whose columns stand two blanks apart. */
export function cellsOf(text: string, above = text): readonly string[] {
  const bare = text.replace(/^[\s#*•>-]*(?=\S)/, '');
  const framed = bare.includes('|');
  const cells = framed
    ? bare
        .replace(/^\|/, '')
        .replace(/\|\s*$/, '')
        .split('|')
    : bare.split(CSV_HEAD.test(above.replace(/^[\s#]*/, '').trim()) ? ',' : /\t| {2,}/);
  return cells.map((cell) => cell.trim());
}

/** A row of a course: when, and how much; undefined where a line tells only one of them. `counts`: the row before it counted. */
export function readCourseRow(text: string, above: string | undefined, counts = false): CourseRow | undefined {
  const cells = cellsOf(withTimeFirst(inDigits(withoutRemark(text))), above);
  const [head = '', ...others] = cells;
  const isCount = counts || COUNT_HEAD.test(cellsOf(above ?? '')[0] ?? '');
  const found = placeOf(head) ?? (others.length > 0 && isCount ? numbered(head) : undefined);
  if (found === undefined) return undefined;
  const values = [found.rest, ...others].flatMap((cell, at, all) => valuesOf(cell, at, all[at - 1] ?? ''));
  return values.length === 0 ? undefined : { place: found.place, values, cells: cells.length };
}

// Many write behind their figures when it was: `9.1GiB  (Fri 18:00)`, `1.4e+10 @ uptime 26h`, `70988   day 5`.
const TIME_BEHIND =
  /^(.{0,400}\S)(?: {2,}|\s*[(@]\s*|\s+(?=(?:at|after|on)\s))(?:uptime |at |on )?([^()@]{2,24}?)\)?\s*$/;

function withTimeFirst(text: string): string {
  const [, rest = '', time = ''] = TIME_BEHIND.exec(text) ?? [];
  const isTime = rest !== '' && placeOf(cellsOf(text)[0] ?? '') === undefined && placeOfCell(time) !== undefined;
  return isTime ? `${time}  ${rest}` : text;
}

/** The place that a cell tells, and nothing besides. */
export function placeOfCell(text: string): Place | undefined {
  const found = placeOf(text.trim());
  return found !== undefined && found.rest.trim() === '' ? found.place : undefined;
}

const IN_WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const OF_TIME = new RegExp(`\\b(an?|${IN_WORDS.join('|')})(?=\\s(?:hours?|days?|weeks?)\\b)`, 'gi');

/** `after two days` as `after 2 days`. */
export function inDigits(text: string): string {
  return text.replaceAll(OF_TIME, (word) => String(Math.max(1, IN_WORDS.indexOf(word.toLowerCase()) + 1)));
}

type Found = { readonly place: Place; readonly rest: string };

function placeOf(head: string): Found | undefined {
  const counted = OF_COUNT.exec(head) ?? OF_NUMBER.exec(head);
  if (counted !== null) return { place: once('count', countOf(counted)), rest: head.slice(counted[0].length) };
  const elapsed = OF_ELAPSED.exec(head);
  if (elapsed !== null) return { place: once('time', elapsedOf(elapsed)), rest: head.slice(elapsed[0].length) };
  const within = WITHIN.exec(head);
  if (within !== null) return { place: once('time', elapsedOf(within)), rest: around(head, within) };
  const amid = WITHIN_COUNT.exec(head);
  if (amid !== null) return { place: once('count', countOf(amid)), rest: around(head, amid) };
  return timed(head) ?? started(head) ?? startedWithin(head);
}

// `RSS after 2 h: 31 GB` has its figure behind the time, `31 GB after 2 h` before it.
function around(head: string, { 0: found, index }: RegExpExecArray): string {
  const before = head.slice(0, index);
  return /\d/.test(before) ? before : before + head.slice(index + found.length);
}

const WITHIN_START = /\b(?:right |just )?(?:after|at|before) (?:the )?(?:start(?:-?up)?|load(?:ing)?|boot|launch)\b/i;

function startedWithin(head: string): Found | undefined {
  const start = WITHIN_START.exec(head);
  return start === null ? undefined : { place: once('start', Number.NEGATIVE_INFINITY), rest: around(head, start) };
}

function once(kind: Place['kind'], at: number): Place {
  return { kind, at, again: undefined };
}

// `memory 12:00`.
const NAME_THEN_CLOCK = /^([a-z_ ]{2,24}?) +(\d{1,2}:\d{2}(?::\d{2})?)$/i;

function timed(head: string): Found | undefined {
  const [clock = '', seconds] = OF_CLOCK.exec(head) ?? [];
  const time = parseRowTime(clock === '' || seconds !== undefined ? clock : `${clock}:00`);
  if (time !== undefined) return { place: { kind: 'time', ...time }, rest: head.slice(clock.length) };
  const [, named = '', later = ''] = (parseRowTime(head) === undefined && NAME_THEN_CLOCK.exec(head)) || [];
  const behind = later === '' ? undefined : parseRowTime(later.length > 5 ? later : `${later}:00`);
  if (behind !== undefined) return { place: { kind: 'time', ...behind }, rest: named };
  const split = splitRowTime(head);
  const whole = split !== undefined && SIZED.test(split.rest) ? undefined : parseRowTime(head);
  if (whole !== undefined) return { place: { kind: 'time', ...whole }, rest: '' };
  return split && { place: { kind: 'time', ...split.time }, rest: split.rest };
}

const SIZED = /\d\s?(?:%|[KMGT]i?B?)(?![\w/])/;

// Only the first row may stand at the beginning without a figure for it.
function started(head: string): Found | undefined {
  const start = START.exec(head);
  return start === null
    ? undefined
    : { place: once('start', Number.NEGATIVE_INFINITY), rest: head.slice(start[0].length) };
}

/** The head of a column that counts work. */
export const OF_WORK = new RegExp(`^(?:${COUNTED})$`, 'i');

const COUNT_HEAD = new RegExp(
  String.raw`\b(?:${COUNTED}|#|no|nr|served|sent|done|processed|answered|elapsed|hours?|days?|minutes?|weeks?)\b`,
  'i',
);

// The first column of bare numbers, where its head or the row above says that it counts.
function numbered(head: string): Found | undefined {
  const match = /^(\d[\d,.]{0,15})\s?(k)?$/i.exec(head);
  return match === null ? undefined : { place: once('count', countOf(match)), rest: '' };
}

function countOf([, digits = '', thousands]: readonly (string | undefined)[]): number {
  return numberOf(digits) * (thousands === undefined ? 1 : 1000);
}

function elapsedOf([, digits = '', unit = '', minutes = '0']: readonly (string | undefined)[]): number {
  const own = MS[unit.slice(0, 1).toLowerCase()] ?? 0;
  return numberOf(digits) * own + Number(minutes) * 60_000;
}

const NAME_ALONE = /^(?:anon|file|rss|res|vmrss|uss|pss|used|free|alloc\w*|reserved|mem\w*|v?ram)$/i;

// A name may stand in a cell of its own before its figure.
function valuesOf(text: string, cell: number, before: string): readonly RowValue[] {
  let from = 0;
  const own = withoutTotal(text);
  return [...own.matchAll(FIGURE)].map((match) => {
    const label = own.slice(from, match.index);
    from = match.index + match[0].length;
    return {
      label: wordsOf(label) || (NAME_ALONE.test(before) ? wordsOf(before) : ''),
      cell,
      digits: match[1] ?? '',
      unit: match[2],
    };
  });
}

const OUT_OF = new RegExp(
  String.raw`(${NUMBER})(\s?(?:%|[KMGT]i?B?))?\s*(?:\/|\bof\b)\s*(${NUMBER})\s?(?:[KMGT]i?B?)?(?![\w.])`,
  'g',
);

// `31.6 of 32 GB`, `48760 / 49140`: what there is beside what is used. Of two cards the second may hold less.
function withoutTotal(text: string): string {
  return text.replaceAll(OUT_OF, (whole, used: string, unit: string | undefined, total: string) =>
    numberOf(total) > numberOf(used) ? `${used}${unit ?? unitAtEnd(whole)}` : whole,
  );
}

function numberOf(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}

function unitAtEnd(text: string): string {
  return /\s?[KMGT]i?B?$/.exec(text)?.[0] ?? '';
}

function wordsOf(label: string): string {
  return label
    .toLowerCase()
    .replaceAll(/[^a-z_.]+/g, ' ')
    .trim();
}

/** The value in bytes or as a share; `unit` is what its column or heading says where it bears none. */
export function amountOf(
  { digits, unit }: Pick<RowValue, 'digits' | 'unit'>,
  common: string | undefined,
): number | undefined {
  const word = unit ?? common;
  if (word === undefined) return undefined;
  const number = numberOf(digits);
  if (word === '%') return number / 100;
  return parseSize(`${number} ${word}`);
}

/** ps and /proc print a resident size in KiB, a control group and Prometheus bytes. */
export function bareUnit([label = '', column = '']: readonly string[]): string | undefined {
  const words = `${label} ${column}`.replaceAll('_', ' ');
  if (/\bbytes\b|^anon\b/.test(words)) return 'bytes';
  return /\b(?:rss|vmrss)\b/.test(words) ? 'KiB' : undefined;
}
