import type { LineCitation } from '../../model/citation.ts';
import type { Cited, EngineArgument, EngineFigures, EngineReading } from '../../model/engine-reader.ts';
import { flagOfKnob, type Knob } from '../../model/knob-table.ts';
import type { Hit } from '../../model/log-reading.ts';
import { parseSize } from '../../model/quantity.ts';
import { effectiveArgument, parseShare } from './arguments.ts';

/** A hit with the log that it stands in. */
export type PlacedHit = { readonly hit: Hit; readonly file: string };

/** Where a hit can be looked up. */
export function citeHit({ hit, file }: PlacedHit): LineCitation {
  return { kind: 'line', file, line: hit.line, text: hit.text };
}

/** Where a figure stands: a capture of a phrase, times `factor`. */
type FigureSource = {
  readonly id: string;
  readonly capture: string;
  readonly factor?: number;
  /** A size with its unit (`4.3 GiB`) instead of a bare number. */
  readonly isSize?: boolean;
  /** A second capture of the same line that belongs to the sum. */
  readonly plus?: string;
  readonly where?: (hit: Hit) => boolean;
  /** The engine prints the line for a trial first: the last one counts. */
  readonly isLast?: boolean;
  /** The line stands once for each device, named by this capture; the figure is the sum of the last of each. */
  readonly each?: string;
};

export type FigureTable = Readonly<Partial<Record<keyof EngineFigures, readonly FigureSource[]>>>;

/** The figures that the hits tell; of several sources the first that was printed. */
export function readFigures(hits: readonly PlacedHit[], table: FigureTable): EngineFigures {
  const entries = Object.entries(table).flatMap(([name, sources]) => {
    const found = figure(hits, sources);
    return found === undefined ? [] : [[name, found] as const];
  });
  return Object.fromEntries(entries);
}

/** One figure by the first of its sources that was printed. */
export function figure(hits: readonly PlacedHit[], sources: readonly FigureSource[]): Cited<number> | undefined {
  for (const source of sources) {
    const values = hits.flatMap((placed) => valueAt(placed, source));
    const found = source.each !== undefined ? sumOfEach(values) : values.at(source.isLast === true ? -1 : 0);
    if (found !== undefined) return { value: found.value, from: citeHit(found.placed) };
  }
  return undefined;
}

type Value = { readonly value: number; readonly placed: PlacedHit; readonly device: string };

function valueAt(placed: PlacedHit, source: FigureSource): Value[] {
  const { hit } = placed;
  if (hit.id !== source.id || source.where?.(hit) === false) return [];
  const first = parse(hit.captures[source.capture], source);
  const second = source.plus === undefined ? 0 : (parse(hit.captures[source.plus], source) ?? 0);
  if (first === undefined) return [];
  return [{ value: first + second, placed, device: hit.captures[source.each ?? ''] ?? '' }];
}

function parse(text: string | undefined, { factor = 1, isSize = false }: FigureSource): number | undefined {
  if (text === undefined) return undefined;
  const value = isSize ? parseSize(text) : Number(text.replaceAll(',', ''));
  return value === undefined || !Number.isFinite(value) ? undefined : value * factor;
}

// A server that loads again prints the line of a device again: the last one is in force. The largest part is cited.
function sumOfEach(values: readonly Value[]): Value | undefined {
  const last = [...new Map(values.map((value) => [value.device, value])).values()];
  const largest = last.toSorted((a, b) => b.value - a.value)[0];
  return largest && { ...largest, value: last.reduce((sum, { value }) => sum + value, 0) };
}

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
