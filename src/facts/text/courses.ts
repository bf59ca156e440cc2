import { isRemark, type LineCitation } from '../../model/citation.ts';
import { columnsOfOthers } from './container-columns.ts';
import type { Course, Memory } from './course.ts';
import { readColumnCourses } from './course-columns.ts';
import { headOf, headsBeside, isExplained, isLeft, unitIn, withoutBrackets } from './course-heads.ts';
import { courseIn } from './course-inline.ts';
import { memoryOf } from './course-memory.ts';
import { type CourseRow, OF_WORK, readCourseRow, readEndRow } from './course-row.ts';
import { amountOf, bareUnit } from './course-value.ts';
import { rowTimeAfter } from './row-time.ts';

type Row = { readonly row: CourseRow; readonly from: LineCitation };
/** Rows of one layout, the two lines above them, and those above the rows before, which may go on below a break. */
type Run = {
  readonly rows: Row[];
  readonly above: readonly string[];
  readonly before: readonly string[];
  endedAt?: number | undefined;
};

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

function runsOf(lines: readonly LineCitation[]): readonly Run[] {
  const runs: Run[] = [];
  let above: string[] = [];
  let run: Run | undefined;
  for (const from of lines) {
    if (RULE.test(from.text)) continue;
    const { row, next, endedAt } = stepOf(run, above, from);
    if (run !== undefined) run.endedAt ??= endedAt;
    if (next !== undefined) {
      run?.rows.push({ row: next, from });
      continue;
    }
    const ends = endedAt !== undefined;
    run = row === undefined || ends ? undefined : { rows: [{ row, from }], above, before: headsOfLast(runs) };
    if (run !== undefined) runs.push(run);
    above = row === undefined && !ends ? [...above.slice(-1), from.text] : above;
  }
  return runs.filter(({ rows }) => rows.length >= LEAST);
}

type Step = {
  readonly row: CourseRow | undefined;
  /** The row as the next of its run. */
  readonly next?: CourseRow | undefined;
  readonly endedAt?: number | undefined;
};

function stepOf(run: Run | undefined, above: readonly string[], from: LineCitation): Step {
  const last = run?.rows.at(-1);
  const row = readCourseRow(from.text, run?.above.at(-1) ?? above.at(-1), last?.row.place.kind === 'count');
  if (run === undefined || last === undefined) return { row };
  const next = row && { ...row, place: { ...row.place, at: rowTimeAfter(last.row.place.at, row.place) } };
  const isNext = next !== undefined && isRemark(last.from) === isRemark(from) && follows(last.row, next);
  return { row, next: isNext ? next : undefined, endedAt: endOf(run, from) };
}

function endOf({ rows, above }: Run, { text }: LineCitation): number | undefined {
  const last = rows.at(-1)?.row.place;
  const place = last && readEndRow(text, above.at(-1), last.kind === 'count');
  return place?.kind === last?.kind ? last && place && rowTimeAfter(last.at, place) : undefined;
}

function headsOfLast(runs: readonly Run[]): readonly string[] {
  return runs.at(-1)?.above ?? [];
}

function follows(before: CourseRow, row: CourseRow): boolean {
  if (row.place.kind === 'start') return false;
  const same = before.place.kind === row.place.kind || before.place.kind === 'start';
  return same && row.place.at >= before.place.at && isAlike(before, row);
}

function isAlike(before: CourseRow, row: CourseRow): boolean {
  return (
    before.values.length === row.values.length &&
    row.values.every(({ label }, at) => before.place.kind === 'start' || label === before.values[at]?.label)
  );
}

function coursesOf(run: Run, unnamed: Memory | undefined): readonly Course[] {
  const last = run.rows.at(-1)?.row;
  if (last === undefined || last.place.kind === 'start') return [];
  const heads = headOf(run.above, last);
  const others = columnsOfOthers(heads);
  const { kind } = last.place;
  return last.values.flatMap(({ cell }, index) => {
    if (others.has(cell) || OF_WORK.test(heads[cell] ?? '')) return [];
    const course = courseAt(run, heads, index, unnamed);
    return course === undefined ? [] : [{ ...course, kind, endedAt: run.endedAt }];
  });
}

function courseAt(
  { rows, above, before }: Run,
  heads: readonly string[],
  index: number,
  unnamed: Memory | undefined,
): Omit<Course, 'kind'> | undefined {
  const read = rows.map(({ row }) => row);
  const { label = '', cell = 0, unit: written } = read.at(-1)?.values[index] ?? {};
  const column = (heads[cell] ?? '').toLowerCase();
  const told = heads.length === 0 ? above : [...above.slice(0, -1), headsBeside(heads, read, cell)];
  const words = [label, column, ...told.map(withoutBrackets).toReversed()];
  const common = unitIn(column) ?? unitAbove(above) ?? bareUnit(words) ?? unitOf(rows, index);
  const points = pointsOf(rows, index, common);
  const unit = (written ?? common) === '%' ? 'share' : 'bytes';
  if (points.length < rows.length || (unit === 'bytes' && isExplained(heads, read, cell, grownBy(points))))
    return undefined;
  const further = [...words, ...before.map(withoutBrackets).toReversed()];
  const memory = memoryOf({ words, further, rows: rows.map(({ from }) => from.text), unnamed });
  return memory && { memory, unit, left: isLeft([label, column, ...told.toReversed()]), points };
}

function grownBy(points: Course['points']): number {
  return (points.at(-1)?.value ?? 0) - (points[0]?.value ?? 0);
}

function pointsOf(rows: readonly Row[], index: number, common: string | undefined): Course['points'] {
  return rows.flatMap(({ row, from }) => {
    const own = row.values[index];
    const amount = own && amountOf(own, common);
    return amount === undefined ? [] : [{ at: row.place.at, value: amount, from }];
  });
}

function unitAbove(above: readonly string[]): string | undefined {
  return above.map(unitIn).findLast((unit) => unit !== undefined);
}

// Many write it in the first row and no more.
function unitOf(rows: readonly Row[], index: number): string | undefined {
  return rows.map(({ row }) => row.values[index]?.unit).find((unit) => unit !== undefined);
}
