import { flagOf } from '../model/flag-table.ts';
import type { EngineState } from './outcome.ts';
import type { WantedFlag } from './proposal.ts';

/** Why a value can be no part of a sum, in words; undefined where nothing is wrong. What is left to the engine is fine. */
export function checkWanted({ engine, knobs }: EngineState, { flag, text, number }: WantedFlag): string | undefined {
  if (text === null) return undefined;
  const { length, sequences, batched, fraction, fractionOf, tensorParallel, pipelineParallel } = knobs;
  const isOf = (names: readonly (string | undefined)[]): boolean => names.some((name) => isSame(engine, flag, name));
  const counts = isOf([length, sequences, batched, tensorParallel, pipelineParallel]);
  if (counts && !(number !== undefined && number >= 1)) return `${flag} takes a number from 1 on, and not ${text}.`;
  if (!isOf([fraction])) return undefined;
  if (number === undefined || number <= 0) return `${flag} takes a number above 0, and not ${text}.`;
  return fractionOf === 'total' && number > 1
    ? `${flag} is a share of the GPU, at most 1, and not ${text}.`
    : undefined;
}

function isSame(engine: string, typed: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  const known = flagOf(engine, undefined, name);
  const names = known.kind === 'exists' ? [known.entry.flag, ...(known.entry.aliases ?? [])] : [name];
  const key = (flag: string): string => (flag.startsWith('--') ? flag.replaceAll('_', '-') : flag);
  return [name, ...names].some((one) => key(one) === key(typed));
}
