import type { ModelFamily } from './model-table.ts';
import { GIB } from './quantity.ts';
import { tablesInForce } from './reference-tables.ts';

/** The highest of the bytes per parameter of a format; NaN for one that no table has. */
export function bytesPerParameter(format: string): number {
  return tablesInForce().weightFormats.find((one) => one.format === format)?.bytes[1] ?? Number.NaN;
}

type ToldFormat = { quantization?: string | null; dtype?: string | null };

/** The weight format by what was told (`--quantization`, `--dtype`) and by the model's name; 16 bit where neither mentions another. */
export function formatOf(model: string, told: ToldFormat = {}): string {
  return namedFormat(model, told) ?? 'bfloat16';
}

/** The same; undefined where nothing mentions a format. */
export function namedFormat(model: string, told: ToldFormat): string | undefined {
  const named = [told.quantization ?? '', model]
    .map((words) => tablesInForce().weightFormats.find((one) => one.named?.test(words.toLowerCase())))
    .find((format) => format !== undefined);
  if (named !== undefined) return named.format;
  return /^float(?:32)?$/.test(told.dtype ?? '') ? 'float32' : undefined;
}

/** `hidden`: width of embedding and head. */
export type ModelSize = Pick<
  ModelFamily,
  'parametersBillions' | 'loadedGib' | 'encoderBillions' | 'encoderCacheGib'
> & { readonly hidden?: number | undefined };

/** Weights of a whole model in bytes: embedding and head stay at 16 bit where the rest is quantized. NaN for an unknown format. */
export function loadedBytes(
  { parametersBillions, hidden, loadedGib, encoderBillions = 0 }: ModelSize,
  { format, words }: { readonly format: string; readonly words?: number | undefined },
): number {
  const printed = loadedGib?.[format];
  if (printed !== undefined) return printed * GIB;
  const [least, most] = tablesInForce().weightFormats.find((one) => one.format === format)?.bytes ?? [];
  if (least === undefined || most === undefined) return Number.NaN;
  const parameters = parametersBillions * 1e9;
  // The highest of a format has embedding and head in it.
  if (most >= SIXTEEN_BIT || words === undefined || hidden === undefined) return parameters * most;
  const kept = Math.min(2 * words * hidden + encoderBillions * 1e9, parameters);
  return kept * SIXTEEN_BIT + (parameters - kept) * least;
}

const SIXTEEN_BIT = 2;
