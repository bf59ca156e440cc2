import { flagOfKnob } from '../model/knob-table.ts';
import type { Sums } from '../model/knobs-file.ts';
import { tablesInForce } from '../model/reference-tables.ts';

/** What an engine calls the knobs of memory, and how its fraction counts. */
export type Knobs = Sums & {
  readonly length?: string | undefined;
  readonly sequences?: string | undefined;
  readonly batched?: string | undefined;
  readonly fraction?: string | undefined;
};

/** The knobs of an engine, by its name in the tables; undefined for one that no profile is for. */
export function knobsOf(engine: string): Knobs | undefined {
  const sums = tablesInForce().knobs[engine]?.sums;
  if (sums === undefined) return undefined;
  return {
    ...sums,
    length: flagOfKnob(engine, 'length'),
    sequences: flagOfKnob(engine, 'sequences'),
    batched: flagOfKnob(engine, 'batched-tokens'),
    fraction: flagOfKnob(engine, 'fraction'),
  };
}

/** For an engine without a sum: the fraction is one of the GPU, and nothing can be proved. */
export const PLAIN_KNOBS: Knobs = {
  fractionOf: 'total',
  activationsInside: true,
  holdsLength: false,
  wholePrompts: 'no',
  rowsInPass: false,
  blockTokens: 16,
};
