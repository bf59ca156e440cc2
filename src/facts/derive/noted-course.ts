import { isNoted } from '../text/courses.ts';
import { readMetricsText } from '../text/metrics-text.ts';
import { readRisingCourses } from './course-growth.ts';
import type { Evidence } from './evidence.ts';
import { FAILS, type Family } from './family.ts';
import { type Read, remarkLines } from './remarks.ts';
import { IN_USE, keepsRising } from './series-growth.ts';

const FAMILIES: readonly Pick<Family & { plane: 'gpu' | 'host' }, 'plane' | 'starting' | 'serving'>[] = [
  { plane: 'gpu', starting: 'gpu.startup.weights', serving: 'gpu.chronic.leak' },
  { plane: 'host', starting: 'host.startup.weight-staging', serving: 'host.chronic.leak' },
];

/** The memory that only rose over hours or days by the readings that stand in remarks: for a guess, as all that stands there. */
export function readNotedCourses(evidence: Pick<Evidence, 'readings'>): readonly Read[] {
  const own = remarkLines(evidence);
  const { series } = readMetricsText(own.map(({ text }) => text).join('\n'));
  const rising = readRisingCourses(evidence).filter(isNoted);
  return FAMILIES.flatMap((family) => {
    const course = rising.find(({ memory }) => memory === family.plane)?.points.at(-1)?.from;
    if (course !== undefined) return [{ family, score: FAILS, from: course }];
    const last = series
      .filter(({ id }) => IN_USE[family.plane].some((known) => known === id))
      .find(keepsRising)
      ?.points.at(-1)?.from;
    const from = last?.kind === 'line' ? own[last.line - 1]?.from : undefined;
    return from === undefined ? [] : [{ family, score: FAILS, from }];
  });
}
