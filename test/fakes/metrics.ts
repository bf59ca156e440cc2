import type { Metrics, MetricsEvidence, MetricsTarget } from '../../src/app/ports.ts';
import type { NotRead, Series, SeriesFile } from '../../src/model/snapshot.ts';

export type FakeMetrics = Metrics & { readonly asked: readonly MetricsTarget[] };

const BEFORE_MS = 60 * 60_000;

/** Metrics as data: these series, these lines of metrics.txt, and what could not be had. Spends `calls` of the budget. */
export function createFakeMetrics(
  given: {
    series?: readonly Series[];
    lines?: readonly string[];
    notRead?: readonly NotRead[];
    calls?: number;
    now?: number;
  } = {},
): FakeMetrics {
  const asked: MetricsTarget[] = [];
  return {
    asked,
    async collect(target, context): Promise<MetricsEvidence> {
      asked.push(target);
      context.progress('read-metrics', 'running');
      for (let i = 0; i < (given.calls ?? 4); i += 1) {
        if (!context.budget.take('call')) return none('budget', 'no API calls were left for it');
      }
      if (context.signal.aborted) return none('deadline', 'Prometheus did not answer in time');
      context.progress('read-metrics', 'done');
      const to = target.diedAt ?? given.now ?? 0;
      const unknown = [...(given.notRead ?? [])];
      const file: SeriesFile = { from: to - BEFORE_MS, to, stepMs: 15_000, series: [...(given.series ?? [])], unknown };
      const lines = given.lines ?? [];
      return {
        files: {
          'series.json': JSON.stringify(file),
          ...(lines.length > 0 && { 'metrics.txt': `${lines.join('\n')}\n` }),
        },
        notRead: unknown,
      };
    },
  };
}

function none(reason: NotRead['reason'], detail: string): MetricsEvidence {
  return { files: {}, notRead: [{ item: 'metrics', reason, detail }] };
}
