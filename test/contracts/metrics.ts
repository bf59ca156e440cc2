import { describe, expect, it } from 'vitest';
import type { Metrics, MetricsTarget } from '../../src/app/ports.ts';
import { FIXED_FILES, NotRead, SeriesFile } from '../../src/model/snapshot.ts';
import { START } from '../fakes/clock.ts';
import { aReadContext } from '../fakes/read-context.ts';

export function aMetricsTarget(over: Partial<MetricsTarget> = {}): MetricsTarget {
  return {
    cluster: 'prod',
    namespace: 'llm',
    pod: 'vllm-server-7d8f6f9c6b-4mnl2',
    container: 'vllm',
    node: 'gpu-node-1',
    podIP: '127.0.0.1',
    ports: [8000],
    image: 'vllm/vllm-openai:v0.11.0',
    diedAt: START,
    ...over,
  };
}

/** What every source of metrics keeps to. `make` gives one that has a working set of the target. */
export function metricsContract(name: string, make: () => Promise<{ metrics: Metrics; close(): Promise<void> }>): void {
  describe(`metrics: ${name}`, () => {
    const collect = async (context = aReadContext(), target = aMetricsTarget()) => {
      const { metrics, close } = await make();
      try {
        return { evidence: await metrics.collect(target, context), context };
      } finally {
        await close();
      }
    };

    it('gives files of a snapshot and what it could not read', async () => {
      const { evidence, context } = await collect();

      const file = SeriesFile.parse(JSON.parse(evidence.files['series.json'] ?? ''));
      expect(Object.keys(evidence.files).filter((name) => !FIXED_FILES.includes(name))).toEqual([]);
      expect(file.series.map((series) => series.id)).toContain('container.memory.working-set');
      for (const { points } of file.series) {
        expect(points.length).toBeLessThanOrEqual(250);
        expect(points).toEqual(points.toSorted(([a], [b]) => a - b));
      }
      expect(NotRead.array().safeParse(evidence.notRead).success).toBe(true);
      expect(context.progressed.map(({ step, status }) => `${step} ${status}`)).toEqual([
        'read-metrics running',
        'read-metrics done',
      ]);
    });

    it('takes its calls from the budget, six at most', async () => {
      const { context } = await collect();

      expect(context.budget.cost().calls).toBeGreaterThan(0);
      expect(context.budget.cost().calls).toBeLessThanOrEqual(6);
    });
  });
}
