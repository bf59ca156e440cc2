import type { Facts } from '../model/fact.ts';
import { type Cause, type Phase, type Plane, phaseOf } from '../model/taxonomy.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Finding, Marks, PhaseSource, Target } from './compiled.ts';
import { factOf } from './judge.ts';
import { answer, type JudgedBranch, NO_MARKS, type Walk, type WalkStep } from './walk.ts';

/** What a finding says with these facts. `firm` is false where its cause had to be guessed. */
export type Settled = { readonly plane: Plane; readonly phase: Phase; readonly cause: Cause; readonly firm: boolean };

export function settle(finding: Finding, facts: Facts, marks: Marks = NO_MARKS): Settled {
  const { cause, firm } = causeOf(finding, facts);
  const phase = marks.phase ?? phaseFrom(finding.phase, cause, facts);
  return { plane: finding.plane, phase, cause, firm };
}

function phaseFrom(source: PhaseSource, cause: Cause, facts: Facts): Phase {
  if (source.kind === 'fixed') return source.phase;
  if (source.kind === 'cause') return phaseOf(cause) ?? source.otherwise;
  const life = factOf(source.life, facts);
  const age = factOf(source.age, facts);
  if (life.kind === 'known' && life.value === 'starting') return 'startup';
  if (age.kind === 'known' && source.chronic.includes(String(age.value))) return 'chronic';
  return life.kind === 'known' || (age.kind === 'known' && age.value !== 'minutes') ? 'burst' : 'n/a';
}

function causeOf({ cause }: Finding, facts: Facts): { cause: Cause; firm: boolean } {
  if (cause.kind === 'fixed') return { cause: cause.cause, firm: true };
  const seen = factOf(cause.entry, facts);
  const named = seen.kind === 'known' ? cause.among.find((word) => word === seen.value) : undefined;
  return named === undefined ? { cause: cause.otherwise, firm: false } : { cause: named, firm: true };
}

/**
 * What the answer could have been had the missing facts been there: the verdicts behind branches that could not be
 * judged, other than the one given. Branches that do not doubt, or only the cause, and those above one that settles, are left out.
 */
export function doubts({ steps, finding, marks }: Walk, facts: Facts): readonly Settled[] {
  const given = settle(finding, facts, marks);
  const known = new Map<Target, ReadonlySet<Finding>>();
  const possible = new Set<Finding>();
  for (const step of steps) {
    for (const { branch } of doubtful(step)) for (const found of reach(branch.then, facts, known)) possible.add(found);
  }
  return [...possible]
    .map((found) => settle(found, facts))
    .filter(
      ({ plane, phase, cause, firm }) =>
        plane !== given.plane || cause !== given.cause || !firm || !isWithin(phase, given.phase),
    );
}

type Certainty = Pick<Verdict, 'certain' | 'causeCertain'>;
export const NOT_CERTAIN: Certainty = { certain: false, causeCertain: false };

/**
 * How certain a finding is that has proof. Where its cause is open that is of the plane, and of startup or serving unless
 * it leaves that open too: doubts about the cause do not count, nor those about what only a cause tells apart.
 */
export function certainty(walked: Walk, given: Settled, others: readonly Settled[]): Certainty {
  const { finding, marks } = walked;
  if (!finding.mayBeCertain || marks.guess) return NOT_CERTAIN;
  if (marks.open !== undefined || isOpen(finding, given) || isOpened(walked)) {
    const certain = others.every(({ plane, phase }) => plane === given.plane && isWithin(phase, given.phase));
    return { certain, causeCertain: false };
  }
  const certain = given.firm && others.length === 0;
  return { certain, causeCertain: certain };
}

function isOpen({ causeOpen, cause }: Finding, { firm }: Settled): boolean {
  return causeOpen !== undefined || (!firm && cause.kind === 'fact' && cause.open !== undefined);
}

// Less evidence never makes a cause more certain: what would have opened it, and could not be judged, leaves it open.
function isOpened({ steps }: Walk): boolean {
  return steps.some((step) => unjudged(step).some(({ branch }) => branch.opensCause !== undefined));
}

function doubtful(step: WalkStep): readonly JudgedBranch[] {
  return unjudged(step).filter(({ branch }) => branch.doesNotDoubt === undefined && branch.opensCause === undefined);
}

function unjudged({ passed, taken }: WalkStep): readonly JudgedBranch[] {
  return taken?.branch.settles === undefined ? passed.filter(({ judged }) => judged.answer === 'unknown') : [];
}

// Burst and chronic are patterns of one time: that a process served is seen, in which pattern it failed is part of why.
function isWithin(phase: Phase, said: Phase): boolean {
  return said === 'n/a' || (phase === 'startup') === (said === 'startup');
}

/** The findings that can be reached from here if unknown is taken both as yes and as no. */
function reach(target: Target, facts: Facts, known: Map<Target, ReadonlySet<Finding>>): ReadonlySet<Finding> {
  if (target.kind === 'finding') return new Set([target]);
  const before = known.get(target);
  if (before !== undefined) return before;
  const step = answer(target, facts);
  const ways = [...doubtful(step).map(({ branch }) => branch.then), step.taken?.branch.then ?? target.otherwise];
  const found = new Set(ways.flatMap((way) => [...reach(way, facts, known)]));
  known.set(target, found);
  return found;
}
