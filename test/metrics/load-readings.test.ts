import { describe, expect, it } from 'vitest';
import type { LoadReadings } from '../../src/app/pressure-ports.ts';
import { createLoadReadings } from '../../src/metrics/load-readings.ts';
import { podSeries } from '../../src/standins/prometheus/pod-series.ts';
import { createFakeClock, START } from '../fakes/clock.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aPrometheus } from './harness.ts';

const AT = [START - 300_000, START - 150_000, START];
const EVERY_MS = 15_000;
const scene = (pod: string) => ({ namespace: 'llm', pod, container: 'vllm', node: 'n', until: START });
// One value each 15 s over the five minutes, so that the first, the middle and the last fall on the grid.
const rising = (from: number, step: number) => Array.from({ length: 21 }, (_, i) => from + i * step);

const sourceOf = ({ url }: { readonly url: string }): LoadReadings =>
  createLoadReadings({ baseUrl: url, clock: createFakeClock() });
const ask = (source: LoadReadings, ...names: readonly string[]) =>
  source.read({ namespace: 'llm', pods: names.map((name) => ({ name })), at: AT }, aReadContext());

describe('how busy pods were, out of Prometheus', () => {
  it('is three readings of each pod for one call', async () => {
    const values = {
      'vllm:kv_cache_usage_perc': rising(0.96, 0.001),
      'vllm:num_requests_waiting': rising(2, 1),
      'vllm:num_preemptions_total': rising(100, 2),
      container_oom_events_total: rising(0, 0),
    };
    const tokens = {
      labels: { __name__: 'vllm:generation_tokens_total', namespace: 'llm', pod: 'vllm-0' },
      points: rising(5000, 0).map((value, i) => [START - (20 - i) * EVERY_MS, value] as const),
    };
    const others = Array.from({ length: 40 }, (_, i) => `vllm-${i + 1}`);
    const series = [{ ...scene('vllm-0'), values }, ...others.map(scene)].flatMap(podSeries);
    const prometheus = await aPrometheus({ series: [...series, tokens] });

    const read = await ask(sourceOf(prometheus), 'vllm-0', ...others);

    expect(prometheus.requests).toHaveLength(1);
    expect(read.kind === 'read' && read.pods.size).toBe(41);
    expect(read.kind === 'read' && read.pods.get('vllm-0')).toMatchObject([
      { at: AT[0], kvUsed: 0.96, waiting: 2, preemptions: 100, tokens: 5000, oomKills: 0 },
      { at: AT[1], waiting: 12, preemptions: 120, tokens: 5000, oomKills: 0 },
      { at: AT[2], kvUsed: 0.98, waiting: 22, preemptions: 140, tokens: 5000, oomKills: 0 },
    ]);
  });

  it('says nothing of what was not there yet', async () => {
    const prometheus = await aPrometheus({ series: podSeries(scene('vllm-0')) });

    const read = await ask(sourceOf(prometheus), 'vllm-0');

    expect(read.kind === 'read' && read.pods.get('vllm-0')?.map(({ kvUsed }) => kvUsed)).toEqual([
      undefined,
      undefined,
      0.42,
    ]);
  });

  it('says why it does not know', async () => {
    expect(await ask(createLoadReadings({ baseUrl: 'http://127.0.0.1:9', clock: createFakeClock() }), 'a')).toEqual({
      kind: 'unknown',
      why: expect.stringMatching(/Prometheus/),
    });
  });
});
