import { describe, expect, it } from 'vitest';
import type { Histogram } from '../../../src/actions/histogram.ts';
import { type InFlight, type Prompts, sayRequests, shareAbove } from '../../../src/actions/plan/request-cost.ts';
import type { Edit } from '../../../src/model/verdict.ts';

// 100 prompts: 50 up to 1000 tokens, 40 more up to 2000, 8 up to 5000, 2 beyond.
const upTo = (all: number, counts: Readonly<Record<number, number>>): Histogram => [
  ...Object.entries(counts).map(([bound, count]) => [+bound, count] as const),
  [Number.POSITIVE_INFINITY, all],
];
const PROMPTS = upTo(100, { 1000: 50, 2000: 90, 5000: 98 });
const LIMITS = {
  length: '--max-model-len',
  sequences: '--max-num-seqs',
  excess: 'waits',
  tooLong: 'get HTTP 400',
} as const;
const edit = (flag: string, from: string | null, to: string): Edit => ({ flag, from, to, why: '', facts: [] });
const length = (from: string | null, to: string) => edit('--max-model-len', from, to);
const sequences = (from: string, to: string) => edit('--max-num-seqs', from, to);
const counted: Prompts = { kind: 'known', counted: PROMPTS, lacks: null };
const noPrompts: Prompts = { kind: 'unknown', why: 'Prometheus did not answer' };
const noSeries: InFlight = { kind: 'unknown', why: 'there is no series' };
const KNOWN: { prompts: Prompts; inFlight: InFlight } = { prompts: counted, inFlight: noSeries };
const flight = (...counts: number[]): InFlight => ({ kind: 'known', counts, span: 'in the 30 min before the triage' });

describe('the share above a length', () => {
  it.each([
    ['on the bound of a bucket it is exact', 2000, { low: 0.1, high: 0.1, estimate: 0.1 }],
    ['on the last finite bound too', 5000, { low: 0.02, high: 0.02, estimate: 0.02 }],
    ['one token above a bound it is between two', 2001, { low: 0.02, high: 0.1, estimate: expect.closeTo(0.1, 3) }],
    ['in the middle the estimate is in the middle', 1500, { low: 0.1, high: 0.5, estimate: 0.3 }],
    ['below the first bound nothing is certain below', 500, { low: 0.5, high: 1, estimate: 0.75 }],
    ['beyond the last bound there is no estimate', 9000, { low: 0, high: 0.02, estimate: null }],
  ])('%s', (_, length, share) => {
    const found = shareAbove(PROMPTS, length);

    expect(found?.low).toBeCloseTo(share.low, 10);
    expect(found?.high).toBeCloseTo(share.high, 10);
    expect(found?.estimate).toEqual(
      typeof share.estimate === 'number' ? expect.closeTo(share.estimate, 10) : share.estimate,
    );
  });

  it.each([
    ['empty', []],
    ['of nobody', upTo(0, { 1000: 0 })],
  ])('is none of a histogram that is %s', (_, histogram) => {
    expect(shareAbove(histogram, 1000)).toBeUndefined();
  });
});

describe('what new limits do to the last hour', () => {
  it.each<[name: string, edit: Edit, says: RegExp, known?: Partial<typeof KNOWN>]>([
    [
      'a length on a bound',
      length('8192', '2000'),
      /over 2,000 tokens will get HTTP 400: 10% of the last hour's 100 prompts/,
    ],
    ['a length inside a bucket', length('8192', '1500'), /10% to 50% \(about 30%\) of/],
    ['a length beyond all bounds', length(null, '9000'), /0% to 2% of the/],
    ['outputs, which count on top', length(null, '5000'), /Output tokens count too/],
    [
      'pods that told nothing',
      length(null, '5000'),
      /prompts, without vllm-1/,
      { prompts: { ...counted, lacks: 'vllm-1' } },
    ],
    ['no histogram', length(null, '5000'), /share unknown: Prometheus did not answer\./, { prompts: noPrompts }],
    [
      'a histogram of nobody',
      length(null, '5000'),
      /share unknown: no request ended/,
      { prompts: { ...counted, counted: [] } },
    ],
    ['a higher limit', length('4096', '8192'), /^No requests will be refused: --max-model-len goes up\.$/],
    ['8k and 8K', length('8K', '8k'), /over 8,000 tokens/],
    [
      'fewer at once than there were',
      sequences('256', '4'),
      /above 4 concurrent requests waits: 37\.5% .* \(peak 8\)/,
      { inFlight: flight(2, 6, 8) },
    ],
    [
      'as many at once as there were',
      sequences('256', '8'),
      /above 8 concurrent requests waits: none .* \(peak 8\)/,
      { inFlight: flight(2, 6, 8) },
    ],
    ['no series of how many were running', sequences('256', '4'), /share unknown: there is no series\./],
  ])('says %s', (_, edit, says, known = {}) => {
    expect(sayRequests([edit], LIMITS, { ...KNOWN, ...known })).toMatch(says);
  });

  it('says nothing where no limit of requests changes', () => {
    expect(sayRequests([edit('--gpu-memory-utilization', '0.9', '0.8')], LIMITS, KNOWN)).toBeNull();
  });

  it('never rounds some to none, nor all but some to all', () => {
    const prompts: Prompts = { ...counted, counted: upTo(100_000, { 100: 99_999 }) };

    expect(sayRequests([length(null, '100')], LIMITS, { ...KNOWN, prompts })).toMatch(/: 0\.1% of/);
  });
});
