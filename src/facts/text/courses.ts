import { isRemark, type LineCitation } from '../../model/citation.ts';
import { columnsOfOthers } from './container-columns.ts';
import type { Course, Memory } from './course.ts';
import { readColumnCourses } from './course-columns.ts';
import { memoryOf } from './course-memory.ts';
import { amountOf, bareUnit, type CourseRow, cellsOf, OF_WORK, readCourseRow } from './course-row.ts';
import { rowTimeAfter } from './row-time.ts';

type Row = { readonly row: CourseRow; readonly from: LineCitation };
/** Rows of one layout, the two lines above them, and those above the rows before, which may go on below a break. */
type Run = { readonly rows: Row[]; readonly above: readonly string[]; readonly before: readonly string[] };

const LEAST = 2;
const RULE = /^[\s#|:+=-]*$/;

/**
 * The courses in tables and rows that people wrote or pasted, whatever heads them; `lines` in the order of their file.
 * `unnamed`: which memory those are of that name none.
 */
export function readCourses(lines: readonly LineCitation[], unnamed?: Memory): readonly Course[] {
  return [
    ...runsOf(lines).flatMap((run) => coursesOf(run, unnamed)),
    ...readColumnCourses(lines, unnamed),
    ...lines.flatMap((line, at) => courseIn(line, lines[at - 1]?.text ?? '', unnamed)),
  ];
}

// `day 1 12.1 GiB -> day 2 29.8 -> day 3 41.9`, `6.1 / 7.4 / 8.8 / 10.2 GiB`: a course in one line.
const FIGURE = String.raw`[~≈]?(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,13})(?:\.\d{1,4})?(?:e\+?\d{1,2}|\s?(?:[KMGT]i?B?|%))?(?![\w.])`;
const STEP = String.raw`\s*(?:->|→|,|;|\/|>|\.{2,3}|\|)\s*(?:(?:day|d|hour|h|week|w|run|round|cycle)\s?\d{1,4}\s?:?\s*|(?:at |@ ?)?\d{1,2}:\d{2} |\d{2}-\d{2} )?`;
const INLINE = new RegExp(`(?<![\\w.,])${FIGURE}(?:${STEP}${FIGURE}){2,60}`, 'gi');
const EACH = new RegExp(`(?:^|${STEP})(${FIGURE})`, 'gi');
// `5.4 GB after start, 9 GB after 300 requests, 16.7 GB after 1,100`.
const SIZE = String.raw`[~≈]?\d[\d,]{0,12}(?:\.\d{1,4})?\s?[KMGT]i?B`;
const AFTER = String.raw`\s(?:after|at)\s[^;>→]{1,30}?`;
const INLINE_AFTER = new RegExp(`(?<![\\w.,])${SIZE}(?:${AFTER}[,;]\\s(?:and |then )?${SIZE}){2,60}`, 'i');
const EACH_AFTER = new RegExp(`(${SIZE})(?![\\w.])`, 'gi');

const OWN_NAME = /\b(?:rss|res|vmrss|vram|ram|%memused|working set)\b[\s:=%]{0,4}$/;
const NAME_REACH = 12;
// `8 GB, 11 GB, 13 GB (three models)`.
const OF_SEVERAL =
  /^[^\n]{0,24}\(?\b(?:two|three|four|five|\d) (?:\w+ )?(?:models|pods|replicas|versions|sizes|cards|workers)\b/i;
// Three numbers without a unit may be anything.
const LEAST_BARE = 4;

function courseIn(from: LineCitation, above: string, unnamed: Memory | undefined): readonly Course[] {
  const rows = [...from.text.matchAll(INLINE)];
  const others = rows.length === 0 ? INLINE_AFTER.exec(from.text) : null;
  return [...rows, ...(others === null ? [] : [others])].flatMap((found) =>
    courseOfLine({ from, above, unnamed, found, isRow: others === null }),
  );
}

type Inline = {
  readonly from: LineCitation;
  readonly above: string;
  readonly unnamed: Memory | undefined;
  readonly found: RegExpExecArray;
  readonly isRow: boolean;
};

function courseOfLine({ from, above, unnamed, found, isRow }: Inline): readonly Course[] {
  const amounts = [...found[0].matchAll(isRow ? EACH : EACH_AFTER)].map(([, amount = '']) =>
    amount.replace(/^[~≈]/, ''),
  );
  const lead = from.text.slice(0, found.index).toLowerCase();
  // What stands right before the figures names them.
  const words = OWN_NAME.test(lead) ? [lead.slice(-NAME_REACH)] : [lead, above.toLowerCase()].map(withoutBrackets);
  const common =
    amounts.map((amount) => /[KMGT]i?B?$|%$/i.exec(amount)?.[0]).find((unit) => unit !== undefined) ??
    /%(?=[^%]{0,24}$)/.exec(words[0] ?? '')?.[0] ??
    // Prometheus writes so what it has in bytes.
    (amounts.every((amount) => /e\+?\d/i.test(amount)) ? 'bytes' : undefined);
  const memory = memoryOf({ words, further: words, rows: [], unnamed });
  const points = amounts.flatMap((amount, at) => {
    const [, digits = '', unit] = /^([\d.,]+(?:e\+?\d+)?)\s?(\S+)?$/i.exec(amount) ?? [];
    const value = amountOf({ digits, unit }, common);
    return value === undefined ? [] : [{ at, value, from }];
  });
  const inOrder = !isRow || isInOrder(from.text, above, found[0]);
  const behind = from.text.slice(found.index + found[0].length);
  const isList = amounts.length >= LEAST_BARE || amounts.every((amount) => /[KMGT]i?B?$|%$|e/i.test(amount));
  if (!isList || OF_SEVERAL.test(behind) || memory === undefined || points.length < amounts.length || !inOrder)
    return [];
  return [{ memory, unit: common === '%' ? 'share' : 'bytes', left: isLeft(words), kind: 'count', points }];
}

// Figures with arrows or dates between them follow each other; a list of them may be of several processes.
const ARROW = /->|→|>|\.{2,3}|\b\d{2}-\d{2} \d/;
const ONE_AFTER_ANOTHER =
  /\b(?:after|over|per|each|every|days?|hours?|weeks?|runs?|rounds?|cycles?|iterations?|steps?|pairs?|uptime|time|later|daily|hourly|log)\b|小时|天|轮|次/i;

function isInOrder(text: string, above: string, found: string): boolean {
  return ARROW.test(found) || ONE_AFTER_ANOTHER.test(`${above} ${text}`);
}

function runsOf(lines: readonly LineCitation[]): readonly Run[] {
  const runs: Run[] = [];
  let above: string[] = [];
  let run: Run | undefined;
  for (const from of lines) {
    if (RULE.test(from.text)) continue;
    const before = run?.rows.at(-1)?.row;
    const row = readCourseRow(from.text, run?.above.at(-1) ?? above.at(-1), before?.place.kind === 'count');
    const next = before && row && { ...row, place: { ...row.place, at: rowTimeAfter(before.place.at, row.place) } };
    const alike = run?.rows[0] !== undefined && isRemark(run.rows[0].from) === isRemark(from);
    if (next !== undefined && alike && follows(before, next)) {
      run?.rows.push({ row: next, from });
      continue;
    }
    run = row === undefined ? undefined : { rows: [{ row, from }], above, before: headsOfLast(runs) };
    if (run !== undefined) runs.push(run);
    above = row === undefined ? [...above.slice(-1), from.text] : above;
  }
  return runs.filter(({ rows }) => rows.length >= LEAST);
}

function headsOfLast(runs: readonly Run[]): readonly string[] {
  return runs.at(-1)?.above ?? [];
}

function follows(before: CourseRow | undefined, row: CourseRow): boolean {
  if (before === undefined || row.place.kind === 'start') return false;
  const same = before.place.kind === row.place.kind || before.place.kind === 'start';
  return same && row.place.at >= before.place.at && isAlike(before, row);
}

function isAlike(before: CourseRow, row: CourseRow): boolean {
  return (
    before.values.length === row.values.length &&
    row.values.every(({ label }, at) => before.place.kind === 'start' || label === before.values[at]?.label)
  );
}

function coursesOf({ rows, above, before }: Run, unnamed: Memory | undefined): readonly Course[] {
  const last = rows.at(-1)?.row;
  const kind = last?.place.kind;
  if (last === undefined || kind === undefined || kind === 'start') return [];
  const heads = headOf(above, last);
  const others = columnsOfOthers(heads);
  return last.values.flatMap((value, index) => {
    if (others.has(value.cell) || OF_WORK.test(heads[value.cell] ?? '')) return [];
    const column = (heads[value.cell] ?? '').toLowerCase();
    const words = [value.label, column, ...above.map(withoutBrackets).toReversed()];
    const further = [...words, ...before.map(withoutBrackets).toReversed()];
    const memory = memoryOf({ words, further, rows: rows.map(({ from }) => from.text), unnamed });
    const common =
      unitIn(column) ??
      above.map(unitIn).findLast((unit) => unit !== undefined) ??
      bareUnit(words) ??
      unitOf(rows, index);
    const points = rows.flatMap(({ row, from }) => {
      const own = row.values[index];
      const amount = own && amountOf(own, common);
      return amount === undefined ? [] : [{ at: row.place.at, value: amount, from }];
    });
    const unit = (value.unit ?? common) === '%' ? 'share' : 'bytes';
    const left = isLeft([value.label, column, ...above.toReversed()]);
    return memory === undefined || points.length < rows.length ? [] : [{ memory, unit, left, kind, points }];
  });
}

// The nearest words that say it; `free -g` is the name of a program.
function isLeft(words: readonly string[]): boolean {
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

// Many write it in the first row and no more.
function unitOf(rows: readonly Row[], index: number): string | undefined {
  return rows.map(({ row }) => row.values[index]?.unit).find((unit) => unit !== undefined);
}

// `kubectl top pod`, of which people write the time in front of each row.
const OF_TOP = /^NAME CPU\(cores\) /;

// The head is the line right above, where it has as many cells.
function headOf(above: readonly string[], { cells }: CourseRow): readonly string[] {
  const all = cellsOf(above.at(-1) ?? '');
  const head = /^\(\w{1,5}\)$/.test(all.at(-1) ?? '') ? all.slice(0, -1) : all;
  if (cells <= 1) return [];
  // What heads the column of times is often left blank.
  const isBlank = head.length === cells - 1 && (head.length < all.length || OF_TOP.test(all.join(' ')));
  return head.length === cells ? head : isBlank ? ['', ...head] : [];
}

const UNIT_IN = /(?:[\s_,([]|^)(KiB|MiB|GiB|TiB|KB|MB|GB|TB|Ki|Mi|Gi|bytes|%)(?=[\s,)\].:_]|MEM\b|$)/gi;

function unitIn(text: string): string | undefined {
  return [...withoutBrackets(text).matchAll(UNIT_IN)].at(-1)?.[1];
}

// The limit and the card that a heading names beside are not what was read.
function withoutBrackets(text: string): string {
  return text
    .replaceAll(/\([^()]*\b(?:limit|total|of|card)\b[^()]*\)/gi, '')
    .replaceAll(/\blimit(?:ed)? (?:is |of |to |= ?)?\d[\d.]{0,8} ?[KMGT]i?B?\b/gi, '');
}
