import type { Citation } from './citation.ts';
import type { LogReading } from './log-reading.ts';

export type Cited<T> = { readonly value: T; readonly from: Citation };

/** What tells which engine runs in a container. */
export type EngineClues = {
  readonly image: string | undefined;
  /** Where the image stands; without it a version in its tag can not be cited. */
  readonly imageFrom?: Citation | undefined;
  readonly command: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly declared: string | undefined;
  readonly logs: readonly LogReading[];
};

/** A word of the engine's arguments: `flag` in the engine's own spelling with dashes (`--max-model-len`), value null for a bare switch. */
export type EngineArgument = { readonly flag: string; readonly value: string | null; readonly from: Citation };

/** Milestones of a start, in the order in which an engine reaches them. */
export const MILESTONES = [
  'started',
  'load-begin',
  'load-end',
  'profiled',
  'kv-allocated',
  'graphs-begin',
  'graphs-end',
  'ready',
  'served',
] as const;
export type Milestone = (typeof MILESTONES)[number];

/** The engine's own figures. Sizes in bytes, lengths and capacities in tokens. */
export type EngineFigures = {
  readonly weightsBytes?: Cited<number>;
  readonly kvBytes?: Cited<number>;
  readonly kvNeededBytes?: Cited<number>;
  readonly kvTokens?: Cited<number>;
  readonly graphBytes?: Cited<number>;
  readonly estimatedMaxLen?: Cited<number>;
  readonly maxConcurrency?: Cited<number>;
};

export type EngineReading = {
  readonly engine: string;
  readonly version: Cited<string> | undefined;
  readonly args: readonly EngineArgument[];
  readonly milestones: readonly { readonly milestone: Milestone; readonly from: Citation }[];
  readonly figures: EngineFigures;
};

export type EngineInput = EngineClues & { readonly argumentWords: readonly Cited<string>[] };

/** One reader per engine: `detect` gives a confidence from 0 (not this engine) to 1; `read` never throws. */
export interface EngineReader {
  readonly engine: string;
  detect(clues: EngineClues): number;
  read(input: EngineInput): EngineReading;
}
