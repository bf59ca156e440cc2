import { bundle, type Figure, holds, runChild } from './harness.ts';

/** The ack of Slack commands under load, and 200 requests for one workload at once. */
export async function benchSlack(): Promise<Figure[]> {
  const module = await bundle('bench/slack-child.ts');
  const ack = runChild<{ p50: number; p99: number; readings: number }>(module, ['ack']);
  const storm = runChild<{ cards: number; calls: number }>(module, ['storm']);
  return [
    holds(`ack over loopback with 50 triages under way, p99 (p50 ${ack.p50.toFixed(1)} ms)`, ack.p99, 100, ' ms', 1),
    holds('storm of 200 pods of one workload: cards', storm.cards, 1, '', 0),
    holds('storm of 200 pods of one workload: API calls for each pod', storm.calls / 200, 0.5, ''),
  ];
}
