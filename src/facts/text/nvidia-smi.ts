import type { Cited } from '../../model/engine-reader.ts';
import type { TextSeries } from './text-series.ts';

/** One device as the newest block shows it. Sizes in bytes, shares 0 to 1. */
export type SmiGpu = {
  readonly index: number | undefined;
  readonly name: Cited<string> | undefined;
  readonly used: Cited<number> | undefined;
  readonly total: Cited<number> | undefined;
  readonly free: Cited<number> | undefined;
  readonly busyShare: Cited<number> | undefined;
  readonly celsius: Cited<number> | undefined;
};

export type SmiProcess = {
  readonly gpu: number | undefined;
  readonly pid: number;
  readonly name: string | undefined;
  readonly used: Cited<number> | undefined;
};

export type SmiReading = {
  readonly gpus: readonly SmiGpu[];
  readonly processes: readonly SmiProcess[];
  readonly series: readonly TextSeries[];
  readonly driver: Cited<string> | undefined;
};

/** nvidia-smi.txt in any form: table, csv, repeated blocks, dmon, pmon, or loose lines. Never throws. */
export function readNvidiaSmi(_text: string): SmiReading {
  return { gpus: [], processes: [], series: [], driver: undefined };
}
