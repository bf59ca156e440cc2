import type { Fact } from '../../model/fact.ts';
import { MIB } from '../../model/quantity.ts';
import { known } from '../pod/finding.ts';
import { type Course, isNoted, readCourses } from '../text/courses.ts';
import type { Evidence } from './evidence.ts';
import { keepsPace } from './series-growth.ts';
import { allLastLines } from './tail-lines.ts';

// A start and its warm-up are over by then; rounds of work come after them.
const LEAST_SPAN_MS = 3 * 3_600_000;
// Below these a process that works is as likely: pools and arenas fill.
const LEAST_PART = 0.1;
const LEAST_BYTES = 256 * MIB;
const LEAST_SHARE = 0.05;

/** Whether a memory only rose, by the readings in rows and tables that people keep. */
export function readCourseGrowth(evidence: Pick<Evidence, 'readings'>, memory: Course['memory']): Fact | undefined {
  const grown = readRisingCourses(evidence).find((course) => course.memory === memory && !isNoted(course));
  return grown && known(true, ...grown.points.map(({ from }) => from));
}

/** The courses that only rose, also those that stand in remarks. */
export function readRisingCourses({ readings }: Pick<Evidence, 'readings'>): readonly Course[] {
  return readings.logs.flatMap((log) => readCourses(allLastLines(log))).filter(rises);
}

/** Whether a course rises at each reading and to its end. */
function rises(course: Course): boolean {
  const points = untilReset(course);
  const [first, before, last] = [points[0], points.at(-2), points.at(-1)];
  if (first === undefined || before === undefined || last === undefined) return false;
  if (points.some(({ value }, at) => value < (points[at - 1]?.value ?? value))) return false;
  const grown = last.value - first.value;
  const enough = grown >= (course.unit === 'share' ? LEAST_SHARE : LEAST_BYTES) || risesAlways(points);
  if (!enough || grown < Math.abs(first.value) * LEAST_PART) return false;
  return goesOn(course.kind, points);
}

// One that rises at every single reading has no pool that fills, however small it is.
const EVERY_TIME = 5;
const EVERY_GROWTH = 1.5;

function risesAlways(points: readonly Point[]): boolean {
  const [first, last] = [points[0]?.value ?? 0, points.at(-1)?.value ?? 0];
  const always = points.every(({ value }, at) => at === 0 || value > (points[at - 1]?.value ?? 0));
  return points.length >= EVERY_TIME && always && last >= first * EVERY_GROWTH;
}

function goesOn(kind: Course['kind'], points: readonly Point[]): boolean {
  const [first, before, last] = [points.find(({ at }) => Number.isFinite(at)), points.at(-2), points.at(-1)];
  if (first === undefined || before === undefined || last === undefined) return false;
  const span = last.at - first.at;
  if (kind === 'time' && span < LEAST_SPAN_MS) return false;
  const step = Number.isFinite(before.at) ? last.at - before.at : 0;
  return step > 0 && span > 0 && keepsPace((last.value - before.value) / step, (last.value - first.value) / span);
}

type Point = { readonly at: number; readonly value: number };

// What is left falls as what is in use rises; behind a restart both begin anew.
function untilReset({ points, left }: Course): readonly Point[] {
  const used = left ? points.map(({ at, value }) => ({ at, value: -value })) : points;
  const end = left ? -1 : used.findIndex(({ value }, at) => at > 0 && value < (used[at - 1]?.value ?? 0) / 2);
  return end < 0 ? used : used.slice(0, end);
}
