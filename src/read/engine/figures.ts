import type { LineCitation } from '../../model/citation.ts';
import { FIGURES, type FigureName, type SignatureFigure } from '../../model/engine-figures.ts';
import type { Cited, EngineArgument, EngineFigures, EngineReading } from '../../model/engine-reader.ts';
import { flagOfKnob, type Knob } from '../../model/knob-table.ts';
import type { Hit } from '../../model/log-reading.ts';
import { GIB, MIB, parseSize } from '../../model/quantity.ts';
import { effectiveArgument, parseShare } from './arguments.ts';

/** A hit with the log that it stands in. */
export type PlacedHit = { readonly hit: Hit; readonly file: string };

/** Where a hit can be looked up. */
export function citeHit({ hit, file }: PlacedHit): LineCitation {
  return { kind: 'line', file, line: hit.line, text: hit.text };
}

/** The figures that the hits tell; of several lines that tell one, the line of the lowest rank. */
export function readFigures(hits: readonly PlacedHit[]): EngineFigures {
  const values = hits.flatMap((placed) => (placed.hit.signature.figures ?? []).flatMap((of) => valueAt(placed, of)));
  const entries = (Object.keys(FIGURES) as FigureName[]).flatMap((name) => {
    const found = inForce(values.filter(({ of }) => of.is === name));
    return found === undefined ? [] : [[name, { value: found.value, from: citeHit(found.placed) }] as const];
  });
  return Object.fromEntries(entries);
}

type Value = { readonly value: number; readonly placed: PlacedHit; readonly of: SignatureFigure };

function inForce(values: readonly Value[]): Value | undefined {
  const lowest = Math.min(...values.map(rankOf));
  const told = values.filter((value) => rankOf(value) === lowest);
  const [first] = told;
  if (first?.of.each !== undefined) return sumOfEach(told);
  return first?.of.last === true ? told.at(-1) : first;
}

function rankOf({ of: { rank = 1 } }: Value): number {
  return rank;
}

function valueAt(placed: PlacedHit, of: SignatureFigure): Value[] {
  const { captures } = placed.hit;
  const isOther = Object.entries(of.only ?? {}).some(([name, text]) => captures[name] !== text);
  if (isOther || isOfHost(placed.hit, of)) return [];
  const first = parse(captures[of.capture], of);
  const second = of.plus === undefined ? 0 : (parse(captures[of.plus], of) ?? 0);
  return first === undefined ? [] : [{ value: first + second, placed, of }];
}

const HOST = /^CPU|_Host$|^BLAS/;

/** Whether a buffer is host memory: one of the processor, or a page-locked one. */
export function isHostBuffer(buffer: string): boolean {
  return HOST.test(buffer);
}

// Without a GPU an engine prints the memory of the node in the words that it has for a GPU.
function isOfHost({ captures }: Hit, { each }: SignatureFigure): boolean {
  return captures.library === 'cpu' || (each !== undefined && isHostBuffer(captures[each] ?? ''));
}

const FACTORS = { GiB: GIB, MiB: MIB } as const;

function parse(text: string | undefined, { unit }: SignatureFigure): number | undefined {
  if (text === undefined) return undefined;
  const value = unit === 'size' ? parseSize(text) : Number(text.replaceAll(',', ''));
  if (value === undefined || !Number.isFinite(value)) return undefined;
  return unit === undefined || unit === 'size' ? value : value * FACTORS[unit];
}

// A server that loads again prints the line of a device again: the last one is in force. The largest part is cited.
function sumOfEach(values: readonly Value[]): Value | undefined {
  const deviceOf = ({ placed, of }: Value) => placed.hit.captures[of.each ?? ''] ?? '';
  const last = [...new Map(values.map((value) => [deviceOf(value), value])).values()];
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
