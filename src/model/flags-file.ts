import { z } from 'zod';
import { GIB } from './quantity.ts';
import { Version, Words } from './table-words.ts';
import { Cause, Plane } from './taxonomy.ts';

const FlagRow = z.strictObject({
  flag: Words,
  aliases: z.array(Words).min(1).optional(),
  /** By the spelling where it is not given. */
  kind: z.enum(['flag', 'variable', 'setting']).optional(),
  /** First version that has it; none: every version that was read; `never`: no version. */
  since: z.union([z.literal('never'), Version]).optional(),
  /** Last version that has it, all its patch releases included; none: the newest one read still has it. */
  until: Version.optional(),
  /** What replaces it where it is gone. */
  instead: Words.optional(),
  /** The engine's default, in words where it depends on version or device. */
  default: Words,
  plane: Plane,
  touches: z.array(Cause).min(1).optional(),
  effect: Words,
  /** The direction or value that lowers the risk; none: no action uses it. */
  safer: Words.optional(),
  note: Words.optional(),
  source: Words,
  unverified: z.literal(true).optional(),
});

const DefaultRow = z.strictObject({
  flag: Words,
  /** None: from here on it is computed at start, and no table can tell it. */
  value: Words.optional(),
  from: Version.optional(),
  to: Version.optional(),
  generation: z.enum(['V0', 'V1']).optional(),
  /** What sums take it for where `value` is undefined: the least that it comes to. */
  reckoned: Words.optional(),
  /** Words of which the GPU's name has one. */
  'gpu-is': z.array(Words).min(1).optional(),
  /** GiB of the GPU from which the row holds. */
  'gpu-from-gib': z.number().gt(0).optional(),
  /** A word in the GPU's name that excludes it from the row. */
  'gpu-not': Words.optional(),
});

/** What a flag can take at all; bounds of a plan are narrower. */
const Takes = z.enum([
  'count',
  'count-with-suffix',
  'length-or-auto',
  'whole',
  'whole-or-off',
  'share',
  'positive',
  'amount',
]);

/** engines/<engine>/flags*.yaml, platform/<name>/flags.yaml */
export const FlagsFile = z.strictObject({
  /** A version with a higher first number is not one of the engine's own. */
  'highest-major': z.int().optional(),
  flags: z.array(FlagRow).min(1).optional(),
  /** Of the rows of a flag the first that fits is in force. */
  defaults: z.array(z.strictObject({ source: Words, rows: z.array(DefaultRow).min(1) })).optional(),
  takes: z.partialRecord(Takes, z.array(Words).min(1)).optional(),
});
export type FlagsFile = z.infer<typeof FlagsFile>;

/** A flag, environment variable or setting of an engine that moves memory, or that a start depends on. */
export type FlagEntry = Readonly<Omit<z.infer<typeof FlagRow>, 'kind' | 'since' | 'until'>> & {
  readonly engine: string;
  readonly kind: 'flag' | 'variable' | 'setting';
  readonly since: string | null;
  readonly until: string | null;
};

/** One default. Versions are inclusive (`to: '0.20'` holds for all of 0.20.x); `gpuFrom` in bytes of the GPU. */
export type DefaultRow = Readonly<Omit<z.infer<typeof DefaultRow>, 'gpu-is' | 'gpu-from-gib' | 'gpu-not'>> & {
  readonly engine: string;
  readonly gpuIs?: readonly string[] | undefined;
  readonly gpuFrom?: number | undefined;
  readonly gpuNot?: string | undefined;
  readonly source: string;
};

export type Takes = z.infer<typeof Takes> | 'memory';

export function flagsIn(engine: string, { flags = [] }: FlagsFile): FlagEntry[] {
  return flags.map((row) => ({
    ...row,
    engine,
    kind: row.kind ?? kindOf(row.flag),
    since: row.since ?? null,
    until: row.until ?? null,
  }));
}

function kindOf(flag: string): FlagEntry['kind'] {
  if (flag.startsWith('-')) return 'flag';
  return /^[A-Z][A-Z0-9_]+$/.test(flag) ? 'variable' : 'setting';
}

export function defaultsIn(engine: string, { defaults = [] }: FlagsFile): DefaultRow[] {
  return defaults.flatMap(({ source, rows }) =>
    rows.map(({ 'gpu-is': gpuIs, 'gpu-from-gib': gib, 'gpu-not': gpuNot, ...row }) => ({
      ...row,
      engine,
      ...(gpuIs && { gpuIs }),
      ...(gib && { gpuFrom: gib * GIB }),
      ...(gpuNot && { gpuNot }),
      source,
    })),
  );
}
