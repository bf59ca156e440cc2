import type { Cited } from '../../model/engine-reader.ts';
import { MIB } from '../../model/quantity.ts';
import { cited, type TextLine } from '../text/lines.ts';

export const SMI_FILE = 'nvidia-smi.txt';

/** What one line, or two that belong together, say about one device. Sizes in bytes, shares 0 to 1, `at` as in TextSeries. */
export type SmiObservation = {
  readonly index: number | undefined;
  readonly name?: Cited<string>;
  readonly used?: Cited<number>;
  readonly total?: Cited<number>;
  readonly free?: Cited<number>;
  readonly at?: number;
  /** A MIG slice of the GPU, as `GI/CI`. */
  readonly slice?: string;
};

export type SmiProcess = {
  readonly gpu: number | undefined;
  readonly pid: number;
  readonly name: string | undefined;
  readonly used: Cited<number> | undefined;
};

/** What a form of output gives for one line: undefined when the line is not of that form. */
export type SmiFinding = {
  readonly gpus?: readonly SmiObservation[];
  readonly processes?: readonly SmiProcess[];
  /** The head of a new block. */
  readonly isHeader?: true;
};

/** A reader of one form of output. It keeps its own state from line to line. */
export interface SmiForm {
  take(line: TextLine): SmiFinding | undefined;
}

/** A number of MiB as a size. */
export function mib(digits: string | undefined, line: TextLine): Cited<number> | undefined {
  if (digits === undefined || !/^\d{1,9}(?:\.\d{1,6})?$/.test(digits.trim())) return undefined;
  return cited(Number(digits) * MIB, SMI_FILE, line);
}
