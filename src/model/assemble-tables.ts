import type { z } from 'zod';
import { CommandLineFile } from './command-line-file.ts';
import { defaultsIn, FlagsFile, flagsIn } from './flags-file.ts';
import { GuessWordsFile, kindsIn, stagesIn, wordFamiliesIn, wordingIn } from './guess-words.ts';
import {
  architecturesIn,
  familiesIn,
  formatsIn,
  GpuInstancesFile,
  GpusFile,
  instancesIn,
  MigProfilesFile,
  ModelsFile,
  QuantizationFile,
  quantizedIn,
  WeightFormatsFile,
} from './hardware-files.ts';
import { FeaturesFile, featuresIn, KnobsFile, knobsIn } from './knobs-file.ts';
import { MetricsFile, seriesIn, watchedIn } from './metrics-file.ts';
import { NamesFile } from './names-file.ts';
import { type TableKind, tableAt } from './playbook-paths.ts';
import type { ReferenceTables } from './reference-tables.ts';
import { camelKeys } from './table-words.ts';
import { WordsFile, type WordsOfNames } from './words-file.ts';

/** The shape of each kind of file. */
export const TABLE_SHAPES = {
  names: NamesFile,
  flags: FlagsFile,
  variables: FlagsFile,
  commandLine: CommandLineFile,
  metrics: MetricsFile,
  knobs: KnobsFile,
  features: FeaturesFile,
  guessWords: GuessWordsFile,
  words: WordsFile,
  gpus: GpusFile,
  migProfiles: MigProfilesFile,
  gpuInstances: GpuInstancesFile,
  weightFormats: WeightFormatsFile,
  quantization: QuantizationFile,
  models: ModelsFile,
} as const satisfies Record<TableKind, z.ZodType>;

type Growing = { -readonly [Key in keyof ReferenceTables]: ReferenceTables[Key] };
type Adders = { readonly [Kind in TableKind]: (to: Growing, of: string, file: FileOf<Kind>) => void };
type FileOf<Kind extends TableKind> = z.infer<(typeof TABLE_SHAPES)[Kind]>;

// Flags of whatever runs on a platform.
const ANY = 'any';

const ADD: Adders = {
  names: (to, _, { engines }) => {
    to.engines = engines;
  },
  flags: addFlags,
  variables: (to, _, file) => addFlags(to, ANY, file),
  commandLine: (to, of, file) => {
    to.commandLines = { ...to.commandLines, [of]: camelKeys(file) };
  },
  metrics: (to, of, file) => {
    to.metrics = [...to.metrics, ...seriesIn(of, file)];
    to.watched = [...to.watched, ...watchedIn(of, file)];
  },
  knobs: (to, of, file) => {
    to.knobs = { ...to.knobs, [of]: knobsIn(file) };
    to.features = [...to.features, ...featuresIn(of, file)];
  },
  features: (to, of, file) => {
    to.features = [...to.features, ...featuresIn(of, file)];
  },
  guessWords: (to, _, file) => {
    to.wordFamilies = [...to.wordFamilies, ...wordFamiliesIn(file)];
    to.namedStages = [...to.namedStages, ...stagesIn(file)];
    to.namedKinds = [...to.namedKinds, ...kindsIn(file)];
    to.wording = wordingIn(file, to.wording);
  },
  words: (to, _, file) => {
    to.words = camelKeys(file);
  },
  gpus: (to, _, { gpus }) => {
    to.gpus = gpus.map((row) => camelKeys(row));
  },
  migProfiles: (to, _, file) => {
    to.migProfiles = file['mig-profiles'].map((row) => camelKeys(row));
  },
  gpuInstances: (to, _, file) => {
    to.gpuInstances = instancesIn(file);
  },
  weightFormats: (to, _, file) => {
    to.weightFormats = formatsIn(file);
  },
  quantization: (to, _, file) => {
    to.architectures = architecturesIn(file);
    to.quantized = quantizedIn(file);
  },
  models: (to, _, file) => {
    to.families = [...to.families, ...familiesIn(file)];
    to.vocabularies = [...to.vocabularies, ...file.vocabularies];
  },
};

function addFlags(to: Growing, of: string, file: FlagsFile): void {
  to.flags = [...to.flags, ...flagsIn(of, file)];
  to.defaults = [...to.defaults, ...defaultsIn(of, file)];
  if (file.takes) to.takes = { ...to.takes, [of]: { ...to.takes[of], ...file.takes } };
  const major = file['highest-major'];
  if (major !== undefined) to.highestMajor = { ...to.highestMajor, [of]: major };
}

/** A file of tables whose shape is right. */
export type ShapedTable = { readonly path: string; readonly value: unknown };

const EMPTY: ReferenceTables = {
  engines: [],
  flags: [],
  defaults: [],
  takes: {},
  highestMajor: {},
  commandLines: {},
  metrics: [],
  watched: [],
  knobs: {},
  features: [],
  words: {
    ...{ causes: {} as WordsOfNames['causes'], milestones: {}, values: {}, valuesOf: {} },
    loadTests: {} as WordsOfNames['loadTests'],
  },
  wordFamilies: [],
  namedStages: [],
  namedKinds: [],
  wording: wordingIn({}),
  gpus: [],
  migProfiles: [],
  gpuInstances: [],
  weightFormats: [],
  architectures: [],
  quantized: [],
  families: [],
  vocabularies: [],
};

/** All tables from their files: the engines in the order of their names, then what they run on. */
export function assembleTables(files: readonly ShapedTable[]): ReferenceTables {
  const tables: Growing = { ...EMPTY };
  const known = files.flatMap(({ path, value }) => {
    const table = tableAt(path);
    return table === undefined ? [] : [{ path, value, ...table }];
  });
  const names = known.find(({ kind }) => kind === 'names')?.value as FileOf<'names'> | undefined;
  const order = new Map(names?.engines.map(({ engine }, i) => [engine, i]));
  const rank = ({ path, of }: (typeof known)[number]) =>
    path.startsWith('engines/') ? (order.get(of) ?? order.size) : order.size + 1;
  const sorted = known.toSorted((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
  for (const { kind, of, value } of sorted) ADD[kind](tables, of, value as never);
  return tables;
}
