import type { Citation } from './citation.ts';
import type { FigureName } from './engine-figures.ts';
import type { LogReading } from './log-reading.ts';

export type Cited<T> = { readonly value: T; readonly from: Citation };

export type EngineClues = {
  readonly image: string | undefined;
  /** Where the image stands; without it a version in its tag cannot be cited. */
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

/** The engine's own figures, as far as they are known. */
export type EngineFigures = Readonly<Partial<Record<FigureName, Cited<number>>>>;

/** What an engine takes where a flag is not set, and where that was read. */
export type EngineDefault = { readonly flag: string; readonly value: string; readonly source: string };

/** What defaults depend on; undefined where it is not known, and then a default that depends on it is not known either. */
export type DefaultContext = {
  readonly version: string | undefined;
  /** vLLM has two engines; both were in its versions 0.6.4 to 0.10. */
  readonly generation?: 'V0' | 'V1' | undefined;
  readonly gpuBytes?: number | undefined;
  readonly gpuName?: string | undefined;
};

export type EngineReading = {
  readonly engine: string;
  readonly version: Cited<string> | undefined;
  readonly generation?: Cited<'V0' | 'V1'> | undefined;
  /** Whether such an engine runs a batch of its own after the load, before it takes its pool. */
  readonly trialRun?: boolean;
  readonly args: readonly EngineArgument[];
  readonly milestones: readonly { readonly milestone: Milestone; readonly from: Citation }[];
  readonly figures: EngineFigures;
};

export type EngineInput = EngineClues & { readonly argumentWords: readonly Cited<string>[] };

/** One reader per engine: `detect` gives a confidence from 0 (not this engine) to 1; nothing here throws. */
export interface EngineReader {
  readonly engine: string;
  /** A server around engines: where lines of an engine stand in its log, the engine is named. */
  readonly isHost?: boolean;
  detect(clues: EngineClues): number;
  read(input: EngineInput): EngineReading;
  /** What this engine takes for a flag that is not set; undefined where that is not known. */
  defaultOf(flag: string, context: DefaultContext): EngineDefault | undefined;
}
