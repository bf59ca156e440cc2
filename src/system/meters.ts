import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { MeterLabels, Meters } from '../app/meter-ports.ts';

type Described = {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels?: readonly string[];
};

type Reading = { readonly labels?: MeterLabels; readonly value: number };

export type MeterRegistry = Meters & {
  /** A figure that is kept elsewhere and read when `/metrics` is asked for; none while it cannot be read. */
  read(name: string, figures: () => Promise<readonly Reading[]> | readonly Reading[]): void;
  /** The text of `/metrics`. */
  text(): Promise<string>;
  readonly contentType: string;
};

// Triages have a deadline of 20 s by default, and may wait for Slack.
const SECONDS = [0.5, 1, 2, 5, 10, 20, 30, 60, 120];

/** Meters for the metrics of a table, with those of the process and of Node.js. */
export function createMeters(table: Readonly<Record<string, Described>>): MeterRegistry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const sources = new Map<string, Parameters<MeterRegistry['read']>[1]>();
  const made = new Map(Object.entries(table).map(([name, row]) => [name, create(registry, name, row, sources)]));
  const as = <T>(name: string, kind: new (...args: never[]) => T): T | undefined => {
    const meter = made.get(name);
    return meter instanceof kind ? meter : undefined;
  };
  return {
    count: (name, labels = {}, by = 1) => as(name, Counter)?.inc(labels, by),
    observe: (name, seconds) => as(name, Histogram)?.observe(seconds),
    set: (name, labels, value) =>
      value === undefined ? as(name, Gauge)?.remove(labels) : as(name, Gauge)?.set(labels, value),
    read: (name, figures) => void sources.set(name, figures),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function create(
  registry: Registry,
  name: string,
  { kind, help, labels = [] }: Described,
  sources: ReadonlyMap<string, Parameters<MeterRegistry['read']>[1]>,
): Counter | Gauge | Histogram {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  if (kind === 'histogram') return new Histogram({ ...options, buckets: SECONDS });
  const figures = async (): Promise<readonly Reading[] | undefined> => {
    try {
      return await sources.get(name)?.();
    } catch {
      return [];
    }
  };
  if (kind === 'counter') {
    return new Counter({
      ...options,
      async collect() {
        const read = await figures();
        if (read === undefined) return;
        this.reset();
        for (const one of read) this.inc(one.labels ?? {}, one.value);
      },
    });
  }
  return new Gauge({
    ...options,
    async collect() {
      const read = await figures();
      if (read === undefined) return;
      this.reset();
      // Without labels a reset leaves 0, which would be a figure.
      if (read.length === 0 && labels.length === 0) this.remove();
      for (const one of read) this.set(one.labels ?? {}, one.value);
    },
  });
}
