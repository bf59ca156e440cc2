import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';

/** One process ended by the kernel. Sizes in bytes; `at` epoch ms where the line bears a date. */
export type KernelKill = {
  readonly scope: 'container' | 'node' | 'unstated';
  readonly pid: number | undefined;
  readonly name: string | undefined;
  readonly at: number | undefined;
  readonly oomMemcg: string | undefined;
  readonly taskMemcg: string | undefined;
  readonly totalVm: number | undefined;
  readonly anonRss: number | undefined;
  readonly fileRss: number | undefined;
  readonly shmemRss: number | undefined;
  readonly from: readonly Citation[];
};

export type KernelTask = {
  readonly pid: number;
  readonly name: string;
  readonly rss: number;
  readonly from: Citation;
};

export type KernelReading = {
  /** Of the last kill: whose limit it was. `none` when no line tells of a kill. */
  readonly kind: 'container' | 'node' | 'unstated' | 'none';
  readonly victim: KernelKill | undefined;
  readonly kills: readonly KernelKill[];
  /** Of the memory cgroup that ran full. */
  readonly usage: Cited<number> | undefined;
  readonly limit: Cited<number> | undefined;
  readonly anon: Cited<number> | undefined;
  readonly file: Cited<number> | undefined;
  readonly shmem: Cited<number> | undefined;
  readonly tasks: readonly KernelTask[];
  /** The task with the largest resident set, which need not be the victim. */
  readonly largest: KernelTask | undefined;
  readonly xids: readonly { readonly code: number; readonly from: Citation }[];
  /** Lines that are evidence at all: 0 for a file of remarks. */
  readonly evidenceLines: number;
};

/** kernel.txt as dmesg or the journal prints it. Never throws. */
export function readKernel(_text: string): KernelReading {
  return {
    kind: 'none',
    victim: undefined,
    kills: [],
    usage: undefined,
    limit: undefined,
    anon: undefined,
    file: undefined,
    shmem: undefined,
    tasks: [],
    largest: undefined,
    xids: [],
    evidenceLines: 0,
  };
}
