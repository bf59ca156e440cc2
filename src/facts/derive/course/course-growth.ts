import { isRemark, type LineCitation } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import type { MetricId } from '../../../model/metric-table.ts';
import { known } from '../../pod/finding.ts';
import type { Course } from '../../text/course.ts';
import { memoryNamedIn } from '../../text/course-memory.ts';
import { readCourses } from '../../text/courses.ts';
import { anyOf } from '../../text/patterns.ts';
import { METRICS_FILE } from '../../text/prometheus.ts';
import { readRepeatedRows } from '../../text/repeated-rows.ts';
import type { TextSeries } from '../../text/text-series.ts';
import type { Evidence } from '../evidence.ts';
import { textSeriesOf } from '../figures.ts';
import { remarkLines } from '../guess/remark-lines.ts';
import { allLastLines } from '../weigh/tail-lines.ts';
import { outgrows, rising } from './rises.ts';

type Memory = Course['memory'];

/** The metrics that show how much of a memory is in use. */
const IN_USE: Readonly<Record<Memory, readonly MetricId[]>> = {
  gpu: ['gpu.framebuffer.used'],
  host: ['container.memory.rss', 'container.memory.working-set'],
};

/** Whether a memory only rose, by readings over hours, days or rounds of work: a metric, `ps`, or rows that people keep. */
export function readCourseGrowth(evidence: Evidence, memory: Memory): Fact | undefined {
  // A remark may head the rows below it.
  const lines = evidence.readings.logs.map((log) => allLastLines(log));
  return told(risingCourses(evidence, lines, memory, memoryNoted(evidence))[0]);
}

// Two readings may be of two loads; a third that goes on is no chance.
const LEAST_MEASURED = 3;

/** Whether three readings or more, which name their memory and when they were, prove that it rose by more than pools and arenas take. */
export function readMeasuredGrowth(evidence: Evidence, memory: Memory): Fact | undefined {
  const lines = evidence.readings.logs.map((log) => allLastLines(log).filter((line) => !isRemark(line)));
  // What names no memory would be of the other one.
  const measured = risingCourses(evidence, lines, memory, memory === 'gpu' ? 'host' : 'gpu').filter(
    ({ kind, points }) => kind !== 'order' && points.length >= LEAST_MEASURED,
  );
  return told(measured.find(outgrows));
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

function risingCourses(
  evidence: Evidence,
  lines: readonly (readonly LineCitation[])[],
  memory: Memory,
  unnamed?: Memory,
): readonly Course[] {
  const ofMetrics = inUse(evidence, memory).flatMap((one) => ofSeries(one, memory));
  const kept = lines
    .flatMap((own) => [...readCourses(own, unnamed), ...repeated(own, evidence)])
    .filter((course) => !isNoted(course));
  return [...ofMetrics, ...kept.filter((course) => course.memory === memory)].flatMap(rising);
}

// Of prints without a time those of a load would rise as well: somebody has to say how far they are apart.
const FAR_APART = anyOf(
  'm',
  /\b(?:hours?|\d{1,3} ?h|days?|weeks?|daily|hourly|nightly|overnight|(?:next|following|same) (?:day|morning|evening)|later|weekend|restart|what grows|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2}:\d{2}|\d[\d,]{0,9} (?:requests?|prompts?|images?))\b/,
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w{0,6} +\w{3} +\d|^#\s*\d{1,2}:\d{2}\b|小时|天/,
);

function repeated(own: readonly LineCitation[], evidence: Evidence): readonly Course[] {
  const notes = [...own, ...remarkLines(evidence).map(({ from }) => from)];
  return notes.some(({ text }) => FAR_APART.test(text)) ? readRepeatedRows(own) : [];
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
