import type { Fact, FactEntry, Facts, FactValue, Unit } from '../model/fact.ts';
import type { Condition, FactTest } from './compiled.ts';

export type Answer = 'yes' | 'no' | 'unknown';

/** A condition as it was judged. `seen` is set for a condition on a fact, `of` for a group. */
export type Judged = {
  readonly condition: Condition;
  readonly answer: Answer;
  readonly seen: Fact | undefined;
  readonly of: readonly Judged[];
};

/** Judges a condition: a missing fact is unknown; `all` with a no is no, `any` with a yes is yes. Never throws. */
export function judge(condition: Condition, facts: Facts): Judged {
  if (condition.kind === 'fact') {
    const seen = factOf(condition.entry, facts);
    return { condition, answer: answerOf(condition.test, seen), seen, of: [] };
  }
  const of = condition.of.map((part) => judge(part, facts));
  return {
    condition,
    answer: combine(
      condition.kind,
      of.map(({ answer }) => answer),
    ),
    seen: undefined,
    of,
  };
}

/** The answer of a group from those of its parts. */
export function combine(kind: 'all' | 'any' | 'not', answers: readonly Answer[]): Answer {
  if (kind === 'not') return answers[0] === 'yes' ? 'no' : answers[0] === 'no' ? 'yes' : 'unknown';
  const decisive = kind === 'all' ? 'no' : 'yes';
  if (answers.includes(decisive)) return decisive;
  if (answers.includes('unknown')) return 'unknown';
  return kind === 'all' ? 'yes' : 'no';
}

function answerOf(test: FactTest, seen: Fact): Answer {
  if (test.kind === 'known') return (seen.kind === 'known') === test.wanted ? 'yes' : 'no';
  if (seen.kind === 'unknown') return 'unknown';
  return passes(seen.value, test) ? 'yes' : 'no';
}

/** Whether a known value passes a test. A value of another type passes no comparison. */
export function passes(value: FactValue, test: FactTest): boolean {
  if (test.kind === 'known') return test.wanted;
  if (test.kind === 'one-of') return test.values.includes(value);
  if (typeof value !== 'number') return false;
  switch (test.order) {
    case 'above':
      return value > test.mark;
    case 'at-least':
      return value >= test.mark;
    case 'below':
      return value < test.mark;
    case 'at-most':
      return value <= test.mark;
  }
}

/** A fact as the playbook sees it: absent is unknown, and so is a value that its unit cannot hold. */
export function factOf(entry: FactEntry, facts: Facts): Fact {
  const fact = facts.get(entry.id);
  if (fact === undefined) return { kind: 'unknown', reason: 'not-in-snapshot', detail: '' };
  if (fact.kind === 'unknown' || fits(entry.unit, fact.value)) return fact;
  return { kind: 'unknown', reason: 'failed', detail: `its value is not a ${entry.unit}` };
}

function fits(unit: Unit, value: FactValue): boolean {
  if (unit === 'yes-no') return typeof value === 'boolean';
  if (unit === 'text' || unit === 'choice') return typeof value === 'string';
  return typeof value === 'number' && Number.isFinite(value);
}

export type MissingFact = { readonly entry: FactEntry; readonly fact: Extract<Fact, { kind: 'unknown' }> };

/** The facts that kept a condition from being judged, each once. */
export function missingOf(judged: Judged): readonly MissingFact[] {
  const found = new Map<string, MissingFact>();
  collect(judged, found);
  return [...found.values()];
}

function collect(judged: Judged, found: Map<string, MissingFact>): void {
  if (judged.answer !== 'unknown') return;
  const { condition, seen } = judged;
  if (condition.kind === 'fact' && seen?.kind === 'unknown' && !found.has(condition.entry.id)) {
    found.set(condition.entry.id, { entry: condition.entry, fact: seen });
  }
  for (const part of judged.of) collect(part, found);
}
