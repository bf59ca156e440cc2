import type { Signature } from './signature.ts';

/**
 * What a scan of one log gives. Hits are in the order of the log; `line` counts line feeds from 1, `text` is the line as
 * it stands: where it is longer than 2,000 characters the part around the match, and where carriage returns part it
 * (progress bars) the part between two of them. `byte` is the offset at which `text` begins. `clean` is `text` without
 * ANSI codes, container timestamp and process prefix. `at` is epoch ms where the line bears a time.
 */
export type Hit = {
  readonly id: string;
  readonly signature: Signature;
  readonly line: number;
  readonly byte: number;
  readonly text: string;
  readonly clean: string;
  readonly captures: Readonly<Record<string, string>>;
  readonly process: string | undefined;
  readonly at: number | undefined;
};

export type LogReading = {
  readonly file: string;
  readonly hits: readonly Hit[];
  /** All hits by signature id, those beyond the kept ones included. */
  readonly counts: ReadonlyMap<string, number>;
  readonly bytes: number;
  readonly lines: number;
  /** Lines that are evidence: not blank, and not a remark that begins with `#`. */
  readonly evidenceLines: number;
  /** Proofs of failures of memory that the engine outlived, which are no hits any more where it ended by something else. */
  readonly outlived?: readonly Hit[];
  readonly firstAt: number | undefined;
  readonly lastAt: number | undefined;
  /** Text of the last lines, clipped to 64 KiB: what the log ends with. */
  readonly tail: string;
};

/** Looks whether a log names a cause, and no further. `push` may be called with any split of the bytes. */
export interface CauseFinder {
  push(chunk: Uint8Array): void;
  /** True as soon as a signature of weight proof or strong was hit. */
  readonly foundCause: boolean;
}

/** Reads a log whole: `push` as above, `finish` once. */
export interface LogScanner {
  push(chunk: Uint8Array): void;
  finish(): LogReading;
}
