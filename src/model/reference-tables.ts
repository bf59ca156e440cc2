import type { CommandLineFile } from './command-line-file.ts';
import type { DefaultRow, FlagEntry, Takes } from './flags-file.ts';
import type { NamedKind, NamedStage, WordFamily, Wording } from './guess-words.ts';
import type {
  GpuArchitecture,
  GpuInstance,
  GpuModel,
  MigProfile,
  ModelFamily,
  QuantizedFormat,
  Vocabulary,
  WeightFormat,
} from './hardware-files.ts';
import type { EngineKnobs, Feature } from './knobs-file.ts';
import type { WatchedId } from './metric.ts';
import type { MetricSeries } from './metrics-file.ts';
import type { EngineName } from './names-file.ts';
import type { CamelKeys } from './table-words.ts';
import type { WordsOfNames } from './words-file.ts';

type ByEngine<T> = Readonly<Record<string, T>>;

/** What is known of engines, exporters, GPUs and models: the files below engines/, platform/ and hardware/ of a playbook folder. */
export type ReferenceTables = {
  readonly engines: readonly EngineName[];
  readonly flags: readonly FlagEntry[];
  readonly defaults: readonly DefaultRow[];
  readonly takes: ByEngine<Readonly<Partial<Record<Takes, readonly string[]>>>>;
  readonly highestMajor: ByEngine<number>;
  readonly commandLines: ByEngine<CamelKeys<CommandLineFile>>;
  readonly metrics: readonly MetricSeries[];
  readonly watched: readonly MetricSeries<WatchedId>[];
  readonly knobs: ByEngine<EngineKnobs>;
  readonly features: readonly Feature[];
  readonly words: WordsOfNames;
  readonly wordFamilies: readonly WordFamily[];
  readonly namedStages: readonly NamedStage[];
  readonly namedKinds: readonly NamedKind[];
  readonly wording: Wording;
  readonly gpus: readonly GpuModel[];
  readonly migProfiles: readonly MigProfile[];
  readonly gpuInstances: readonly GpuInstance[];
  readonly weightFormats: readonly WeightFormat[];
  readonly architectures: readonly GpuArchitecture[];
  readonly quantized: readonly QuantizedFormat[];
  readonly families: readonly ModelFamily[];
  readonly vocabularies: readonly Vocabulary[];
};

let inForce: ReferenceTables | undefined;

/** Puts tables in force for all lookups of this process: once where it is composed, and again where the files changed. */
export function useTables(tables: ReferenceTables): void {
  inForce = tables;
}

/** The tables in force. Throws where nothing has put any in force. */
export function tablesInForce(): ReferenceTables {
  if (inForce === undefined) throw new Error('a table was asked before useTables() has put the tables in force');
  return inForce;
}

/** What a lookup needs of the tables, made when it is first asked for and again for other tables. */
export function fromTables<T>(make: (tables: ReferenceTables) => T): () => T {
  let made: { readonly of: ReferenceTables; readonly value: T } | undefined;
  return () => {
    const tables = tablesInForce();
    if (made?.of !== tables) made = { of: tables, value: make(tables) };
    return made.value;
  };
}
