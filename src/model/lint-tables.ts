import type { ShapedTable } from './assemble-tables.ts';
import { entryOf, isWithin } from './flag-table.ts';
import type { FlagsFile } from './flags-file.ts';
import { gpuMemoryBytes } from './gpu-table.ts';
import { wrongLinesOf } from './guess-words.ts';
import type { GpusFile, MigProfilesFile } from './hardware-files.ts';
import type { Feature, KnobsFile } from './knobs-file.ts';
import { type TableKind, tableAt } from './playbook-paths.ts';
import { GIB } from './quantity.ts';
import { tablesInForce } from './reference-tables.ts';
import { camelKeys } from './table-words.ts';

/** What is wrong in a file whose shape is right; `keys` lead to the place. */
export type TableProblem = { readonly path: string; readonly keys: readonly PropertyKey[]; readonly message: string };

type Told = Omit<TableProblem, 'path'>;
type Rule = (file: never, of: string, path: string) => readonly Told[];

const RULES: Partial<Readonly<Record<TableKind, Rule>>> = {
  flags: lintFlags as Rule,
  variables: ((file: FlagsFile) => lintFlags(file, 'any')) as Rule,
  knobs: lintKnobs as Rule,
  features: lintFeatures as Rule,
  guessWords: wrongLinesOf as Rule,
  gpus: lintGpus as Rule,
  migProfiles: lintMigProfiles as Rule,
};

/** Rows that contradict other rows, or name what no table has. The tables of these files are in force. */
export function lintTables(files: readonly ShapedTable[]): readonly TableProblem[] {
  return files.flatMap(({ path, value }) => {
    const table = tableAt(path);
    const told = table && RULES[table.kind]?.(value as never, table.of, path);
    return (told ?? []).map((problem) => ({ path, ...problem }));
  });
}

function lintFlags({ flags = [], defaults = [] }: FlagsFile, engine: string): readonly Told[] {
  return [
    ...flags.flatMap((row, i): Told[] => {
      const keys = ['flags', i];
      const { flag, instead } = row;
      const isSecond = tablesInForce().flags.filter((one) => one.engine === engine && one.flag === flag).length > 1;
      const isLost = instead !== undefined && entryOf(engine, instead) === undefined;
      return [
        ...(isSecond ? [{ keys: [...keys, 'flag'], message: `${engine} has ${flag} twice` }] : []),
        ...(isLost ? [{ keys: [...keys, 'instead'], message: `${engine} has no flag ${instead}` }] : []),
      ];
    }),
    ...defaults.flatMap(({ rows }, i) =>
      rows.flatMap((row, j) =>
        lintDefault(row, engine).map((message) => ({ keys: ['defaults', i, 'rows', j], message })),
      ),
    ),
  ];
}

type DefaultRow = NonNullable<FlagsFile['defaults']>[number]['rows'][number];

function lintDefault({ flag, value, from, to }: DefaultRow, engine: string): string[] {
  const entry = entryOf(engine, flag);
  if (entry === undefined) return [];
  const outside = [from, to].filter((version) => version !== undefined && !isWithin(version, entry));
  const isTold = value === undefined || says(entry.default, value);
  return [
    ...outside.map((version) => `${engine} has no ${flag} in ${version}`),
    ...(isTold ? [] : [`the default of ${flag} in the list of flags does not tell ${value}`]),
  ];
}

// `off in V0, ON in V1` says `true` and `false`, `1.0` says `1`.
function says(text: string, value: string): boolean {
  const words = text.toLowerCase().match(/[\w.-]*[\w]/g) ?? [];
  const switched = { true: 'on', false: 'off' }[value];
  return words.some((word) => word === value || word === switched || (word !== '' && Number(word) === Number(value)));
}

function lintKnobs(file: KnobsFile, engine: string): readonly Told[] {
  const { sums, 'against-segments': against = [] } = file;
  const named: readonly (readonly [readonly PropertyKey[], string | undefined])[] = [
    [['sums', 'graphs-inside'], sums?.['graphs-inside']],
    [['sums', 'compares-free'], sums?.['compares-free']],
    [['sums', 'keeps-back', 'of-free'], sums?.['keeps-back']?.['of-free']],
    ...against.map(({ feature }, i) => [['against-segments', i, 'feature'], feature] as const),
  ];
  const ids = new Set(tablesInForce().features.map(({ id }) => id));
  return [
    ...named.flatMap(([keys, id]) =>
      id === undefined || ids.has(id) ? [] : [{ keys, message: `no file has a feature ${id}` }],
    ),
    ...lintFeatures(file, engine),
  ];
}

function lintFeatures({ features = [] }: Pick<KnobsFile, 'features'>, engine: string): readonly Told[] {
  return features.flatMap((feature, i) => {
    const isSecond = tablesInForce().features.filter(({ id }) => id === feature.id).length > 1;
    return [
      ...(isSecond ? [{ keys: ['features', i, 'id'], message: `there are two features ${feature.id}` }] : []),
      ...lintSpans(feature).map((message) => ({ keys: ['features', i, 'spans'], message })),
      ...lintSwitch({ ...feature, engine }).map((message) => ({ keys: ['features', i, 'by'], message })),
    ];
  });
}

function lintSpans({ spans }: Pick<Feature, 'spans'>): string[] {
  const isSound = spans.every(({ from, is }, i) => {
    const before = spans[i - 1];
    if (before === undefined) return from === undefined;
    return from !== undefined && is !== before.is && isWithin(from, { since: before.from ?? null, until: null });
  });
  return isSound
    ? []
    : ['each span begins later than the one before and with another state; only the first has no `from`'];
}

// A behaviour begins with the flag that asks for it, whose default says from when on it is not asked any more.
function lintSwitch({ engine, by, spans }: Feature): string[] {
  if (by === undefined) return [];
  const entry = entryOf(engine, by);
  const first = spans.find(({ is }) => is !== 'no')?.from;
  const turned = spans.find(({ is }) => is !== 'no' && is !== 'asked')?.from;
  if (entry === undefined) return [`${engine} has no flag ${by}`];
  return [
    ...(entry.since === (first ?? null) ? [] : [`${by} comes in ${entry.since}, and not in ${first}`]),
    ...(turned === undefined || entry.default.includes(turned)
      ? []
      : [`the default of ${by} does not mention ${turned}`]),
  ];
}

function lintGpus({ gpus }: GpusFile): readonly Told[] {
  return gpus.flatMap((gpu, i) => {
    const share = gpuMemoryBytes(camelKeys(gpu)) / (gpu['nominal-gb'] * GIB);
    const isNear = share >= 0.85 && share <= 1.06;
    return isNear ? [] : [{ keys: ['gpus', i], message: `${gpu.model}: its memory is far from its nominal-gb` }];
  });
}

function lintMigProfiles(file: MigProfilesFile): readonly Told[] {
  const { gpus } = tablesInForce();
  const isCard = (parent: string) =>
    gpus.some(({ model }) => model === parent || model.startsWith(`${parent} /`) || model.startsWith(`${parent} 9`));
  return file['mig-profiles'].flatMap(({ parents }, i) =>
    parents
      .filter((parent) => !isCard(parent))
      .map((parent) => ({ keys: ['mig-profiles', i, 'parents'], message: `no card ${parent} in gpus.yaml` })),
  );
}
