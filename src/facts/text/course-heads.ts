import { type CourseRow, cellsOf, OF_WORK } from './course-row.ts';
import { amountOf, numberOf } from './course-value.ts';

// `kubectl top pod`, of which people write the time in front of each row.
const OF_TOP = /^NAME CPU\(cores\) /;

/** The heads of the columns: the line right above, where it has as many cells; none elsewhere. */
export function headOf(above: readonly string[], { cells }: CourseRow): readonly string[] {
  const all = cellsOf(above.at(-1) ?? '');
  const head = /^\(\w{1,5}\)$/.test(all.at(-1) ?? '') ? all.slice(0, -1) : all;
  if (cells <= 1) return [];
  // What heads the column of times is often left blank.
  const isBlank = head.length === cells - 1 && (head.length < all.length || OF_TOP.test(all.join(' ')));
  return head.length === cells ? head : isBlank ? ['', ...head] : [];
}

const UNIT_IN = /(?:[\s_,([]|^)(KiB|MiB|GiB|TiB|KB|MB|GB|TB|Ki|Mi|Gi|bytes|%)(?=[\s,)\].:_]|MEM\b|$)/gi;

/** The unit that a heading gives. */
export function unitIn(text: string): string | undefined {
  return [...withoutBrackets(text).matchAll(UNIT_IN)].at(-1)?.[1];
}

/** A heading without the limit and the card that it names beside, which are not what was read. */
export function withoutBrackets(text: string): string {
  return text
    .replaceAll(/\([^()]*\b(?:limit|total|of|card)\b[^()]*\)/gi, '')
    .replaceAll(/\blimit(?:ed)? (?:is |of |to |= ?)?\d[\d.]{0,8} ?[KMGT]i?B?\b/gi, '');
}

// What a pool or a cache holds, and what it counts of its work.
const CACHE = /\bkv\b|cache|\bpool\b/i;
const WORK_OF_CACHE = /\b(?:hits?|miss(?:es)?|evict\w*|rate)\b/i;
// How much was asked of it at that time.
const LOAD =
  /\b(?:running|in[- ]?flight|active (?:requests|sessions|users)|concurren\w*|queued?|waiting|rps|qps|(?:requests?|reqs?|tokens?|tok)\/s|users?|clients?|sessions?|connections?)\b/i;
// Less of a growth than this is no reason for it.
const EXPLAINS = 0.5;

/**
 * The heads that say what a column is of: its own, that of the times, and those of settings. What did not change from row
 * to row was not tried, nor was what counts along with the rounds, and what a cache or the load counts beside is looked at
 * by its figures (`isExplained`).
 */
export function headsBeside(heads: readonly string[], rows: readonly CourseRow[], own: number): string {
  const kept = heads.filter((head, cell) => {
    if (cell === 0 || cell === own) return true;
    const isFigure = CACHE.test(apart(head)) || (LOAD.test(apart(head)) && !hasFilled(rows, cell));
    return !isFigure && !isConstant(digitsOf(rows, cell)) && !(OF_WORK.test(head.trim()) && isCountedAlong(rows, cell));
  });
  return kept.join('  ');
}

/**
 * Whether what stands beside a memory that grew by so many bytes accounts for it: the load, which rose, or caches, by
 * their bytes or by having filled at all.
 */
export function isExplained(heads: readonly string[], rows: readonly CourseRow[], own: number, grown: number): boolean {
  if (heads.some((head, cell) => cell > 0 && cell !== own && LOAD.test(apart(head)) && hasFilled(rows, cell)))
    return true;
  const caches = heads.flatMap((head, cell) =>
    cell !== own && CACHE.test(apart(head)) && !WORK_OF_CACHE.test(apart(head)) ? [cell] : [],
  );
  const sizes = caches.flatMap((cell) => bytesGrown(rows, cell, unitIn(heads[cell] ?? '')) ?? []);
  if (sizes.length > 0) return Math.max(...sizes) >= grown * EXPLAINS;
  return caches.some((cell) => hasFilled(rows, cell));
}

function hasFilled(rows: readonly CourseRow[], cell: number): boolean {
  const [first = 0, last = 0] = endsOf(digitsOf(rows, cell).map(numberOf));
  return last > first * (1 + EXPLAINS);
}

function apart(head: string): string {
  return head.replaceAll('_', ' ');
}

function digitsOf(rows: readonly CourseRow[], cell: number): readonly string[] {
  return rows.flatMap(({ values }) => values.find((value) => value.cell === cell)?.digits ?? []);
}

function isConstant(digits: readonly string[]): boolean {
  return digits.length > 1 && new Set(digits).size === 1;
}

// As many more in each round as in the first: done by then, and not asked at once. What is loaded so is another thing.
function isCountedAlong(rows: readonly CourseRow[], cell: number): boolean {
  if (rows.length < LEAST_COUNTED || rows.some(({ place }) => place.kind !== 'count' || place.at <= 0)) return false;
  const each = rows.map(({ place, values }) => {
    const digits = values.find((value) => value.cell === cell)?.digits;
    return digits === undefined ? Number.NaN : numberOf(digits) / place.at;
  });
  return Math.min(...each) > 0 && Math.max(...each) <= Math.min(...each) * ALIKE;
}

const LEAST_COUNTED = 3;
const ALIKE = 1.02;

function endsOf<T>(all: readonly T[]): readonly T[] {
  return [...all.slice(0, 1), ...all.slice(-1)];
}

function bytesGrown(rows: readonly CourseRow[], cell: number, common: string | undefined): number | undefined {
  const values = rows.flatMap((row) => row.values.find((value) => value.cell === cell) ?? []);
  const unit = common ?? values.map((value) => value.unit).find((one) => one !== undefined);
  if (unit === undefined || unit === '%') return undefined;
  const [first, last] = endsOf(values).map((value) => amountOf(value, unit));
  return first === undefined || last === undefined ? undefined : last - first;
}

/** Whether figures are of what is left: by the nearest words that say it; `free -g` is the name of a program. */
export function isLeft(words: readonly string[]): boolean {
  const apart = words.map((text) =>
    text
      .toLowerCase()
      .replaceAll('_', ' ')
      .replaceAll(/\bfree -\w/g, ''),
  );
  const said = apart.find((text) => LEFT.test(text) || USED.test(text)) ?? '';
  return LEFT.test(said) && !USED.test(said);
}

const LEFT = /\b(?:free|(?:mem)?avail\w*|mem ?free|left|remain\w*)\b/;
const USED = /\b(?:used?|usage|rss|working set|resident)\b/;
