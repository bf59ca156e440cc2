import type { MetricId } from '../../model/metric-table.ts';
import { readMetricsText } from '../text/metrics-text.ts';
import type { Evidence } from './evidence.ts';
import { FAILS, type Family } from './family.ts';
import { type Read, remarkLines } from './remarks.ts';
import { goesOn } from './resident-size.ts';

type Course = { readonly ids: readonly MetricId[]; readonly family: Pick<Family, 'plane' | 'starting' | 'serving'> };

const COURSES: readonly Course[] = [
  {
    ids: ['gpu.framebuffer.used'],
    family: { plane: 'gpu', starting: 'gpu.startup.weights', serving: 'gpu.chronic.leak' },
  },
  {
    ids: ['container.memory.rss', 'container.memory.working-set'],
    family: { plane: 'host', starting: 'host.startup.weight-staging', serving: 'host.chronic.leak' },
  },
];

/** The memory that only rose over hours or days by the readings that stand in remarks: for a guess, as all that stands there. */
export function readNotedCourses(evidence: Pick<Evidence, 'readings'>): readonly Read[] {
  const own = remarkLines(evidence);
  const { series } = readMetricsText(own.map(({ text }) => text).join('\n'));
  return COURSES.flatMap(({ ids, family }) => {
    const last = series
      .filter(({ id }) => ids.some((known) => known === id))
      .find(goesOn)
      ?.points.at(-1)?.from;
    const from = last?.kind === 'line' ? own[last.line - 1]?.from : undefined;
    return from === undefined ? [] : [{ family, score: FAILS, from }];
  });
}
