import { z } from 'zod';
import { Pattern, Words } from './table-words.ts';
import { Cause } from './taxonomy.ts';

const Tests = { must: z.array(Words).min(1), mustNot: z.array(Words).min(1).optional() };
const Matched = z.strictObject({
  note: Words.optional(),
  'case-sensitive': z.literal(true).optional(),
  patterns: z.array(Pattern).min(1),
  ...Tests,
});

const Family = Matched.extend({
  /** What the words suggest; of two the first at startup and the second while serving. */
  causes: z.array(Cause).min(1).max(2).refine(isOfOnePlane, { error: 'are of one plane: gpu, host or none' }),
  /** Whether they name a failure, complain of something, or name a part of the engine, which tells the cause where the plane is known. */
  weight: z.enum(['failure', 'complaint', 'part']),
  /** Where a line of the same log says this, the words mean nothing more. */
  unless: Pattern.optional(),
});

/** A step of a start or of work. */
export const Stage = z.enum([
  'device',
  'wake',
  'load',
  'profile',
  'buffers',
  'kv-cache',
  'graph-capture',
  'execute',
  'sampler',
  'encoder',
]);
export type Stage = z.infer<typeof Stage>;

/** A stage by the names of functions, and by files whose functions are called like those of any other. */
const StageRow = z.strictObject({
  stage: Stage,
  note: Words.optional(),
  functions: z.array(Pattern).min(1).optional(),
  files: z.array(Pattern).min(1).optional(),
  ...Tests,
});

/** What kind of thing an error is about. */
const ExceptionKind = z.enum(['config', 'communication', 'driver', 'gpu-fault', 'other']);
export type ExceptionKind = z.infer<typeof ExceptionKind>;

/** What a line is judged by; the files tell what each is. Of `REMOVED` it is freed before. */
const REMOVED = ['removed', 'threats', 'carried'] as const;
const SHORTAGE = ['short', 'device', 'pool', 'host', 'advice', 'exceptions'] as const;
const ERROR = [
  'memory',
  'refusal',
  'lacking',
  'counts',
  'lacks',
  'complaint',
  'plain',
  'files',
  'setup',
  'room',
] as const;
const PROCESS = ['echo', 'guess', 'caught', 'handled'] as const;
const WORDING_NAMES = [...REMOVED, ...SHORTAGE, ...ERROR, ...PROCESS] as const;

/** platform/guess/<name>.yaml: what the words in the last lines of a log mean where no signature decides. */
export const GuessWordsFile = z.strictObject({
  /** What patterns write as `{name}`. */
  pieces: z.record(Words, z.union([Pattern, z.array(Pattern).min(1)])).optional(),
  /** The particular before the general. */
  families: z.array(Family).min(1).optional(),
  wording: z.partialRecord(z.enum(WORDING_NAMES), Matched).optional(),
  /** Of these and of the stages the first that fits counts. */
  kinds: z
    .array(Matched.extend({ kind: ExceptionKind }))
    .min(1)
    .optional(),
  stages: z.array(StageRow).min(1).optional(),
});
export type GuessWordsFile = z.infer<typeof GuessWordsFile>;

/** Words that mean the same: the cause they suggest in each phase, and what they are worth. */
export type WordFamily = {
  readonly plane: 'gpu' | 'host' | 'none';
  readonly starting: Cause;
  readonly serving: Cause;
  readonly weight: z.infer<typeof Family>['weight'];
  readonly pattern: RegExp;
  readonly unless: RegExp | undefined;
};
export type Wording = Readonly<Record<(typeof WORDING_NAMES)[number], RegExp>>;
export type NamedKind = { readonly kind: ExceptionKind; readonly pattern: RegExp };
export type NamedStage = { readonly stage: Stage; readonly functions: RegExp; readonly files: RegExp };

const NOTHING = /(?!)/g;

