import { describe, expect, it } from 'vitest';
import { type PastAsk, readPast } from '../../src/app/acting/verify/read-history.ts';
import { createEngineHistory } from '../../src/metrics/engine-history.ts';
import { firstHistory, scrapeEngineHistory } from '../../src/metrics/scrape-engine-history.ts';
import type { StandinSeries } from '../../src/standins/prometheus/create-prometheus-standin.ts';
import { createFakeClock, START } from '../fakes/clock.ts';
import { listen } from '../fakes/http-server.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aPrometheus } from './harness.ts';

const MINUTE = 60_000;
const NOW = START;
const SINCE = NOW - 10 * MINUTE;
const INF = '+Inf';

type Count = readonly [le: string, before: number, after: number];
/** Counts up to half a second, up to a second, and all. */
const upTo = (half: Pair, second: Pair, all: Pair): readonly Count[] => [
  ['0.5', ...half],
  ['1', ...second],
  [INF, ...all],
];
type Pair = readonly [before: number, after: number];

const POD_LABELS = { namespace: 'llm', pod: 'vllm-0', job: 'vllm', instance: 'a:8000' };

/** A histogram that stands at `before`, and from `turn` on at `after`; scraped every 15 s. */
function histogram(
  name: string,
  counts: readonly Count[],
  over: { labels?: Record<string, string>; from?: number; to?: number; turn?: number } = {},
): StandinSeries[] {
  const { labels = {}, from = NOW - 20 * MINUTE, to = NOW, turn = SINCE + 5 * MINUTE } = over;
  const times = Array.from({ length: Math.floor((to - from) / 15_000) + 1 }, (_, i) => to - i * 15_000).reverse();
  return counts.map(([le, before, after]) => ({
    labels: { __name__: `${name}_bucket`, ...POD_LABELS, ...labels, le },
    points: times.map((at) => [at, at < turn ? before : after] as const),
  }));
}

const TTFT = 'vllm:time_to_first_token_seconds';
const QUEUE = 'vllm:request_queue_time_seconds';
const PROMPTS = 'vllm:request_prompt_tokens';
const HUNDRED = upTo([10, 90], [10, 110], [10, 110]);

function ask(over: Partial<PastAsk> = {}): PastAsk {
  const pod = { name: 'vllm-0', ip: null, ports: [], createdAt: NOW - 30 * MINUTE, startedAt: NOW - 30 * MINUTE };
  const place = { cluster: 'prod', namespace: 'llm', pods: [pod] };
  return { ...place, from: SINCE, to: NOW, mustLast: true, shortTokens: 1000, ...over };
}

const [POD] = ask().pods;
if (POD === undefined) throw new Error('no pod');
const NEW_POD = { ...POD, createdAt: SINCE + MINUTE, startedAt: SINCE + MINUTE };

const history = ({ url }: { readonly url: string }) => createEngineHistory({ baseUrl: url, clock: createFakeClock() });

async function past(series: readonly StandinSeries[], over: Partial<PastAsk> = {}) {
  const prometheus = await aPrometheus({ series });
  return { ...(await readPast(history(prometheus), ask(over), aReadContext())), prometheus };
}

