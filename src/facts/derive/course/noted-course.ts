import { readMetricsText } from '../../text/metrics-text.ts';
import type { Evidence } from '../evidence.ts';
import { FAILS, type Family, type Read } from '../guess/family.ts';
import { remarkLines } from '../guess/remark-lines.ts';
import { risingIn } from './course-growth.ts';

const FAMILIES: readonly Pick<Family & { plane: 'gpu' | 'host' }, 'plane' | 'starting' | 'serving'>[] = [
  { plane: 'gpu', starting: 'gpu.startup.weights', serving: 'gpu.chronic.leak' },
  { plane: 'host', starting: 'host.startup.weight-staging', serving: 'host.chronic.leak' },
];

/** The memory that only rose over hours, days or rounds by the readings that stand in remarks: for a guess, as all that stands there. */
export function readNotedCourses(evidence: Pick<Evidence, 'readings'>): readonly Read[] {
  const own = remarkLines(evidence);
  const { series } = readMetricsText(own.map(({ text }) => text).join('\n'));
  const lines = own.map(({ text, from }, at) => ({ ...from, line: at + 1, text }));
  return FAMILIES.flatMap((family) => {
    const last = risingIn(series, lines, family.plane)[0]?.points.at(-1)?.from;
    const from = last?.kind === 'line' ? own[last.line - 1]?.from : undefined;
    return from === undefined ? [] : [{ family, score: FAILS, from }];
  });
}
