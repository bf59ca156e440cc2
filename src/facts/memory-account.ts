import type { Cited } from '../model/engine-reader.ts';
import type { LogReading } from '../model/log-reading.ts';

/** The account of one CUDA OOM line, all figures in bytes, each with the line it stands in. `unmanaged` and `foreign` are derived. */
export type MemoryAccount = {
  readonly gpu: Cited<number> | undefined;
  readonly at: number | undefined;
  readonly want: Cited<number> | undefined;
  readonly total: Cited<number> | undefined;
  readonly free: Cited<number> | undefined;
  readonly allocated: Cited<number> | undefined;
  readonly reservedUnallocated: Cited<number> | undefined;
  readonly privatePools: Cited<number> | undefined;
  readonly ownProcess: Cited<number> | undefined;
  readonly others: readonly Cited<number>[];
  readonly allowed: Cited<number> | undefined;
  /** total - free - allocated - reservedUnallocated: on the device and not owned by PyTorch. */
  readonly unmanaged: Cited<number> | undefined;
  /** Held by processes other than the one that failed. */
  readonly foreign: Cited<number> | undefined;
};

/** Reads the account of the first OOM line of a reading that bears figures; undefined where none does. */
export function readAccount(_reading: LogReading): MemoryAccount | undefined {
  return undefined;
}