export function wordFamiliesIn({ families = [], pieces }: GuessWordsFile): WordFamily[] {
  return families.map((row) => {
    const [starting, serving = starting] = row.causes as [Cause, Cause?];
    const plane = starting.split('.')[0] as WordFamily['plane'];
    const unless = row.unless === undefined ? undefined : new RegExp(row.unless, flagsOf(row));
    return { plane, starting, serving, weight: row.weight, pattern: patternOf(row, pieces), unless };
  });
}

/** Wording of the file; what no file has matches nothing. */
export function wordingIn({ wording = {}, pieces }: GuessWordsFile, before?: Wording): Wording {
  const one = (name: keyof Wording): RegExp => {
    const row = wording[name];
    const flags = REMOVED.some((removed) => removed === name) ? 'g' : '';
    return row === undefined ? (before?.[name] ?? NOTHING) : patternOf(row, pieces, flags);
  };
  return Object.fromEntries(WORDING_NAMES.map((name) => [name, one(name)])) as Wording;
}

export function kindsIn({ kinds = [], pieces }: GuessWordsFile): NamedKind[] {
  return kinds.map((row) => ({ kind: row.kind, pattern: patternOf(row, pieces) }));
}

export function stagesIn({ stages = [] }: GuessWordsFile): NamedStage[] {
  const anyOf = (patterns: readonly string[] | undefined) =>
    patterns === undefined ? NOTHING : patternOf({ patterns });
  return stages.map(({ stage, functions, files }) => ({ stage, functions: anyOf(functions), files: anyOf(files) }));
}

type WrongLine = { readonly keys: readonly PropertyKey[]; readonly message: string };

/** Lines of the file that match though they must not, or do not match though they must; `keys` lead to them. */
export function wrongLinesOf({
  families = [],
  wording = {},
  kinds = [],
  stages = [],
  pieces,
}: GuessWordsFile): readonly WrongLine[] {
  return [
    ...families.flatMap((row, i) => wrongOf(row, patternOf(row, pieces), ['families', i])),
    ...kinds.flatMap((row, i) => wrongOf(row, patternOf(row, pieces), ['kinds', i])),
    ...Object.entries(wording).flatMap(([name, row]) => wrongOf(row, patternOf(row, pieces), ['wording', name])),
    ...stages.flatMap((row, i) => {
      const { functions = [], files = [] } = row;
      return wrongOf(row, patternOf({ patterns: [...functions, ...files] }), ['stages', i]);
    }),
  ];
}

type Tested = { readonly must: readonly string[]; readonly mustNot?: readonly string[] | undefined };

function wrongOf({ must, mustNot = [] }: Tested, pattern: RegExp, keys: readonly PropertyKey[]): WrongLine[] {
  const wrong = (key: keyof Tested, i: number) => ({ keys: [...keys, key, i], message: WRONG[key] });
  return [
    ...must.flatMap((line, i) => (pattern.test(line) ? [] : [wrong('must', i)])),
    ...mustNot.flatMap((line, i) => (pattern.test(line) ? [wrong('mustNot', i)] : [])),
  ];
}

const WRONG = {
  must: 'this line matches none of the patterns',
  mustNot: 'this line matches, and `mustNot` says that it does not',
};

function isOfOnePlane(causes: readonly Cause[]): boolean {
  return /^(?:gpu|host|none)$/.test([...new Set(causes.map((cause) => cause.split('.')[0]))].join());
}

type Row = { readonly patterns: readonly string[]; readonly 'case-sensitive'?: true | undefined };

function patternOf(row: Row, pieces: GuessWordsFile['pieces'] = {}, flags = ''): RegExp {
  const pieceOf = (written: string, name: string) => [pieces[name] ?? written].flat().join('|');
  const whole = row.patterns.map((pattern) => pattern.replace(/\{([a-z-]+)\}/g, pieceOf));
  return new RegExp(whole.join('|'), `${flags}${flagsOf(row)}`);
}

function flagsOf(row: Pick<Row, 'case-sensitive'>): string {
  return row['case-sensitive'] ? '' : 'i';
}
