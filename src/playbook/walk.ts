import type { Facts } from '../model/fact.ts';
import type { Branch, Finding, Marks, Question, Target } from './compiled.ts';
import { type Judged, judge } from './judge.ts';

export type JudgedBranch = { readonly branch: Branch; readonly judged: Judged };

/** One question on the way: the branches passed by with no or unknown, and the one taken; undefined = otherwise. */
export type WalkStep = {
  readonly question: Question;
  readonly passed: readonly JudgedBranch[];
  readonly taken: JudgedBranch | undefined;
};

export type Walk = { readonly steps: readonly WalkStep[]; readonly finding: Finding; readonly marks: Marks };

/** Walks from a question to a finding: branches top to bottom, the first yes wins. Same facts, same way; never throws. */
export function walk(start: Target, facts: Facts): Walk {
  const steps: WalkStep[] = [];
  let here = start;
  let marks = NO_MARKS;
  while (here.kind === 'question') {
    const step = answer(here, facts);
    steps.push(step);
    marks = joined(marks, step.taken?.branch.marks ?? here.otherwiseMarks);
    here = step.taken?.branch.then ?? here.otherwise;
  }
  return { steps, finding: here, marks };
}

export const NO_MARKS: Marks = { guess: false, open: undefined, phase: undefined };

function joined(before: Marks, next: Marks): Marks {
  return {
    guess: before.guess || next.guess,
    open: next.open ?? before.open,
    phase: next.phase ?? before.phase,
  };
}

/** Judges the branches of one question up to the first yes. */
export function answer(question: Question, facts: Facts): WalkStep {
  const passed: JudgedBranch[] = [];
  for (const branch of question.branches) {
    const judged = judge(branch.condition, facts);
    if (judged.answer === 'yes') return { question, passed, taken: { branch, judged } };
    passed.push({ branch, judged });
  }
  return { question, passed, taken: undefined };
}
