import { bundle, type Figure, holds, runChild } from './harness.ts';

type Seen = { p50: number; p99: number; acks: number; tookMs: number; tooEarly: string[] };

/** The ack of what Slack delivers: before any call of ours, and how soon while 50 triages are under way. */
export async function benchAck(): Promise<Figure[]> {
  await bundle('bench/service-worker.ts');
  const { p50, p99, acks, tookMs, tooEarly } = runChild<Seen>(await bundle('bench/ack-child.ts'));
  return [
    holds(`calls of ours before the ack${tooEarly.map((path) => ` ${path}`).join('')}`, tooEarly.length, 0, '', 0),
    holds(
      `ack over loopback, p99 of ${acks} while 50 triages ran for ${(tookMs / 1000).toFixed(1)} s (p50 ${p50.toFixed(1)} ms)`,
      p99,
      100,
      ' ms',
      1,
    ),
  ];
}
