import type { Cited, EngineArgument, EngineFigures, EngineReading } from '../../model/engine-reader.ts';
import { flagOfKnob, type Knob } from '../../model/knob-table.ts';
import { effectiveArgument, parseShare } from './arguments.ts';

const FIGURE_OF: Readonly<Record<Knob, keyof EngineFigures>> = {
  fraction: 'fraction',
  length: 'maxModelLen',
  sequences: 'maxSeqs',
  'batched-tokens': 'batchedTokens',
};

/** What the engine printed that it runs with, as arguments behind those that it was given. */
export function printedArguments(
  { engine, figures }: EngineReading,
  given: readonly EngineArgument[],
): EngineArgument[] {
  return (Object.entries(FIGURE_OF) as [Knob, keyof EngineFigures][]).flatMap(([knob, name]) => {
    const flag = flagOfKnob(engine, knob)?.replaceAll(/(?<=[a-z])_(?=[a-z])/g, '-');
    const printed = figures[name];
    // A variable is no flag: what Ollama prints is the context of all sequences, what it is told that of one.
    if (printed === undefined || flag?.startsWith('--') !== true) return [];
    return isRounded(effectiveArgument(given, flag), printed)
      ? []
      : [{ flag, value: String(printed.value), from: printed.from }];
  });
}

// vLLM V0 prints its fraction with two digits.
function isRounded(given: EngineArgument | undefined, printed: Cited<number>): boolean {
  const value = parseShare(given?.value ?? null);
  return value !== undefined && Number(value.toFixed(2)) === printed.value;
}
