import type { StandinSeries } from '../../standins/prometheus/create-prometheus-standin.ts';
import type { Sample } from './pod-samples.ts';

/** Samples over time, as a Prometheus would have scraped them. */
export type SeriesRecord = {
  /** Adds one sample of each series at a time, epoch ms. */
  add(at: number, samples: readonly Sample[]): void;
  readonly series: readonly StandinSeries[];
};

// A day of samples.
const LONGEST = 5760;

export function createSeriesRecord(): SeriesRecord {
  const byKey = new Map<string, { labels: Readonly<Record<string, string>>; points: [number, number][] }>();
  const all: { labels: Readonly<Record<string, string>>; points: [number, number][] }[] = [];
  return {
    series: all,
    add(at, samples) {
      for (const [name, labels, value] of samples) {
        const key = `${name} ${JSON.stringify(labels)}`;
        let one = byKey.get(key);
        if (one === undefined) {
          one = { labels: { __name__: name, ...labels }, points: [] };
          byKey.set(key, one);
          all.push(one);
        }
        one.points.push([at, value]);
        if (one.points.length > LONGEST) one.points.shift();
      }
    },
  };
}

/** Samples in the text format of Prometheus, those of one name together. */
export function expositionText(samples: readonly Sample[]): string {
  const groups = Map.groupBy(samples, ([name]) => name.replace(/_(?:bucket|sum|count)$/, ''));
  return [...groups]
    .map(([family, rows]) => {
      const isHistogram = rows.some(([name]) => name === `${family}_bucket`);
      const type = isHistogram ? 'histogram' : family.endsWith('_total') ? 'counter' : 'gauge';
      const lines = rows.map(([name, labels, value]) => `${name}{${labelsText(labels)}} ${numberText(value)}`);
      return [`# TYPE ${family} ${type}`, ...lines, ''].join('\n');
    })
    .join('');
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',');
}

function numberText(value: number): string {
  return value === Number.POSITIVE_INFINITY ? '+Inf' : String(value);
}
