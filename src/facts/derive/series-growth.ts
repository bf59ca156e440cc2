import type { Fact } from '../../model/fact.ts';
import type { MetricId } from '../../model/metric-table.ts';
import { known } from '../pod/finding.ts';
import type { TextSeries } from '../text/text-series.ts';
import type { Evidence } from './evidence.ts';
import { textSeriesOf } from './figures.ts';
import { hasGrown } from './resident-size.ts';

/** The metrics that show how much of a memory is in use. */
export const IN_USE: Readonly<Record<'gpu' | 'host', readonly MetricId[]>> = {
  gpu: ['gpu.framebuffer.used'],
  host: ['container.memory.rss', 'container.memory.working-set'],
};

const KIB = 1024;
// A start and its warm-up are over by then.
const LEAST_SPAN_MS = 3 * 3_600_000;

/** Whether a metric that people noted over hours or days only rose, and went on rising to the end. */
export function readSeriesGrowth(evidence: Evidence, memory: 'gpu' | 'host'): Fact | undefined {
  const grown = IN_USE[memory].flatMap((id) => textSeriesOf(evidence, id)).find(keepsRising);
  return grown && known(true, ...grown.points.map(({ from }) => from));
}

/** Whether a course of memory rises at each reading, over hours or days and to its end. */
export function keepsRising({ timed, points }: TextSeries): boolean {
  const [first, before, last] = [points[0], points.at(-2), points.at(-1)];
  if (first === undefined || before === undefined || last === undefined) return false;
  if (!timed || last.at - first.at < LEAST_SPAN_MS || last.at === before.at) return false;
  const pace = (last.value - before.value) / (last.at - before.at);
  const whole = (last.value - first.value) / (last.at - first.at);
  return hasGrown(points.map(({ value, from }) => ({ kib: value / KIB, from }))) && keepsPace(pace, whole);
}

const STILL_RISES = 0.35;

/** The pace of the last reading against that of all: less, and it comes to a rest. */
export function keepsPace(last: number, whole: number): boolean {
  return last >= whole * STILL_RISES;
}
