import type { Condition, FactCondition, Playbook, Question } from './compiled.ts';

/** How cases meet a branch: they take it, stand exactly on one of its lines, miss it by one condition, or lack its evidence. */
export const KINDS = ['hit', 'on-the-line', 'near-miss', 'evidence-gone'] as const;
export type CaseKind = (typeof KINDS)[number];

/** Kinds of cases that a branch can have where it stands: `known` are the facts that are known whenever its question is asked. */
export function possibleKinds(question: Question, at: number, known: ReadonlySet<string>): readonly CaseKind[] {
  const branch = question.branches[at];
  if (branch === undefined) return ['hit'];
  const leaves = leavesOf(branch.condition);
  const kinds: CaseKind[] = ['hit'];
  if (leaves.some(({ test }) => test.kind === 'order')) kinds.push('on-the-line');
  if (!takesTheRest(question, at)) kinds.push('near-miss');
  if (canBeUnknown(branch.condition, known)) kinds.push('evidence-gone');
  return kinds;
}

/**
 * Whether a condition can lack evidence. A `known` test always has an answer, and so have the facts that led to the question.
 * An unknown fact also decides if `all` has its `known: true` next to it, or `any` its `known: false`.
 */
function canBeUnknown(condition: Condition, decided: ReadonlySet<string>): boolean {
  if (condition.kind === 'fact') return condition.test.kind !== 'known' && !decided.has(condition.entry.id);
  if (condition.kind === 'not') return condition.of.some((part) => canBeUnknown(part, decided));
  const wanted = condition.kind === 'all';
  const asked = condition.of.flatMap((part) =>
    part.kind === 'fact' && part.test.kind === 'known' && part.test.wanted === wanted ? [part.entry.id] : [],
  );
  const here = new Set([...decided, ...asked]);
  return condition.of.some((part) => canBeUnknown(part, here));
}

/** The facts that are known whenever a question is asked, whatever way led there. */
export function knownOnArrival({ questions, start }: Playbook): ReadonlyMap<string, ReadonlySet<string>> {
  const arrivals = new Map<string, ReadonlySet<string>>([[start.id, new Set()]]);
  // A playbook has no circles, so that as many rounds as there are questions reach the end of the longest way.
  for (const _ of questions) for (const question of questions) spread(question, arrivals);
  return arrivals;
}

function spread({ id, branches, otherwise }: Question, arrivals: Map<string, ReadonlySet<string>>): void {
  const here = arrivals.get(id);
  if (here === undefined) return;
  const edges = [
    ...branches.map(({ condition, then }) => ({ to: then, facts: new Set([...here, ...knownByYes(condition)]) })),
    { to: otherwise, facts: here },
  ];
  for (const { to, facts } of edges) {
    if (to.kind !== 'question') continue;
    const before = arrivals.get(to.id);
    arrivals.set(to.id, before === undefined ? facts : new Set([...before].filter((fact) => facts.has(fact))));
  }
}

/** Facts that must be known for the condition to say yes. */
function knownByYes(condition: Condition): ReadonlySet<string> {
  if (condition.kind === 'fact') {
    return new Set(condition.test.kind === 'known' && !condition.test.wanted ? [] : [condition.entry.id]);
  }
  if (condition.kind === 'not') return new Set();
  const [first = new Set<string>(), ...others] = condition.of.map(knownByYes);
  if (condition.kind === 'all') return new Set([first, ...others].flatMap((facts) => [...facts]));
  return new Set([...first].filter((fact) => others.every((facts) => facts.has(fact))));
}

/** Whether the branches above have taken every other word of the fact that this one asks for: then it is never missed. */
function takesTheRest({ branches }: Question, at: number): boolean {
  const own = branches[at]?.condition;
  if (own?.kind !== 'fact' || own.test.kind !== 'one-of' || own.entry.values === undefined) return false;
  const taken = branches
    .slice(0, at + 1)
    .flatMap(({ condition }) =>
      condition.kind === 'fact' && condition.entry.id === own.entry.id && condition.test.kind === 'one-of'
        ? condition.test.values
        : [],
    );
  return own.entry.values.every((value) => taken.includes(value));
}

function leavesOf(condition: Condition): readonly FactCondition[] {
  return condition.kind === 'fact' ? [condition] : condition.of.flatMap(leavesOf);
}