describe('the past of an engine out of Prometheus', () => {
  it('is a quantile of what was counted since, in one call', async () => {
    const { times, prometheus } = await past(histogram(TTFT, HUNDRED));

    expect(times.ttftP99).toEqual({ kind: 'known', ms: 975, atLeast: false, requests: 100, lacks: null });
    expect(prometheus.requests).toHaveLength(1);
  });

  it.each([
    ['vLLM', TTFT],
    ['vLLM behind a Prometheus without colons', 'vllm_time_to_first_token_seconds'],
    ['SGLang', 'sglang:time_to_first_token_seconds'],
  ])('knows the name of %s', async (_, name) => {
    expect((await past(histogram(name, HUNDRED))).times.ttftP99).toMatchObject({ kind: 'known', requests: 100 });
  });

  it('counts all of a process that began since, and nothing of the one that had its name', async () => {
    const old = histogram(TTFT, upTo([900, 900], [900, 900], [990, 990]), { to: SINCE - MINUTE });
    const own = histogram(TTFT, HUNDRED, { labels: { instance: 'b:8000' }, from: SINCE + 2 * MINUTE });

    const { times } = await past([...old, ...own], { pods: [NEW_POD] });

    expect(times.ttftP99).toMatchObject({ kind: 'known', requests: 110 });
  });

  it('goes on over a restart in place', async () => {
    const { times } = await past(histogram(TTFT, upTo([500, 30], [500, 40], [500, 40])));

    expect(times.ttftP99).toMatchObject({ kind: 'known', requests: 40 });
  });

  const TWO_LIVES = [
    [SINCE, 5],
    [SINCE + 3 * MINUTE, 1],
  ] as const;
  it.each([
    ['none', [[SINCE, 5]], 0],
    ['one in place', [[SINCE, 2]], 1],
    ['one under another address, and one in place', TWO_LIVES, 2],
  ] as const)('tells how often an engine began anew: %s', async (_, lives, restarts) => {
    const series = lives.flatMap(([from, after], i) =>
      histogram(TTFT, [[INF, 3, after]], { from, labels: { instance: `i${i}` } }),
    );
    const quiet = histogram(TTFT, [[INF, 3, 3]], { labels: { pod: 'vllm-1' } });

    const pods = [POD, { ...POD, name: 'vllm-1' }];
    expect((await past([...series, ...quiet], { pods })).restarts).toBe(restarts);
  });

  it.each([
    ['a series that has ended', histogram(TTFT, HUNDRED, { to: NOW - 6 * MINUTE }), /its last sample is [345] min old/],
    ['no series', [], /Prometheus has no such series for these pods/],
    ['a series of another pod', histogram(TTFT, HUNDRED, { labels: { pod: 'vllm-00' } }), /no such series/],
    ['a handful of requests', histogram(TTFT, upTo([0, 19], [0, 19], [0, 19])), /19 finished requests, too few/],
  ])('cannot be told of %s', async (_, series, why) => {
    expect((await past(series)).times.ttftP99).toEqual({ kind: 'unknown', why: expect.stringMatching(why) });
  });

  it('of an hour that is over needs no sample at its end', async () => {
    const series = histogram(TTFT, HUNDRED, { to: NOW - 4 * MINUTE, turn: SINCE + MINUTE });

    expect((await past(series, { mustLast: false })).times.ttftP99).toMatchObject({ kind: 'known', requests: 100 });
  });

  it('says of whom nothing is known', async () => {
    const { times } = await past(histogram(TTFT, HUNDRED), { pods: [POD, { ...POD, name: 'vllm-1' }] });

    expect(times.ttftP99).toMatchObject({ kind: 'known', lacks: 'vllm-1' });
  });

  it('bounds the wait of short requests by how many of them there are', async () => {
    const since = (name: string, counts: Record<string, number>) =>
      histogram(
        name,
        Object.entries({ ...counts, [INF]: 100 }).map(([le, count]) => [le, 0, count] as const),
      );
    const queue = since(QUEUE, { '0.1': 70, '1': 90, '10': 100 });

    const { times } = await past([...queue, ...since(PROMPTS, { '100': 40, '1000': 80 })]);

    // 80 of 100 are short: their P95 lies between P76 and P96 of all.
    expect(times.shortWait).toMatchObject({ kind: 'known', share: 0.8, requests: 100 });
    expect(times.shortWait).toMatchObject({ lowMs: expect.closeTo(370, 3), highMs: expect.closeTo(6400, 3) });
  });

  it.each([
    ['none', 4, 4, { kind: 'known', value: 0 }],
    ['some', 4, 7, { kind: 'known', value: 3 }],
    ['some since a restart', 40, 2, { kind: 'known', value: 2 }],
  ])('counts preemptions since: %s', async (_, before, after, expected) => {
    const series = histogram('x', [[INF, before, after]]).map(({ labels: { le: _le, ...labels }, points }) => ({
      labels: { ...labels, __name__: 'vllm:num_preemptions_total' },
      points,
    }));

    expect((await past(series)).preemptions).toEqual(expected);
    expect((await past(series, { pods: [POD, { ...POD, name: 'vllm-1' }] })).preemptions.kind).toBe(
      before === after ? 'unknown' : 'known',
    );
  });

  it('is not known where Prometheus does not answer', async () => {
    const prometheus = await aPrometheus({ answer: () => ({ status: 503, body: '' }) });

    const { times, preemptions } = await readPast(history(prometheus), ask(), aReadContext());

    expect([times.ttftP99, times.latencyP99, preemptions]).toEqual(
      Array(3).fill({ kind: 'unknown', why: 'Prometheus answered 503' }),
    );
  });
});

describe('the past of an engine off its own page', () => {
  const PAGE = [
    `${TTFT}_bucket{engine="0",le="0.5",model_name="m"} 90.0`,
    `${TTFT}_bucket{engine="0",le="1.0",model_name="m"} 100.0`,
    `${TTFT}_bucket{engine="0",le="+Inf",model_name="m"} 100.0`,
    `${TTFT}_count{engine="0",model_name="m"} 100.0`,
    'vllm:num_preemptions_total{engine="0",model_name="m"} 2.0',
  ].join('\n');

  const anEngine = () => listen((_, response) => response.end(PAGE));
  const scrape = () => scrapeEngineHistory({ clock: createFakeClock(), podIP: true });

  it('is all that a process has counted that began since', async () => {
    const pods = [{ ...NEW_POD, ip: '127.0.0.1', ports: [await anEngine()] }];

    const { times, preemptions } = await readPast(scrape(), ask({ pods }), aReadContext());

    expect(times.ttftP99).toEqual({ kind: 'known', ms: 950, atLeast: false, requests: 100, lacks: null });
    expect(preemptions).toEqual({ kind: 'known', value: 2 });
  });

  it('cannot be told of a process that was there before', async () => {
    const pods = [{ ...POD, ip: '127.0.0.1', ports: [await anEngine()] }];

    const { times, preemptions } = await readPast(scrape(), ask({ pods }), aReadContext());

    expect(times.ttftP99).toMatchObject({ kind: 'unknown', why: expect.stringContaining('one sample') });
    expect(preemptions.kind).toBe('unknown');
  });

  it('stands in where Prometheus has none, and both reasons are told where it is out of reach too', async () => {
    const source = firstHistory([history(await aPrometheus()), scrape()]);
    const here = { ...NEW_POD, ip: '127.0.0.1', ports: [await anEngine()] };

    const found = await readPast(source, ask({ pods: [here] }), aReadContext());
    const lost = await readPast(source, ask({ pods: [{ ...here, ip: null }] }), aReadContext());

    expect(found.times.ttftP99).toMatchObject({ kind: 'known' });
    expect(lost.times.ttftP99).toMatchObject({ why: expect.stringMatching(/Prometheus has no such series.*; .+/) });
  });
});
