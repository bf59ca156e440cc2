import type { Metrics } from '../../src/app/ports.ts';

/** Metrics without any series, at the cost of four calls. */
export function createFakeMetrics(): Metrics {
  return {
    async collect({ diedAt }, context) {
      for (let i = 0; i < 4; i += 1) context.budget.take('call');
      context.progress('read-metrics', 'running');
      context.progress('read-metrics', 'done');
      const to = diedAt ?? 0;
      const file = { from: to - 3_600_000, to, stepMs: 15_000, series: [], unknown: [] };
      return { files: { 'series.json': JSON.stringify(file) }, notRead: [] };
    },
  };
}
