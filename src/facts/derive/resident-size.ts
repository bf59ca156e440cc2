import type { Citation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import type { MetricId } from '../../model/metric-table.ts';
import { known } from '../pod/finding.ts';
import type { TextSeries } from '../text/text-series.ts';
import type { Evidence } from './evidence.ts';
import { textSeriesOf } from './figures.ts';
import { readResidentTables } from './resident-table.ts';
import { tailLines } from './tail-lines.ts';

type Reading = { readonly kib: number; readonly from: Citation };

// USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND, as `ps aux` prints it (procps, KiB).
const PS_ROW =
  /^\s{0,8}\S{1,64}\s{1,12}(\d{1,10})\s{1,12}[\d.]{1,8}\s{1,12}[\d.]{1,8}\s{1,12}\d{1,16}\s{1,12}(\d{1,14})\s/;
const LEAST = 3;
// Below these a process that works is as likely: pools and arenas fill in the first minutes.
const LEAST_GROWTH = 1.1;
const LEAST_KIB = 256 * 1024;
const KIB = 1024;

// One that rises at every single reading has no pool that fills, however small it is.
const EVERY_TIME = 5;
const EVERY_GROWTH = 1.5;

/** Whether `ps aux`, pasted again and again, a table over time or a metric noted over days shows a size that only rose. */
export function readResidentGrowth(evidence: Evidence): Fact | undefined {
  const { log } = evidence;
  const processes = new Map<string, Reading[]>();
  const lines = [log.main, ...log.notes].flatMap((reading) => (reading === undefined ? [] : tailLines(reading)));
  for (const from of lines) {
    const row = PS_ROW.exec(from.text);
    if (row === null) continue;
    const [, pid = '', kib = ''] = row;
    processes.set(pid, [...(processes.get(pid) ?? []), { kib: Number(kib), from }]);
  }
  const grown = [...processes.values()].find(hasGrown) ?? readResidentTables(lines).find(roseAlways);
  const noted = readSeriesGrowth(evidence, ['container.memory.rss', 'container.memory.working-set']);
  return grown === undefined ? noted : known(true, ...grown.map(({ from }) => from));
}

// A start and its warm-up are over by then.
const LEAST_SPAN_MS = 3 * 3_600_000;
// The pace of the last reading against that of all: less, and it comes to a rest.
const STILL_RISES = 0.35;

/** Whether a metric that people noted over hours or days only rose, and went on rising to the end. */
export function readSeriesGrowth(evidence: Evidence, ids: readonly MetricId[]): Fact | undefined {
  const grown = ids.flatMap((id) => textSeriesOf(evidence, id)).find(goesOn);
  return grown && known(true, ...grown.points.map(({ from }) => from));
}

/** Whether a course of memory rises at each reading, over hours or days and to its end. */
export function goesOn({ timed, points }: TextSeries): boolean {
  const [first, before, last] = [points[0], points.at(-2), points.at(-1)];
  if (first === undefined || before === undefined || last === undefined) return false;
  if (!timed || last.at - first.at < LEAST_SPAN_MS || last.at === before.at) return false;
  const pace = (last.value - before.value) / (last.at - before.at);
  const whole = (last.value - first.value) / (last.at - first.at);
  return hasGrown(points.map(({ value, from }) => ({ kib: value / KIB, from }))) && pace >= whole * STILL_RISES;
}

function hasGrown(readings: readonly Reading[]): boolean {
  const [first, last] = [readings[0]?.kib ?? 0, readings.at(-1)?.kib ?? 0];
  const rises = readings.every(({ kib }, at) => kib >= (readings[at - 1]?.kib ?? 0));
  return readings.length >= LEAST && rises && last >= first * LEAST_GROWTH && last - first >= LEAST_KIB;
}

function roseAlways(readings: readonly Reading[]): boolean {
  const [first, last] = [readings[0]?.kib ?? 0, readings.at(-1)?.kib ?? 0];
  const rises = readings.every(({ kib }, at) => at === 0 || kib > (readings[at - 1]?.kib ?? 0));
  return (readings.length >= EVERY_TIME && rises && last >= first * EVERY_GROWTH) || hasGrown(readings);
}
