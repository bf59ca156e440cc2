import type { Fact } from '../../../model/fact.ts';
import type { MetricId } from '../../../model/metric-table.ts';
import { knownLives } from '../../pod/lives.ts';
import { MIN_POINTS, type Point, runsOf, shapeOf } from '../../series.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { seriesBefore } from '../figures.ts';
import { fromFirstWork, LEAST_MS, workOf } from './idle-growth.ts';

// The slowest against the fastest: traffic keeps no such pace from one life to the next.
const LEAST_ALIKE = 0.75;

/** Whether a memory climbed at the same pace in each life of the container that was watched; undefined where it was one. */
export function readRisesAgain(evidence: Evidence, memory: MetricId): Fact | undefined {
  const work = workOf(evidence);
  const isServedKnown = work.some(({ isCounter }) => isCounter);
  for (const { id, labels, points } of seriesBefore(evidence, memory)) {
    const lives = knownLives(evidence.pod, evidence.death, labels.exported_container ?? labels.container);
    const watched = runsOf(points, lives)
      .map((run) => (isServedKnown ? fromFirstWork(run, work) : run))
      .filter((run) => run.length >= MIN_POINTS && lengthOf(run) >= LEAST_MS);
    const last = points.at(-1);
    if (watched.length < 2 || last === undefined) continue;
    const paces = watched.map(paceOf);
    const climbs = watched.map((run) => shapeOf(run)).every((one) => one.kind === 'known' && one.shape === 'climb');
    return fact(climbs && Math.min(...paces) >= LEAST_ALIKE * Math.max(...paces), [
      { kind: 'sample', file: 'series.json', series: id, at: last[0], value: last[1] },
    ]);
  }
  return undefined;
}

function lengthOf(run: readonly Point[]): number {
  return (run.at(-1)?.[0] ?? 0) - (run[0]?.[0] ?? 0);
}

// None is shorter than that bound.
function paceOf(run: readonly Point[]): number {
  return ((run.at(-1)?.[1] ?? 0) - (run[0]?.[1] ?? 0)) / lengthOf(run);
}
