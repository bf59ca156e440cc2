import { describe, expect, it } from 'vitest';
import type { FactValue } from '../../src/model/fact.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { beforeOf } from '../../src/report/card/preceding-events.ts';
import { explainMessages } from '../../src/report/explain.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { verdictJson } from '../../src/report/verdict-json.ts';
import { AS_TEXT, aFacts, anInput } from './inputs.ts';

const BURST = { plane: 'gpu', phase: 'burst' } as const;
const CHANGED = 'image: e:1 -> e:2; args: --gpu-memory-utilization 0.90 -> 0.97';

const said = (values: Readonly<Record<string, FactValue>>, about: Pick<Verdict, 'plane' | 'phase'> = BURST) =>
  beforeOf(aFacts(values), { evidence: [], ...about }).map(({ says }) => says);

describe('what came before', () => {
  it('is the last roll-out, with how long before', () => {
    expect(said({ 'revision.changed': CHANGED })).toEqual([
      'The last rollout changed image: e:1 → e:2; args: --gpu-memory-utilization 0.90 → 0.97',
    ]);
    expect(said({ 'revision.changed': CHANGED, 'revision.rollout': 'at 02:00 UTC (60 min earlier)' })).toEqual([
      expect.stringContaining('The last rollout at 02:00 UTC (60 min earlier) changed image'),
    ]);
  });

  it('is not told again where it is the cause, but for what else was changed', () => {
    const evidence = [{ says: 'It cut the limit', fact: 'revision.took-ram', from: [] }];
    const of = (changed: string) => beforeOf(aFacts({ 'revision.changed': changed }), { ...BURST, evidence });

    expect(of('limits.memory: 64Gi -> 32Gi')).toEqual([]);
    expect(of('limits.memory: 64Gi -> 32Gi; image: e:1 -> e:2')).toHaveLength(1);
  });

  const STEP = {
    'step.longest-prompt': 61234,
    'step.longest-request': 'chatcmpl-9f2b',
    'step.requests': 2,
    'step.scheduled-tokens': 8191,
  };

  it.each([
    ['not at start-up', { plane: 'gpu', phase: 'startup' }],
    ['not where it was no memory', { plane: 'none', phase: 'n/a' }],
  ] as const)('has requests %s', (_name, about) => {
    expect(said({ ...STEP, 'requests.prompt-p95': 948, 'requests.served': 'none' }, about)).toEqual([]);
  });

  it('does not tell twice what proves the finding', () => {
    const evidence = [{ says: 'steady', fact: 'death.steady-age', from: [] }];
    const facts = aFacts({ 'death.steady-age': true, 'death.usual-age': 60, 'death.age-spread': 1 });

    expect(beforeOf(facts, { ...BURST, evidence })).toEqual([]);
  });

  it('is in explain once, under recent changes with its place, and in JSON', () => {
    const input = anInput({ facts: aFacts({ 'revision.changed': CHANGED }), verdict: BURST });

    const text = explainMessages(input)
      .map((one) => drawTerminal(one, AS_TEXT))
      .join();

    expect(text.match(/0\.90 → 0\.97/g)).toHaveLength(1);
    expect(text).toMatch(/Recent changes[\s\S]*previous\.log:1/);
    expect(verdictJson(input).before).toMatchObject([{ fact: 'revision.changed' }]);
  });
});
