import type { BudgetOutcome } from '../model/budget.ts';
import { excessOf, flagOfKnob, type Knob } from '../model/knob-table.ts';
import { LENGTH_SHARE, wholeBlocks } from '../model/safe-values.ts';
import type { EngineState } from './outcome.ts';
import { outcomeWith } from './proposal.ts';

/** An engine, what is in force in it as the facts have it, and the allocation that failed. */
export type AdviceInput = {
  readonly state: EngineState;
  readonly utilization: number | undefined;
  readonly sequences: number | undefined;
  /** Requests in the batch when it failed while serving: a limit above that bounds nothing. */
  readonly running?: number | undefined;
  readonly batchedTokens: number | undefined;
  readonly wantBytes: number | undefined;
  readonly freeBytes: number | undefined;
};

/** A value that the numbers lead to, and the facts and startup figures that it was computed from; one that is not known took no part. */
export type Advised = { readonly value: number | boolean; readonly from: readonly string[] };

/** Values by the id of their fact; what cannot be told is absent. */
export type Advice = Readonly<Record<string, Advised | undefined>>;

/** A fraction below this leaves too little for any model that filled the GPU before. */
export const LOWEST_FRACTION = 0.3;

/** The length to set where this is the longest that fits; undefined where that is none. */
export function lengthToSet(longest: number): number | undefined {
  return wholeBlocks(longest * LENGTH_SHARE) || undefined;
}

/** The engine with other values of its knobs. */
export function outcomeAt(state: EngineState, values: Partial<Readonly<Record<Knob, number>>>): BudgetOutcome {
  const wanted = Object.entries(values).flatMap(([knob, number]) => {
    const flag = flagOfKnob(state.engine, knob as Knob);
    return flag === undefined ? [] : [{ flag, text: String(number), number }];
  });
  return outcomeWith(state, wanted);
}

/** Sequences that were at work: as many as ran, and no more than are allowed. */
export function sequencesAtWork({ state, sequences, running }: AdviceInput): number | undefined {
  // A limit above which requests are refused counts those that wait as well.
  if (running === undefined || running < 1 || excessOf(state.engine) === 'is refused') return sequences;
  return Math.min(sequences ?? running, running);
}
