import { NUMBER, numberOf, type RowValue, valuesOf } from './course-value.ts';
import { withoutGroups } from './grouped-digits.ts';
import { withoutRemark } from './name-head.ts';
import { parseRowTime, type RowTime, splitRowTime } from './row-time.ts';

/** Where a reading stands in its course: ms of any beginning, a count of iterations, requests or runs, or the start. */
export type Place = RowTime & { readonly kind: 'time' | 'count' | 'start' };

export type CourseRow = { readonly place: Place; readonly values: readonly RowValue[]; readonly cells: number };

const COUNTED =
  'i|n|done|sent|served|iter(?:ation)?s?|steps?|runs?|rounds?|cycles?|epochs?|requests?|reqs?|calls?|turns?|prompts?|images?|pictures?|photos?|videos?|pages?|documents?|conversations?|quer(?:y|ies)|questions?|messages?|inferences?|generations?|swaps?';
const TIME_UNIT = 's|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?';
const ELAPSED = String.raw`(${NUMBER})\s?(${TIME_UNIT})(?:\s?(\d{1,3})\s?(?:m|mins?|minutes?))?(?![\w%/])`;
const OF_ELAPSED = new RegExp(String.raw`^(?:after|at|in|t\s?=|t)?\s*[+~]?${ELAPSED}`, 'i');
const WITHIN = new RegExp(String.raw`\bafter\s+~?${ELAPSED}`, 'i');
const WITHIN_COUNT = new RegExp(String.raw`\bafter\s+~?(${NUMBER})\s?(k)?\s+(?:${COUNTED})\b`, 'i');
const OF_COUNT = new RegExp(String.raw`^(?:after|at)?\s*(?:${COUNTED})\s*[:=#]?\s*(${NUMBER})(k)?\b`, 'i');
const OF_NUMBER = new RegExp(String.raw`^(?:after|at)?\s*~?(${NUMBER})\s?(k)?\s+(?:${COUNTED})\b`, 'i');
// What is counted stands in the heading then.
const AFTER_BARE = new RegExp(String.raw`^after\s+~?(${NUMBER})\s?(k)?$`, 'i');
const OF_CLOCK = /^\d{1,2}:\d{2}(:\d{2})?(?=[\s|,]|$)/;
const START =
  /^(?:(?:right )?after (?:the )?)?(?:start(?:-?up)?|load(?:ing|ed)?|ready|boot|fresh|idle|before|begin(?:ning)?|warm-?up|initial(?:ly)?|restart)\b/i;

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
  const cells = cellsOf(withTimeFirst(plain(text)), above);
  const found = placeOfRow(cells, above, counts);
  if (found === undefined) return undefined;
  const [, ...others] = cells;
  const values = [found.rest, ...others].flatMap((cell, at, all) => valuesOf(cell, at, all[at - 1] ?? ''));
  return values.length === 0 ? undefined : { place: found.place, values, cells: cells.length };
}

function placeOfRow(cells: readonly string[], above: string | undefined, counts: boolean): Found | undefined {
  const [head = '', ...others] = cells;
  const found = placeOf(head);
  if (found !== undefined || others.length === 0) return found;
  const column = cellsOf(above ?? '')[0] ?? '';
  if (OF_SIZES.test(column)) return undefined;
  const [, unit] = TIME_HEAD.exec(column) ?? [];
  return counts || unit !== undefined || COUNT_HEAD.test(column) ? numbered(head, unit) : undefined;
}

// In the last row of many stands how it ended, and no figure or only that of another column.
const ENDED =
  /\b(?:out of memory|OOM(?:-?Killed|s|ed)?|(?:was |got )?killed|crash(?:es|ed)?|died|dies|dead|aborted|evicted|exit(?:ed)?(?: code)? (?:\d|-\d)|fails|failed)\b|挂了?|崩/i;

// What people ended, and what ended as it should.
const PLANNED =
  /\b(?:by (?:us|hand|me|the operator)|roll-?out|rolled out|scaled (?:down|to)|maintenance|drained?|planned|deliberately|manually|exit(?:ed)?(?: code)? 0)\b/i;

/** When it ended, in a row that tells it. */
export function readEndRow(text: string, above: string | undefined, counts: boolean): Place | undefined {
  return ENDED.test(text) && !PLANNED.test(text)
    ? placeOfRow(cellsOf(plain(text), above), above, counts)?.place
    : undefined;
}

// Figures that stand right below each other leave blanks behind the word.
const SPREAD = /^(\W{0,4}after) {2,}(?=\d)/i;

function plain(text: string): string {
  return inDigits(withoutGroups(withoutRemark(text).replace(SPREAD, '$1 ')));
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
  const bare = AFTER_BARE.exec(head);
  if (bare !== null) return { place: once('count', countOf(bare)), rest: '' };
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

// What each piece of work was given, and no count of them.
const OF_SIZES = /\b(?:per|sides?|sizes?|resolution|length|width|height|pixels|budget)\b/i;
// `hours`, `t (min)`, `elapsed_s`: a column of bare numbers of this unit.
const TIME_HEAD =
  /^(?!.*(?:\/|\bper\b)).{0,24}?(?<![a-z])(s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)[)\]]?\s*$/i;

// The first column of bare numbers, where its head or the row above says that it counts.
function numbered(head: string, unit: string | undefined): Found | undefined {
  const match = /^(\d[\d,.]{0,15})\s?(k)?$/i.exec(head);
  if (match === null) return undefined;
  const place =
    unit === undefined ? once('count', countOf(match)) : once('time', elapsedOf([...match.slice(0, 2), unit]));
  return { place, rest: '' };
}

function countOf([, digits = '', thousands]: readonly (string | undefined)[]): number {
  return numberOf(digits) * (thousands === undefined ? 1 : 1000);
}

function elapsedOf([, digits = '', unit = '', minutes = '0']: readonly (string | undefined)[]): number {
  const own = MS[unit.slice(0, 1).toLowerCase()] ?? 0;
  return numberOf(digits) * own + Number(minutes) * 60_000;
}
