import { describe, expect, it } from 'vitest';
import type { FactValue } from '../../src/model/fact.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { beforeOf } from '../../src/report/card/preceding-events.ts';
import { card } from '../../src/report/card.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { verdictJson } from '../../src/report/verdict-json.ts';
import { AS_TEXT, aFacts, anInput } from './inputs.ts';

const BURST = { plane: 'gpu', phase: 'burst' } as const;
const CHANGED = 'image: e:1 -> e:2; args: --gpu-memory-utilization 0.90 -> 0.97';

const said = (values: Readonly<Record<string, FactValue>>, about: Pick<Verdict, 'plane' | 'phase'> = BURST) =>
  beforeOf(aFacts(values), { evidence: [], ...about }).map(({ says }) => says);

describe('what came before', () => {
  it('is the last roll-out, with how long before', () => {
    const at = Date.parse('2026-09-14T10:00:00Z');

    expect(said({ 'revision.changed': CHANGED })).toEqual([
      'The last roll-out changed image: e:1 → e:2; args: --gpu-memory-utilization 0.90 → 0.97',
    ]);
    expect(said({ 'revision.changed': CHANGED, 'revision.at': at, 'gpu.oom-at': at + 3_600_000 })).toEqual([
      expect.stringContaining('The last roll-out (60 min before the failure) changed image'),
    ]);
  });

  const STEP = {
    'step.longest-prompt': 61234,
    'step.longest-request': 'chatcmpl-9f2b',
    'step.requests': 2,
    'step.scheduled-tokens': 8191,
  };

  it('is the request of the step that failed, against those before it', () => {
    const [line] = said({ ...STEP, 'requests.prompt-p95': 948, 'step.against-usual': 64.59 });

    expect(line).toContain('a prompt of 61,234 tokens (request chatcmpl-9f2b)');
    expect(line).toContain('no longer than 948 tokens: 65 times that');
    expect(line).toContain('in that step: 2 requests, 8,191 tokens');
  });

  it('tells the usual lengths alone where the step is not known', () => {
    expect(said({ 'requests.prompt-p95': 948, 'requests.prompt-p99': 1000, 'requests.output-p95': 300 })).toEqual([
      '95 % of the prompts before were no longer than 948 tokens, 99 % no longer than 1,000 tokens; 95 % of the answers no longer than 300 tokens',
    ]);
    expect(said({ 'step.requests': 3, 'step.scheduled-tokens': 3 })).toEqual([
      'The step that failed took up no new prompt; in that step: 3 requests, 3 tokens',
    ]);
  });

  it.each([
    ['not at start-up', { plane: 'gpu', phase: 'startup' }],
    ['not where it was no memory', { plane: 'none', phase: 'n/a' }],
  ] as const)('has requests %s', (_name, about) => {
    expect(said({ ...STEP, 'requests.prompt-p95': 948, 'requests.served': 'none' }, about)).toEqual([]);
  });

  it.each([
    ['none', ['It had not answered a single request']],
    ['one', ['It had answered one request only']],
    ['more', []],
  ])('tells of %s answered before', (served, lines) => {
    expect(said({ 'requests.served': served })).toEqual(lines);
  });

  it('is a failure that the engine outlived, first, unless the verdict is about that memory', () => {
    const failed = { 'outlived.memory': 'host', 'outlived.times': 3, 'revision.changed': CHANGED };
    const at = Date.parse('2026-09-14T10:00:00Z');

    expect(said(failed)[0]).toMatch(
      /^RAM did not suffice before \(3 times, this is the last\), and the engine went on/,
    );
    expect(said({ ...failed, 'outlived.at': at, 'death.at': at + 120_000 })[0]).toMatch(/suffice 2 min before the end/);
    expect(said(failed, { plane: 'host', phase: 'burst' })[0]).toMatch(/^The last roll-out/);
    expect(said(failed, { plane: 'both', phase: 'burst' })[0]).toMatch(/^The last roll-out/);
  });

  it('tells of a cadence, and of its absence', () => {
    const ages = { 'death.usual-age': 21_600, 'death.age-spread': 600 };

    expect(said({ ...ages, 'death.steady-age': true })).toEqual([
      'It dies again and again at nearly the same age: 6 h on average, give or take 10 min',
    ]);
    expect(said({ ...ages, 'death.steady-age': false })).toEqual([
      'It has died before, at ages far apart: 6 h on average, give or take 10 min',
    ]);
  });

  it('names the age of the other life where there are two, and quotes what shows it', () => {
    const at = (path: string) => ({ kind: 'field' as const, file: 'pod.json', path, text: '"2026-09-12T08:00:00Z"' });
    const facts = new Map([
      ...aFacts({ 'death.usual-age': 91_740, 'death.age-spread': 83_460, 'death.uptime': 8280 }),
      ['death.steady-age', { kind: 'known' as const, value: false, from: [at('/status'), at('/metadata')] }] as const,
    ]);
    const [line] = beforeOf(facts, { evidence: [], ...BURST });

    expect(line?.says).toBe('It has died before, at another age: 2 d 1 h');
    expect(line?.from[0]).toMatchObject({ path: '/metadata' });
  });

  it.each([
    ['how often it restarted where the ages are not known', { 'death.restarts': 4 }, 1],
    ['nothing of restarts beside the ages', { 'death.restarts': 4, 'death.steady-age': false }, 0],
    ['nothing of one restart', { 'death.restarts': 1 }, 0],
  ])('tells %s', (_name, facts, lines) => {
    expect(said(facts).filter((line) => line.includes('times in this pod'))).toHaveLength(lines);
  });

  it('does not tell twice what proves the finding', () => {
    const evidence = [{ says: 'steady', fact: 'death.steady-age', from: [] }];
    const facts = aFacts({ 'death.steady-age': true, 'death.usual-age': 60, 'death.age-spread': 1 });

    expect(beforeOf(facts, { ...BURST, evidence })).toEqual([]);
  });

  it('stands on the card once with its place, and in JSON', () => {
    const input = anInput({ facts: aFacts({ 'revision.changed': CHANGED }), verdict: BURST });

    const text = drawTerminal(card(input), AS_TEXT);

    expect(text.match(/0\.90 → 0\.97/g)).toHaveLength(1);
    expect(text).toMatch(/What came before[\s\S]*previous\.log:1/);
    expect(verdictJson(input).before).toMatchObject([{ fact: 'revision.changed' }]);
  });
});
