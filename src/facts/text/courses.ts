import { type Citation, isRemark, type LineCitation } from '../../model/citation.ts';
import { columnsOfOthers } from './container-columns.ts';
import { amountOf, type CourseRow, cellsOf, readCourseRow } from './course-row.ts';
import { rowTimeAfter } from './row-time.ts';

/** A memory in use, read again and again by people: points in the order of the text. */
export type Course = {
  readonly memory: 'gpu' | 'host';
  readonly unit: 'bytes' | 'share';
  /** Whether what is left is told and not what is in use. */
  readonly left: boolean;
  readonly kind: 'time' | 'count';
  readonly points: readonly { readonly at: number; readonly value: number; readonly from: Citation }[];
};

type Row = { readonly row: CourseRow; readonly from: LineCitation };
/** Rows of one layout, the two lines above them, and those above the rows before, which may go on below a break. */
type Run = { readonly rows: Row[]; readonly above: readonly string[]; readonly before: readonly string[] };

const LEAST = 3;
const RULE = /^[\s#|:+=-]*$/;

/** The courses in tables and rows that people wrote or pasted, whatever heads them; `lines` in the order of their file. */
export function readCourses(lines: readonly LineCitation[]): readonly Course[] {
  return [...runsOf(lines).flatMap(coursesOf), ...lines.flatMap((line, at) => courseIn(line, lines[at - 1]?.text))];
}

// `day 1 12.1 GiB -> day 2 29.8 -> day 3 41.9`, `6.1 / 7.4 / 8.8 / 10.2 GiB`: a course in one line.
const FIGURE = String.raw`[~≈]?\d[\d,]{0,12}(?:\.\d{1,4})?\s?(?:[KMGT]i?B?|%)?(?![\w.])`;
const STEP = String.raw`\s*(?:->|→|,|;|\/|>|\.{2,3})\s*(?:(?:day|d|hour|h|week|w|run|round|cycle)\s?\d{1,4}\s?:?\s*)?`;
const INLINE = new RegExp(`(?<![\\w.,])${FIGURE}(?:${STEP}${FIGURE}){3,60}`, 'i');
const EACH = new RegExp(`(?:^|${STEP})(${FIGURE})`, 'gi');
// `5.4 GB after start, 9 GB after 300 requests, 16.7 GB after 1,100`.
const SIZE = String.raw`[~≈]?\d[\d,]{0,12}(?:\.\d{1,4})?\s?[KMGT]i?B`;
const AFTER = String.raw`\s(?:after|at)\s[^;>→]{1,30}?`;
const INLINE_AFTER = new RegExp(`(?<![\\w.,])${SIZE}(?:${AFTER}[,;]\\s(?:and |then )?${SIZE}){2,60}`, 'i');
const EACH_AFTER = new RegExp(`(${SIZE})(?![\\w.])`, 'gi');

function courseIn(from: LineCitation, above = ''): readonly Course[] {
  const row = INLINE.exec(from.text);
  const found = row ?? INLINE_AFTER.exec(from.text);
  if (found === null) return [];
  const amounts = [...found[0].matchAll(row === null ? EACH_AFTER : EACH)].map(([, amount = '']) =>
    amount.replace(/^[~≈]/, ''),
  );
  const common = amounts.map((amount) => /[KMGT]i?B?$|%$/i.exec(amount)?.[0]).find((unit) => unit !== undefined);
  const memory = memoryOf([from.text.slice(0, found.index).toLowerCase(), above.toLowerCase()].map(withoutBrackets));
  const points = amounts.flatMap((amount, at) => {
    const [, digits = '', unit] = /^([\d.,]+)\s?(\S+)?$/.exec(amount) ?? [];
    const value = amountOf({ digits, unit }, common);
    return value === undefined ? [] : [{ at, value, from }];
  });
  if (memory === undefined || points.length < amounts.length) return [];
  return [{ memory, unit: common === '%' ? 'share' : 'bytes', left: false, kind: 'count', points }];
}

function runsOf(lines: readonly LineCitation[]): readonly Run[] {
  const runs: Run[] = [];
  let above: string[] = [];
  let run: Run | undefined;
  for (const from of lines) {
    if (RULE.test(from.text)) continue;
    const row = readCourseRow(from.text, run?.above.at(-1) ?? above.at(-1));
    const before = run?.rows.at(-1)?.row;
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

function coursesOf({ rows, above, before }: Run): readonly Course[] {
  const last = rows.at(-1)?.row;
  const kind = last?.place.kind;
  if (last === undefined || kind === undefined || kind === 'start') return [];
  const heads = headOf(above, last);
  const others = columnsOfOthers(heads);
  return last.values.flatMap((value, index) => {
    if (others.has(value.cell)) return [];
    const column = (heads[value.cell] ?? '').toLowerCase();
    const words = [value.label, column, ...above.map(withoutBrackets).toReversed()];
    const memory = memoryOf(words) ?? memoryOf([...words, ...before.map(withoutBrackets).toReversed()]);
    const common = unitIn(column) ?? above.map(unitIn).findLast((unit) => unit !== undefined) ?? bareUnit(words);
    const points = rows.flatMap(({ row, from }) => {
      const own = row.values[index];
      const amount = own && amountOf(own, common);
      return amount === undefined ? [] : [{ at: row.place.at, value: amount, from }];
    });
    const unit = (value.unit ?? common) === '%' ? 'share' : 'bytes';
    const left = /\b(?:free|avail\w*|left|remain\w*)\b/.test(`${value.label} ${column}`);
    return memory === undefined || points.length < rows.length ? [] : [{ memory, unit, left, kind, points }];
  });
}

// The head is the line right above, where it has as many cells.
function headOf(above: readonly string[], { cells }: CourseRow): readonly string[] {
  const head = cellsOf(above.at(-1) ?? '');
  return head.length === cells && cells > 1 ? head : [];
}

const UNIT_IN = /(?:[\s_,([]|^)(KiB|MiB|GiB|TiB|KB|MB|GB|TB|Ki|Mi|Gi|bytes|%)(?=[\s,)\].:]|$)/gi;

function unitIn(text: string): string | undefined {
  return [...withoutBrackets(text).matchAll(UNIT_IN)].at(-1)?.[1];
}

// The limit and the card that a heading names beside are not what was read.
function withoutBrackets(text: string): string {
  return text
    .replaceAll(/\([^()]*\b(?:limit|total|of|card)\b[^()]*\)/gi, '')
    .replaceAll(/\blimit(?:ed)? (?:is |of |to |= ?)?\d[\d.]{0,8} ?[KMGT]i?B?\b/gi, '');
}

// ps and /proc print a resident size in KiB.
function bareUnit([label = '', column = '']: readonly string[]): string | undefined {
  return /\b(?:rss|vmrss)\b/.test(`${label} ${column}`) ? 'KiB' : undefined;
}

const DEVICE =
  /\b(?:gpus?\d{0,2}|vram|hbm|cuda|nvidia-smi|device mem\w*|frame ?buffer|memory\.(?:used|free))\b|dcgm_fi_dev_fb|显存/i;
const HOST =
  /\b(?:rss\w*|vmrss|ram|res|host|container|pod|cgroup|working set|resident|kubectl top|free -\w|psutil|mem(?:ory)?)\b|内存/i;
// What a pool, a cache or a disk holds grows by design.
const OTHER = /\b(?:kv|cache[ds]?|tokens?|pool|disk|swap|vsz|virt|virtual|limit|total|cpu|shm|peak)\b|util/i;

// Rows of settings that were tried, or of sizes that were asked for, are no course of one process.
const TRIED =
  /\b(?:limits?|raised|tried|gave|given|needs?|needed|required|fractions?|download|loads|batch(?:es)?|prompts?|concurrency|contexts?|lengths?|tokens|adapters?|models?|cards?|tenants?|settings?|\w*cache\w*|buff|files?)\b/i;

// What has been sent by then is a count, as of iterations; what is the same each time was not tried.
const COUNTED_OFF =
  /\b(?:prompts?|images?|requests?|messages?) (?:sent|done|served|processed|answered|so far)\b|\b(?:the|of) same (?:\w+ )?(?:prompts?|images?|batch(?:es)?|models?)\b/gi;

// The nearest words decide; a name of neither memory leaves it to the words further off. Memory without a name is RAM: the
// engines set the device's aside at once.
function memoryOf(words: readonly string[]): Course['memory'] | undefined {
  if (words.some((text) => TRIED.test(text.replaceAll(/[_{}]/g, ' ').replaceAll(COUNTED_OFF, '')))) return undefined;
  for (const text of words) {
    const apart = text.replaceAll(/[_{}]/g, ' ');
    if (OTHER.test(apart)) return undefined;
    if (DEVICE.test(text)) return 'gpu';
    if (HOST.test(apart)) return words.some((one) => DEVICE.test(one)) ? undefined : 'host';
  }
  return undefined;
}
