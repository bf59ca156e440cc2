import type { CompileContext } from './compile-context.ts';
import type { Condition, FactCondition, FactTest, Question } from './compiled.ts';
import { passes } from './judge.ts';

/**
 * Warns of branches that no facts can reach: the condition contradicts itself, or a branch above says yes whenever it
 * does. Sound, not complete: what it reports is dead, what it does not report may still be.
 */
export function warnOfDeadBranches(question: Question, context: CompileContext): void {
  for (const [index, { id, condition }] of question.branches.entries()) {
    const keys = ['questions', question.id, 'branches', index, 'if'];
    if (neverYes(condition)) {
      context.warn(keys, `branch ${id} is never taken: its conditions exclude each other`);
      continue;
    }
    const before = question.branches.slice(0, index);
    const always = before.find((branch) => alwaysYes(branch.condition));
    const covering = always ?? before.find((branch) => implies(condition, branch.condition));
    if (covering === undefined) continue;
    const why = always === undefined ? 'whenever this one would' : 'always';
    context.warn(keys, `branch ${id} is never reached: branch ${covering.id} above it is taken ${why}`);
  }
}

/** True where a yes of `a` is always a yes of `b`. */
export function implies(a: Condition, b: Condition): boolean {
  if (same(a, b)) return true;
  if (a.kind === 'any') return a.of.every((part) => implies(part, b));
  if (b.kind === 'all') return b.of.every((part) => implies(a, part));
  if (a.kind === 'fact' && b.kind === 'fact') return a.entry.id === b.entry.id && within(a.test, b.test);
  if (b.kind === 'any' && b.of.some((part) => implies(a, part))) return true;
  return a.kind === 'all' && a.of.some((part) => implies(part, b));
}

/** True where no facts make the condition a yes. */
function neverYes(condition: Condition): boolean {
  if (condition.kind === 'fact')
    return condition.test.kind === 'order' && isEmpty(condition.test, condition.entry.unit);
  if (condition.kind === 'not') return alwaysYes(condition.of[0]);
  if (condition.kind === 'any') return condition.of.every(neverYes);
  const leaves = condition.of.filter((part) => part.kind === 'fact');
  return condition.of.some(neverYes) || leaves.some((a, i) => leaves.slice(i + 1).some((b) => exclude(a, b)));
}

/** True where the condition is a yes whatever is known. Only `known` can say so: any comparison may be unknown. */
function alwaysYes(condition: Condition): boolean {
  if (condition.kind === 'fact' || condition.kind === 'not') return false;
  if (condition.kind === 'all') return condition.of.every(alwaysYes);
  const asked = new Set<string>();
  for (const part of condition.of) {
    if (part.kind === 'fact' && part.test.kind === 'known') asked.add(`${part.entry.id} ${part.test.wanted}`);
  }
  return (
    condition.of.some(alwaysYes) ||
    [...asked].some((key) => key.endsWith(' true') && asked.has(key.replace(/true$/, 'false')))
  );
}

function same(a: Condition, b: Condition): boolean {
  if (a.kind === 'fact' || b.kind === 'fact') {
    return (
      a.kind === 'fact' &&
      b.kind === 'fact' &&
      a.entry.id === b.entry.id &&
      JSON.stringify(a.test) === JSON.stringify(b.test)
    );
  }
  return a.kind === b.kind && a.of.length === b.of.length && a.of.every((part, i) => same(part, b.of[i] ?? part));
}

/** True where every value that passes `a` passes `b`. */
function within(a: FactTest, b: FactTest): boolean {
  if (b.kind === 'known') return a.kind === 'known' ? a.wanted === b.wanted : b.wanted;
  if (a.kind === 'known') return false;
  if (a.kind === 'one-of') return a.values.every((value) => passes(value, b));
  if (b.kind === 'one-of' || isUpper(a) !== isUpper(b)) return false;
  if (a.mark !== b.mark) return isUpper(a) ? a.mark < b.mark : a.mark > b.mark;
  return !(isInclusive(a) && !isInclusive(b));
}

type OrderTest = Extract<FactTest, { kind: 'order' }>;

function isUpper({ order }: OrderTest): boolean {
  return order === 'below' || order === 'at-most';
}

function isInclusive({ order }: OrderTest): boolean {
  return order === 'at-most' || order === 'at-least';
}

function exclude({ entry: a, test: x }: FactCondition, { entry: b, test: y }: FactCondition): boolean {
  if (a.id !== b.id) return false;
  if (x.kind === 'known' || y.kind === 'known') {
    const wanted = (test: FactTest): boolean => test.kind !== 'known' || test.wanted;
    return wanted(x) !== wanted(y);
  }
  if (x.kind === 'one-of') return !x.values.some((value) => passes(value, y));
  if (y.kind === 'one-of') return !y.values.some((value) => passes(value, x));
  if (isUpper(x) === isUpper(y)) return false;
  const [low, high] = isUpper(x) ? [y, x] : [x, y];
  return low.mark > high.mark || (low.mark === high.mark && !(isInclusive(low) && isInclusive(high)));
}

function isEmpty({ order, mark }: OrderTest, unit: string): boolean {
  return unit === 'share' && ((order === 'below' && mark <= 0) || (order === 'above' && mark >= 1));
}
