import { isRemark } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import type { MetricId } from '../../../model/metric-table.ts';
import { MIB } from '../../../model/quantity.ts';
import { known } from '../../pod/finding.ts';
import type { Course } from '../../text/course.ts';
import { memoryNamedIn } from '../../text/course-memory.ts';
import { readCourses } from '../../text/courses.ts';
import { METRICS_FILE } from '../../text/prometheus.ts';
import { readPsCourses } from '../../text/ps-rows.ts';
import type { TextSeries } from '../../text/text-series.ts';
import type { Evidence } from '../evidence.ts';
import { textSeriesOf } from '../figures.ts';
import { remarkLines } from '../guess/remarks.ts';
import { allLastLines } from '../weigh/tail-lines.ts';

type Memory = Course['memory'];

/** The metrics that show how much of a memory is in use. */
const IN_USE: Readonly<Record<Memory, readonly MetricId[]>> = {
  gpu: ['gpu.framebuffer.used'],
  host: ['container.memory.rss', 'container.memory.working-set'],
};

// A start and its warm-up are over by then; rounds of work come after them.
const LEAST_SPAN_MS = 3 * 3_600_000;
const LEAST_READINGS = 3;
// Below these a process that works is as likely: pools and arenas fill.
const LEAST_PART = 0.1;
const LEAST_BYTES = 256 * MIB;
const LEAST_SHARE = 0.05;
// A hundredth of a server's RAM is gigabytes, where it is much of what the process held.
const SMALL_SHARE = 0.01;
const LARGE_PART = 0.3;

/** Whether a memory only rose, by readings over hours, days or rounds of work: a metric, `ps`, or rows that people keep. */
export function readCourseGrowth(evidence: Evidence, memory: Memory): Fact | undefined {
  return told(risingCourses(evidence, memory)[0]);
}

// What people say beside their figures names the memory that their table leaves out.
function memoryNoted(evidence: Evidence): Memory | undefined {
  const metrics = evidence.readings.logs.filter(({ file }) => file === METRICS_FILE).flatMap(allLastLines);
  return memoryNamedIn([...remarkLines(evidence).map(({ from }) => from), ...metrics]);
}

function told(course: Course | undefined): Fact | undefined {
  const [first, last] = [course?.points[0], course?.points.at(-1)];
  return first && last && known(true, first.from, last.from);
}

function isNoted({ points }: Course): boolean {
  return points.some(({ from }) => isRemark(from));
}

function risingCourses(evidence: Evidence, memory: Memory): readonly Course[] {
  const ofMetrics = inUse(evidence, memory).flatMap((one) => ofSeries(one, memory));
  // A remark may head the rows below it.
  const lines = evidence.readings.logs.map((log) => allLastLines(log));
  const unnamed = memoryNoted(evidence);
  const kept = lines
    .flatMap((own) => [...readPsCourses(own), ...readCourses(own, unnamed)])
    .filter((course) => !isNoted(course));
  return [...ofMetrics, ...kept.filter((course) => course.memory === memory)].flatMap(rising);
}

// A working set holds pages of files: where the resident size is told as well, that is what the process keeps.
function inUse(evidence: Evidence, memory: Memory): readonly TextSeries[] {
  const [own = [], ...others] = IN_USE[memory].map((id) => textSeriesOf(evidence, id));
  return own.length > 0 ? own : others.flat();
}

/** The courses of a memory in series that were read from a text and in its lines, which only rose. */
export function risingIn(
  series: readonly TextSeries[],
  lines: Parameters<typeof readCourses>[0],
  memory: Memory,
): readonly Course[] {
  const own = series.filter(({ id }) => IN_USE[memory].some((known) => known === id));
  const kept = readCourses(lines, memoryNamedIn(lines)).filter((course) => course.memory === memory);
  return [...own.flatMap((one) => ofSeries(one, memory)), ...kept].flatMap(rising);
}

// Without times nothing tells how far its readings are apart.
function ofSeries({ timed, points }: TextSeries, memory: Memory): readonly Course[] {
  return timed ? [{ memory, unit: 'bytes', left: false, kind: 'time', points }] : [];
}

/** The course up to its reset, where it rises at each reading and to its end. */
function rising(course: Course): readonly Course[] {
  const own = untilReset(course);
  const used = own.left ? own.points.map(({ at, value }) => ({ at, value: -value })) : own.points;
  const [first, last] = [used[0], used.at(-1)];
  if (first === undefined || last === undefined || used.length < LEAST_READINGS) return [];
  if (used.some(({ value }, at) => value < (used[at - 1]?.value ?? value))) return [];
  const grown = last.value - first.value;
  const part = grown / Math.abs(first.value);
  const much = course.unit === 'share' ? isMuchShare(grown, part) : grown >= LEAST_BYTES;
  const often = used.length >= EVERY_TIME || (course.unit === 'bytes' && grown >= LARGE_BYTES);
  const enough = (much && part >= LEAST_PART) || (often && risesAlways(used) && (much || part >= ALWAYS_PART));
  return enough && goesOn(course.kind, used) ? [own] : [];
}

function isMuchShare(grown: number, part: number): boolean {
  return grown >= LEAST_SHARE || (grown >= SMALL_SHARE && part >= LARGE_PART);
}

type Point = { readonly at: number; readonly value: number };

// One that rises at every single reading has no pool that fills, be it small or on a card that the pool fills from the start;
// by a gibibyte fewer readings will do.
const EVERY_TIME = 5;
const FEWER_TIMES = 4;
const LARGE_BYTES = 1024 * MIB;
const ALWAYS_PART = 0.5;

function risesAlways(points: readonly Point[]): boolean {
  return points.length >= FEWER_TIMES && points.slice(1).every(({ value }, at) => value > (points[at]?.value ?? value));
}

function goesOn(kind: Course['kind'], points: readonly Point[]): boolean {
  const [first, before, last] = [points.find(({ at }) => Number.isFinite(at)), points.at(-2), points.at(-1)];
  if (first === undefined || before === undefined || last === undefined) return false;
  const span = last.at - first.at;
  const step = Number.isFinite(before.at) ? last.at - before.at : 0;
  if (step <= 0 || span <= 0 || (kind === 'time' && span < LEAST_SPAN_MS)) return false;
  return keepsPace((last.value - before.value) / step, (last.value - first.value) / span);
}

const STILL_RISES = 0.35;

/** The pace of the last reading against that of all: less, and it comes to a rest. */
export function keepsPace(last: number, whole: number): boolean {
  return last >= whole * STILL_RISES;
}

const RESET = 0.5;

// Behind a restart it begins anew.
function untilReset(course: Course): Course {
  const { left, points } = course;
  const end = points.findIndex(({ value }, at) => at > 0 && value < (points[at - 1]?.value ?? 0) * RESET);
  return left || end < 0 ? course : { ...course, points: points.slice(0, end) };
}
