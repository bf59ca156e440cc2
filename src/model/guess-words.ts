import { z } from 'zod';
import { Words } from './table-words.ts';
import { Cause } from './taxonomy.ts';

const Pattern = Words.refine(isExpression, { error: 'is no regular expression that Node understands' });
const Tests = { must: z.array(Words).min(1), mustNot: z.array(Words).min(1).optional() };
const Matched = z.strictObject({ note: Words.optional(), patterns: z.array(Pattern).min(1), ...Tests });

const Family = Matched.extend({
  /** What the words suggest; of two the first at startup and the second while serving. */
  causes: z.array(Cause).min(1).max(2).refine(isOfOnePlane, { error: 'are of one plane: gpu, host or none' }),
  /** Whether they name a failure, complain of something, or name a part of the engine, which tells the cause where the plane is known. */
  weight: z.enum(['failure', 'complaint', 'part']),
  'case-sensitive': z.literal(true).optional(),
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

/** What says that memory was short; that it was the device's, the KV pool, RAM; that it is advice; that it is no shortage; and what no line is judged by. */
const SHORTAGE_PARTS = ['short', 'device', 'pool', 'host', 'advice', 'exceptions', 'removed'] as const;
type ShortagePart = (typeof SHORTAGE_PARTS)[number];

/** platform/guess/<name>.yaml: what the words in the last lines of a log mean where no signature decides. */
export const GuessWordsFile = z.strictObject({
  /** What patterns write as `{name}`. */
  pieces: z.record(Words, Pattern).optional(),
  /** The particular before the general. */
  families: z.array(Family).min(1).optional(),
  shortage: z.record(z.enum(SHORTAGE_PARTS), Matched).optional(),
  /** The first that fits counts. */
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
export type ShortageWords = Readonly<Record<ShortagePart, RegExp>>;
export type NamedStage = { readonly stage: Stage; readonly functions: RegExp; readonly files: RegExp };

export function wordFamiliesIn({ families = [], pieces }: GuessWordsFile): WordFamily[] {
  return families.map((row) => {
    const [starting, serving = starting] = row.causes as [Cause, Cause?];
    const plane = starting.split('.')[0] as WordFamily['plane'];
    const unless = row.unless === undefined ? undefined : new RegExp(row.unless, flagsOf(row));
    return { plane, starting, serving, weight: row.weight, pattern: patternOf(row, pieces), unless };
  });
}

export function shortageIn({ shortage }: GuessWordsFile): ShortageWords {
  const parts = SHORTAGE_PARTS.map((part) => [part, anyOf(shortage?.[part].patterns, part === 'removed' ? 'gi' : 'i')]);
  return Object.fromEntries(parts) as ShortageWords;
}

export function stagesIn({ stages = [] }: GuessWordsFile): NamedStage[] {
  return stages.map(({ stage, functions, files }) => ({ stage, functions: anyOf(functions), files: anyOf(files) }));
}

type WrongLine = { readonly keys: readonly PropertyKey[]; readonly message: string };

/** Lines of the file that match though they must not, or do not match though they must; `keys` lead to them. */
export function wrongLinesOf({ families = [], shortage, stages = [], pieces }: GuessWordsFile): readonly WrongLine[] {
  return [
    ...families.flatMap((row, i) => wrongOf(row, patternOf(row, pieces), ['families', i])),
    ...SHORTAGE_PARTS.flatMap((part) =>
      shortage === undefined ? [] : wrongOf(shortage[part], patternOf(shortage[part]), ['shortage', part]),
    ),
    ...stages.flatMap((row, i) => {
      const { functions = [], files = [] } = row;
      return wrongOf(row, anyOf([...functions, ...files]), ['stages', i]);
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

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern) !== undefined;
  } catch {
    return false;
  }
}

type Row = { readonly patterns: readonly string[]; readonly 'case-sensitive'?: true | undefined };

function patternOf(row: Row, pieces: GuessWordsFile['pieces'] = {}): RegExp {
  const whole = (pattern: string) => pattern.replace(/\{([a-z-]+)\}/g, (written, name) => pieces[name] ?? written);
  return anyOf(row.patterns.map(whole), flagsOf(row));
}

function flagsOf(row: Pick<Row, 'case-sensitive'>): string {
  return row['case-sensitive'] ? '' : 'i';
}

// Of no patterns none matches.
function anyOf(patterns: readonly string[] = ['(?!)'], flags = 'i'): RegExp {
  return new RegExp(patterns.join('|'), flags);
}
