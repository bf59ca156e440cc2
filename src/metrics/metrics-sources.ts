import type { Metrics, MetricsTarget, ReadContext } from '../app/ports.ts';
import { METRIC_IDS } from '../model/metric-table.ts';
import { groupOf } from './prometheus-queries.ts';
import { allMissing, evidenceOf, fillWith, type MetricsSource, type Reading, tellRead, windowOf } from './reading.ts';

/**
 * Asks one source after the other until one knows the engine's metrics; later ones fill what earlier ones lack, and
 * what all lack keeps all their reasons. Without any source every metric is `not-configured`.
 */
export function firstThatAnswers(sources: readonly MetricsSource[], clock: { now(): number }): Metrics {
  return {
    async collect(target, context) {
      context.progress('read-metrics', 'running');
      const reading = await readInTurn(sources, target, context, clock.now());
      tellRead(reading, context);
      return evidenceOf(reading);
    },
  };
}

async function readInTurn(
  sources: readonly MetricsSource[],
  target: MetricsTarget,
  context: ReadContext,
  now: number,
): Promise<Reading> {
  let reading: Reading | undefined;
  for (const source of sources) {
    const next = await source.read(target, context);
    reading = reading === undefined ? next : fillWith(reading, next);
    if (knowsEngine(reading)) return reading;
  }
  const none = { reason: 'not-configured', detail: 'no Prometheus configured' } as const;
  return reading ?? allMissing(windowOf(target.diedAt, now), none);
}

function knowsEngine({ missing }: Reading): boolean {
  return METRIC_IDS.some((id) => groupOf(id) === 'engine' && !missing.has(id));
}
