import { tablesInForce } from './reference-tables.ts';

/** The highest of the bytes per parameter of a format; NaN for one that no table has. */
export function bytesPerParameter(format: string): number {
  return tablesInForce().weightFormats.find((one) => one.format === format)?.bytes[1] ?? Number.NaN;
}

/** The weight format by what was told (`--quantization`, `--dtype`) and by the model's name; 16 bit where neither mentions another. */
export function formatOf(model: string, told: { quantization?: string | null; dtype?: string | null } = {}): string {
  const words = `${told.quantization ?? ''} ${model}`.toLowerCase();
  const named = tablesInForce().weightFormats.find((one) => one.named?.test(words));
  if (named !== undefined) return named.format;
  return /^float(?:32)?$/.test(told.dtype ?? '') ? 'float32' : 'bfloat16';
}
