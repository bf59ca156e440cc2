import { bundle, type Figure, holds, runChild } from './harness.ts';

type Seen = { cards: number; workloads: number; calls: number; p99: number; acks: number; growth: number };

/** A thousand alerts about 50 workloads, then three thousand more, while people type. */
export async function benchFlood(): Promise<Figure[]> {
  await bundle('bench/service-worker.ts');
  const { cards, workloads, calls, p99, acks, growth } = runChild<Seen>(await bundle('bench/flood-child.ts'));
  const flood = `flood of 1,000 alerts about ${workloads} workloads`;
  return [
    holds(`${flood}: cards for each workload`, cards / workloads, 1, ''),
    holds(`${flood}: API calls for each workload`, calls / workloads, 24, ''),
    holds(`${flood}: ack over loopback, p99 of ${acks} meanwhile`, p99, 100, ' ms', 1),
    holds('3,000 more alerts and replays: heap after, of the heap before', growth, 1.1, ''),
  ];
}
