import { isIP } from 'node:net';
import { type Dispatcher, request } from 'undici';
import type { Clock, MetricsTarget, ReadContext } from '../app/ports.ts';
import { appliesTo, canonicalOf, METRIC_IDS, type MetricId, seriesOf, zeroesWith } from '../model/metric-table.ts';
import type { Reason } from './prometheus-answer.ts';
import { allMissing, type MetricsSource, type Missing, type Reading, type Window, windowOf } from './reading.ts';
import { readBody, whyUnreachable } from './response.ts';
import { readSample } from './sample-line.ts';

export type ProxyAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: Reason; readonly detail: string };

/** Reads `path` of a port of the pod through the API server; supplied by the Kubernetes edge where configuration allows it. Takes its own call from the budget. */
export type ViaProxy = (
  target: MetricsTarget,
  port: number,
  path: string,
  context: ReadContext,
) => Promise<ProxyAnswer>;

export type EngineScrapeOptions = {
  readonly clock: Clock;
  readonly podIP: boolean;
  readonly viaProxy?: ViaProxy | undefined;
  /** Longest wait for one answer, in ms; 2,000 unless told, since a pod IP is often out of reach. */
  readonly timeoutMs?: number;
  readonly dispatcher?: Dispatcher;
};

const PATH = '/metrics';
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_PORTS = 3;
// vLLM, and most that copy it, where the pod declares none.
const USUAL_PORTS = [8000];

/** The engine's own /metrics, by pod IP and then by the pod proxy. One moment only, so there is no series. Never throws. */
export function createEngineScrape(options: EngineScrapeOptions): MetricsSource {
  return { read: (target, context) => readEngine(options, target, context) };
}

async function readEngine(options: EngineScrapeOptions, target: MetricsTarget, context: ReadContext): Promise<Reading> {
  const now = options.clock.now();
  const window = windowOf(target.diedAt, now);
  if (target.diedAt !== null) {
    // What answers now is the next instance: its figures say nothing about the one that died.
    return allMissing(window, { reason: 'gone', detail: 'the container that died took its /metrics with it' });
  }
  const page = await readMetricsPage(options, target, context);
  if (page.kind === 'refused') return allMissing(window, { reason: page.reason, detail: page.detail });
  return readExposition(page.text, window, now);
}

/** The first /metrics of the pod that holds a series known here, as text. */
export async function readMetricsPage(
  options: EngineScrapeOptions,
  target: MetricsTarget,
  context: ReadContext,
): Promise<ProxyAnswer> {
  let why: Missing = {
    reason: 'not-configured',
    detail: 'engine metrics are turned off (`engineMetrics`)',
  };
  for (const ask of waysTo(options, target, context)) {
    const answer = await ask();
    if (answer.kind === 'text') {
      if (hasKnownSeries(answer.text)) return answer;
      why = { reason: 'not-exposed', detail: 'its /metrics has none of these series' };
    } else {
      why = { reason: answer.reason, detail: answer.detail };
      if (context.signal.aborted || answer.reason === 'budget') break;
    }
  }
  return { kind: 'refused', ...why };
}

function hasKnownSeries(text: string): boolean {
  return text.split('\n').some((line) => {
    const sample = readSample(line);
    return sample !== undefined && canonicalOf(sample.name).some(({ series }) => appliesTo(series, sample.labels));
  });
}

function* waysTo(options: EngineScrapeOptions, target: MetricsTarget, context: ReadContext) {
  const ports = [...new Set(target.ports.length > 0 ? target.ports : USUAL_PORTS)].slice(0, MAX_PORTS);
  const { podIP } = target;
  if (options.podIP && podIP !== null && isIP(podIP) > 0) {
    for (const port of ports) yield () => byPodIP(options, podIP, port, context);
  }
  const { viaProxy } = options;
  if (viaProxy !== undefined) for (const port of ports) yield () => viaProxy(target, port, PATH, context);
}

async function byPodIP(
  { clock, timeoutMs = 2000, dispatcher }: EngineScrapeOptions,
  ip: string,
  port: number,
  context: ReadContext,
): Promise<ProxyAnswer> {
  if (!context.budget.take('call')) return refused('budget', 'API call limit');
  const host = isIP(ip) === 6 ? `[${ip}]` : ip;
  const limit = clock.limit(timeoutMs);
  const signal = AbortSignal.any([context.signal, limit.signal]);
  try {
    const { statusCode, body } = await request(`http://${host}:${port}${PATH}`, {
      signal,
      ...(dispatcher && { dispatcher }),
      headers: { accept: 'text/plain' },
    });
    const { text, bytes, cut } = await readBody(body, Math.min(MAX_BODY_BYTES, context.budget.bytesLeft));
    context.budget.addBytes(bytes);
    if (statusCode === 401 || statusCode === 403) return refused('forbidden', `the engine refused it (${statusCode})`);
    if (statusCode !== 200) return refused('not-exposed', `port ${port} answered ${statusCode} for ${PATH}`);
    // The line at the cut is not whole.
    return { kind: 'text', text: cut ? text.slice(0, text.lastIndexOf('\n') + 1) : text };
  } catch (thrown) {
    return { kind: 'refused', ...whyUnreachable(thrown, `port ${port} of the pod`, signal) };
  } finally {
    limit.end();
  }
}

function refused(reason: Reason, detail: string): ProxyAnswer {
  return { kind: 'refused', reason, detail };
}

type KnownLine = { readonly line: string; readonly ids: readonly MetricId[]; readonly name: string };

const NOT_THERE: Missing = { reason: 'not-exposed', detail: "the engine's /metrics does not have it" };

/** The lines of an engine's /metrics that mean something here, each with a time (`at`, epoch ms). Never throws. */
export function readExposition(text: string, window: Window, at: number): Reading {
  const found: KnownLine[] = [];
  const names = new Map<MetricId, string>();
  const zeroes = new Map<MetricId, string>();
  for (const line of text.split('\n')) {
    const sample = readSample(line);
    if (sample === undefined) continue;
    const meanings = canonicalOf(sample.name).filter(({ series }) => appliesTo(series, sample.labels));
    const timed = sample.at === undefined ? `${line.trimEnd()} ${at}` : line.trimEnd();
    for (const id of zeroesWith(sample.name)) zeroes.set(id, timed);
    const name = meanings[0]?.series.name;
    if (name === undefined) continue;
    for (const { id } of meanings) names.set(id, newerOf(id, names.get(id), name));
    found.push({ line: timed, ids: meanings.map(({ id }) => id), name });
  }
  // Old and new names of one figure side by side would count twice.
  const lines = found.filter(({ ids, name }) => ids.some((id) => names.get(id) === name)).map(({ line }) => line);
  const empty = [...zeroes].flatMap(([id, line]) => (names.has(id) ? [] : line));
  const unknown = METRIC_IDS.filter((id) => !names.has(id) && !zeroes.has(id));
  const missing = new Map(unknown.map((id) => [id, NOT_THERE]));
  return { window, series: [], lines: [...new Set([...lines, ...empty])], missing, notes: [] };
}

function newerOf(id: MetricId, before: string | undefined, name: string): string {
  if (before === undefined) return name;
  const order = seriesOf(id).map((series) => series.name);
  return order.indexOf(name) < order.indexOf(before) ? name : before;
}
