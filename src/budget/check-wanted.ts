import { entryOf } from '../model/flag-table.ts';
import { rangeOfFlag, whyNotTaken } from '../model/flag-values.ts';
import type { EngineState } from './outcome.ts';
import type { WantedFlag } from './proposal.ts';

/** Why a value can be no part of a sum, in words; undefined where nothing is wrong. What is left to the engine is fine. */
export function checkWanted({ engine, knobs }: EngineState, wanted: WantedFlag): string | undefined {
  const { flag, text, number } = wanted;
  if (text === null) {
    const range = rangeOfFlag(engine, flag);
    return range === undefined ? undefined : `${flag} takes a value: ${range}.`;
  }
  const why = whyNotTaken(engine, flag, text);
  if (why !== undefined) return `${why}.`;
  const { length, sequences, batched } = knobs;
  const isSummed = [length, sequences, batched].some((name) => name !== undefined && isSame(engine, flag, name));
  // `auto`, `-1` and `0` are taken, and mean what the engine makes of them.
  return isSummed && !(number !== undefined && number >= 1)
    ? `${flag}=${text} leaves it to the engine, so there is nothing to sum: give a number from 1 on.`
    : undefined;
}

function isSame(engine: string, typed: string, name: string): boolean {
  return typed === name || entryOf(engine, typed)?.flag === name;
}
