import type { EngineHistory, HistoryAsk, PodGauges } from '../app/acting-ports.ts';
import type { ReadContext } from '../app/ports.ts';
import type { GaugeRead } from '../model/gauges.ts';
import { answerEach, countsOf, type HistoryAnswer } from './engine-history.ts';
import { type EngineScrapeOptions, readMetricsPage } from './engine-scrape.ts';
import { gaugesIn, readEachGroup } from './pod-gauges.ts';
import type { RawSeries } from './prometheus-answer.ts';
import { readSample } from './sample-line.ts';

const WHOSE = "the engine's /metrics";
// A page is as large as a megabyte; of more pods than these the past is left to Prometheus.
const MOST_PODS = 8;

/** The counts of engines as they stand now, off their own /metrics: the past of those alone that began after `from`. Never throws. */
export function scrapeEngineHistory(options: EngineScrapeOptions): EngineHistory {
  return { read: (ask, context) => scrapeAll(options, ask, context) };
}

async function scrapeAll(options: EngineScrapeOptions, ask: HistoryAsk, context: ReadContext): Promise<HistoryAnswer> {
  const { series, unread } = await scrapePods(options, ask, context);
  if (series.length === 0 && unread.length > 0) return answerEach(() => ({ kind: 'unknown', why: unread.join('; ') }));
  return countsOf(series, WHOSE);
}

/** How full engines say they are, off their own /metrics. Never throws. */
export function scrapePodGauges(options: EngineScrapeOptions): PodGauges {
  return {
    async read(ask, context) {
      const { series, unread } = await scrapePods(options, ask, context);
      if (series.length > 0) return readEachGroup((group) => gaugesIn(series, group, WHOSE));
      return readEachGroup(() => ({ kind: 'unknown', why: unread.join('; ') || `${WHOSE} was not read` }));
    },
  };
}

type Scraped = { readonly series: readonly RawSeries[]; readonly unread: readonly string[] };

async function scrapePods(
  options: EngineScrapeOptions,
  ask: Omit<HistoryAsk, 'from'>,
  context: ReadContext,
): Promise<Scraped> {
  const pages = await Promise.all(
    ask.pods.slice(0, MOST_PODS).map(async ({ name, ip, ports }) => {
      const { cluster, namespace } = ask;
      const place = { cluster, namespace, pod: name, podIP: ip, ports };
      const target = { ...place, container: null, node: null, image: null, diedAt: null };
      return { name, page: await readMetricsPage(options, target, context) };
    }),
  );
  const series = pages.flatMap(({ name, page }) => (page.kind === 'text' ? seriesIn(page.text, name, ask.to) : []));
  const unread = pages.flatMap(({ page }) => (page.kind === 'text' ? [] : [page.detail]));
  return { series, unread };
}

function seriesIn(text: string, pod: string, at: number): RawSeries[] {
  return text.split('\n').flatMap((line) => {
    const sample = readSample(line);
    if (sample === undefined || !Number.isFinite(sample.value)) return [];
    const { name, labels, value } = sample;
    return [{ labels: { ...labels, __name__: name, pod }, points: [[at, value] as const] }];
  });
}

/** The first source that knows a metric tells it; what none knows keeps all reasons. */
export function firstHistory(sources: readonly EngineHistory[]): EngineHistory {
  return {
    async read(ask, context) {
      let known = answerEach(() => ({ kind: 'unknown', why: 'no metrics configured' }));
      for (const [i, source] of sources.entries()) {
        const next = await source.read(ask, context);
        const before = known;
        known = answerEach((id) => {
          const [was, is] = [before[id], next[id]];
          if (i === 0 || was.kind === 'read' || is.kind === 'read') return was.kind === 'read' ? was : is;
          return { kind: 'unknown', why: was.why === is.why ? was.why : `${was.why}; ${is.why}` };
        });
        if (known.ttft.kind === 'read') return known;
      }
      return known;
    },
  };
}

/** Of each group the first source that knows it, filled by later ones with the pods that it lacks. */
export function firstGauges(sources: readonly PodGauges[]): PodGauges {
  return {
    async read(ask, context) {
      let known = readEachGroup(() => ({ kind: 'unknown', why: 'no metrics configured' }));
      for (const [i, source] of sources.entries()) {
        const next = await source.read(ask, context);
        const before = known;
        known = readEachGroup((group) => (i === 0 ? next[group] : fillGauges(before[group], next[group])));
        if (tellsOfAll(known.engine, ask)) return known;
      }
      return known;
    },
  };
}

function fillGauges(was: GaugeRead, is: GaugeRead): GaugeRead {
  if (was.kind === 'unknown' && is.kind === 'unknown') {
    return { kind: 'unknown', why: was.why === is.why ? was.why : `${was.why}; ${is.why}` };
  }
  if (was.kind === 'unknown' || is.kind === 'unknown') return was.kind === 'unknown' ? is : was;
  const told = new Set(was.samples.map(({ pod }) => pod));
  return { kind: 'read', samples: [...was.samples, ...is.samples.filter(({ pod }) => !told.has(pod))] };
}

function tellsOfAll(read: GaugeRead, { pods }: Pick<HistoryAsk, 'pods'>): boolean {
  if (read.kind === 'unknown') return false;
  const told = new Set(read.samples.map(({ pod }) => pod));
  return pods.every(({ name }) => told.has(name));
}
