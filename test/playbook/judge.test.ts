import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact, FactValue } from '../../src/model/fact.ts';
import type { Condition } from '../../src/playbook/compiled.ts';
import { type Answer, judge, missingOf } from '../../src/playbook/judge.ts';
import { factsOf, oneQuestion, playbookOf, unknown } from './builders.ts';

const THRESHOLDS =
  'half: { value: 0.5, why: w, source: s }, minute: { value: 60s, why: w, source: s }, gib: { value: 1GiB, why: w, source: s }';

function conditionOf(text: string): Condition {
  const playbook = playbookOf(oneQuestion(`      - { id: b, if: ${text}, finding: gpu }`, { thresholds: THRESHOLDS }));
  const condition = playbook.start.branches[0]?.condition;
  if (condition === undefined) throw new Error('no branch');
  return condition;
}

describe('one fact', () => {
  it.each<[condition: string, value: FactValue | Fact, answer: Answer]>([
    ['{ fact: ram.used-share, above: $half }', 0.5, 'no'],
    ['{ fact: ram.used-share, above: $half }', 0.500001, 'yes'],
    ['{ fact: ram.used-share, at-least: $half }', 0.5, 'yes'],
    ['{ fact: ram.used-share, at-least: $half }', 0.499999, 'no'],
    ['{ fact: ram.used-share, below: $half }', 0.5, 'no'],
    ['{ fact: ram.used-share, below: $half }', 0, 'yes'],
    ['{ fact: ram.used-share, at-most: $half }', 0.5, 'yes'],
    ['{ fact: ram.used-share, at-most: $half }', 0.500001, 'no'],
    ['{ fact: death.uptime, at-most: $minute }', 60, 'yes'],
    ['{ fact: death.uptime, at-most: $minute }', 60_000, 'no'],
    ['{ fact: gpu.want, at-least: $gib }', 2 ** 30, 'yes'],
    ['{ fact: gpu.want, at-least: $gib }', 2 ** 30 - 1, 'no'],
    ['{ fact: requests.waiting, above: 0 }', 0, 'no'],
    ['{ fact: requests.waiting, is: 0 }', 0, 'yes'],
    ['{ fact: gpu.oom-logged, is: false }', false, 'yes'],
    ['{ fact: gpu.oom-logged, is: false }', true, 'no'],
    ['{ fact: kernel.oom-kill, is: no }', 'no', 'yes'],
    ['{ fact: kernel.oom-kill, in: [node, container] }', 'container', 'yes'],
    ['{ fact: kernel.oom-kill, in: [node, container] }', 'unstated', 'no'],
    ['{ fact: gpu.oom-logged, is: false }', unknown(), 'unknown'],
    ['{ fact: ram.used-share, above: $half }', unknown('stale'), 'unknown'],
    ['{ fact: ram.used-share, above: $half }', Number.NaN, 'unknown'],
    ['{ fact: ram.used-share, above: $half }', Number.POSITIVE_INFINITY, 'unknown'],
    ['{ fact: ram.used-share, above: $half }', '0.9', 'unknown'],
    ['{ fact: gpu.oom-logged, is: true }', 'true', 'unknown'],
    ['{ fact: gpu.want, known: true }', 5, 'yes'],
    ['{ fact: gpu.want, known: true }', unknown(), 'no'],
    ['{ fact: gpu.want, known: false }', unknown(), 'yes'],
    ['{ fact: gpu.want, known: false }', 5, 'no'],
  ])('%s with %s is %s', (text, value, answer) => {
    const condition = conditionOf(text);
    const id = condition.kind === 'fact' ? condition.entry.id : '';

    expect(judge(condition, factsOf({ [id]: value })).answer).toBe(answer);
  });

  it('a fact that nobody derived is unknown, not no', () => {
    expect(judge(conditionOf('{ fact: gpu.oom-logged, is: false }'), factsOf({})).answer).toBe('unknown');
  });
});

describe('groups', () => {
  const facts = factsOf({ 'gpu.oom-logged': true, 'log.error-seen': false });
  const YES = '{ fact: gpu.oom-logged, is: true }';
  const NO = '{ fact: log.error-seen, is: true }';
  const OPEN = '{ fact: ram.shm-left-behind, is: true }';

  it.each<[condition: string, answer: Answer]>([
    [`{ all: [${YES}, ${YES}] }`, 'yes'],
    [`{ all: [${YES}, ${OPEN}] }`, 'unknown'],
    [`{ all: [${OPEN}, ${NO}] }`, 'no'],
    [`{ any: [${NO}, ${YES}] }`, 'yes'],
    [`{ any: [${OPEN}, ${YES}] }`, 'yes'],
    [`{ any: [${OPEN}, ${NO}] }`, 'unknown'],
    [`{ any: [${NO}, ${NO}] }`, 'no'],
    [`{ not: ${YES} }`, 'no'],
    [`{ not: ${NO} }`, 'yes'],
    [`{ not: ${OPEN} }`, 'unknown'],
    [`{ not: { all: [${OPEN}, ${NO}] } }`, 'yes'],
    [`{ any: [{ all: [${YES}, { not: ${NO} }] }, ${OPEN}] }`, 'yes'],
  ])('%s is %s', (text, answer) => {
    expect(judge(conditionOf(text), facts).answer).toBe(answer);
  });

  it('names only the missing facts that keep it from being judged', () => {
    const text = `{ all: [${YES}, { any: [${NO}, { fact: gpu.want, above: $gib }, { fact: gpu.want, below: $gib }] }, { any: [{ fact: gpu.free, above: $gib }, ${YES}] }] }`;

    const judged = judge(conditionOf(text), new Map([...facts, ['gpu.want', unknown('budget')]]));

    expect(missingOf(judged).map(({ entry, fact }) => [entry.id, fact.reason])).toEqual([['gpu.want', 'budget']]);
  });
});

it('an unknown fact never decides: whatever its value turns out to be, a yes stays a yes and a no a no', () => {
  const fact = fc.constantFrom('gpu.oom-logged', 'log.error-seen', 'ram.shm-left-behind', 'ram.shm-full');
  const leaf = fc.record({ fact, is: fc.boolean() });
  const tree = fc.letrec<{ node: object }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.record({ all: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ any: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie('node') }),
    ),
  })).node;
  const values = fc.record({
    'gpu.oom-logged': fc.constantFrom(true, false, undefined),
    'log.error-seen': fc.constantFrom(true, false, undefined),
    'ram.shm-left-behind': fc.constantFrom(true, false, undefined),
    'ram.shm-full': fc.constantFrom(true, false, undefined),
  });

  fc.assert(
    fc.property(tree, values, fc.boolean(), (node, some, later) => {
      const condition = conditionOf(JSON.stringify(node));
      const entries = Object.entries(some);
      const now = factsOf(Object.fromEntries(entries.flatMap(([id, v]) => (v === undefined ? [] : [[id, v]]))));
      const then = factsOf(Object.fromEntries(entries.map(([id, v]) => [id, v ?? later])));
      const before = judge(condition, now).answer;
      expect(before === 'unknown' || judge(condition, then).answer === before).toBe(true);
    }),
    { seed: 7, numRuns: 150 },
  );
});
