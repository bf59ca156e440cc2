import { z } from 'zod';
import { defaultRange } from '../model/default-table.ts';
import { engineKey } from '../model/engine-names.ts';
import { entryOf } from '../model/flag-table.ts';

export const PROFILE_NAMES = ['conservative', 'performance', 'emergency'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

const Version = z.string().regex(/^\d+(\.\d+){0,2}$/, { error: "is a version in quotes, such as `'0.21'`" });
const Band = z.strictObject({ 'below-gib': z.number().gt(0).optional(), to: z.number().gt(0) });
const Bands = z
  .array(Band)
  .min(1)
  .refine((bands) => bands.every((band, i) => isInOrder(bands, band, i)), {
    error: 'has rising `below-gib`, and a last band without it',
  });
export type Band = z.infer<typeof Band>;

function isInOrder(bands: readonly Band[], band: Band, i: number): boolean {
  const limit = band['below-gib'];
  const before = bands[i - 1]?.['below-gib'] ?? 0;
  return i === bands.length - 1 ? limit === undefined : limit !== undefined && limit > before;
}

const range = { since: Version.optional(), until: Version.optional() };

/** How far the memory fraction of an engine goes in one step, and how high it may be by memory of one GPU. */
const Fraction = z.strictObject({
  engine: z.string().min(1),
  step: z.number().gt(0).lt(1),
  highest: Bands,
  why: z.string().min(1),
});
export type Fraction = z.infer<typeof Fraction>;

const Setting = z.strictObject({
  flag: z.string().min(1),
  ...range,
  to: z.number().gt(0).optional(),
  'by-card': Bands.optional(),
  'lower-by': z.union([z.literal('step'), z.number().gt(0).lt(1)]).optional(),
  why: z.string().min(1),
});
export type Setting = z.infer<typeof Setting>;

export const Profile = z.strictObject({
  engine: z.string().min(1),
  profile: z.enum(PROFILE_NAMES),
  says: z.string().min(1),
  set: z.array(Setting).min(1),
});
export type Profile = z.infer<typeof Profile>;

/** A profiles.yaml: what stands for one engine. */
export const ProfileFile = z.strictObject({
  schema: z.literal(1),
  fractions: z.array(Fraction).optional(),
  profiles: z.array(Profile).min(1),
});
export type ProfileFile = z.infer<typeof ProfileFile>;

/** The profiles of all engines. */
export type ProfileBook = { readonly fractions: readonly Fraction[]; readonly profiles: readonly Profile[] };

/** What is wrong in a book whose shape is right; `path` leads to the place. */
export type ProfileProblem = { readonly path: readonly PropertyKey[]; readonly message: string };

/** Flags that their engine does not have, values given twice or not at all, profiles that stand twice. */
export function lintProfiles(book: ProfileBook): readonly ProfileProblem[] {
  return [lintProfile, lintSteps].flatMap((lint) => book.profiles.flatMap((profile, i) => lint(book, profile, i)));
}

function lintProfile({ profiles }: ProfileBook, profile: Profile, index: number): readonly ProfileProblem[] {
  const path = ['profiles', index];
  const first = profiles.findIndex((one) => one.engine === profile.engine && one.profile === profile.profile);
  return [
    ...(first < index ? [{ path, message: `${profile.engine} already has its ${profile.profile} profile above` }] : []),
    ...profile.set.flatMap((setting, i) => [
      ...lintFlag(profile.engine, setting.flag, [...path, 'set', i, 'flag']),
      ...lintValue(setting, [...path, 'set', i]),
    ]),
  ];
}

function lintSteps(book: ProfileBook, { engine, set }: Profile, index: number): readonly ProfileProblem[] {
  if (fractionIn(book, engine) !== undefined) return [];
  const message = `\`fractions\` has no step for ${engine}: add it there, or give a number`;
  return set.flatMap((setting, i) =>
    setting['lower-by'] === 'step' ? [{ path: ['profiles', index, 'set', i, 'lower-by'], message }] : [],
  );
}

function lintFlag(engine: string, flag: string, path: readonly PropertyKey[]): readonly ProfileProblem[] {
  const entry = entryOf(engine, flag);
  const known = entry !== undefined && entry.since !== 'never';
  return known ? [] : [{ path, message: `${engine} has no flag ${flag} in any version that the table knows` }];
}

function lintValue(setting: Setting, path: readonly PropertyKey[]): readonly ProfileProblem[] {
  const values = [setting.to, setting['by-card'], setting['lower-by']].filter((one) => one !== undefined);
  return values.length === 1 ? [] : [{ path, message: 'needs exactly one of `to`, `by-card`, `lower-by`' }];
}

export function profileOf(book: ProfileBook, engine: string, name: ProfileName): Profile | undefined {
  const key = engineKey(engine);
  return book.profiles.find((one) => one.engine === key && one.profile === name);
}

/** What the book says of the memory fraction of an engine. */
export function fractionIn(book: ProfileBook, engine: string): Fraction | undefined {
  const key = engineKey(engine);
  return book.fractions.find((one) => one.engine === key);
}

/** The band that a GPU falls into; undefined where its memory is not known and the bands differ. */
export function bandOf(bands: readonly Band[], cardGib: number | undefined): number | undefined {
  if (cardGib === undefined) return bands.length === 1 ? bands[0]?.to : undefined;
  return bands.find((band) => cardGib < (band['below-gib'] ?? Number.POSITIVE_INFINITY))?.to;
}

/** The class of GPUs that a profile takes a GPU for, in GiB from (0: any) to below (null: any); undefined where its memory is not known. */
export function profileClass(
  book: ProfileBook,
  { engine, name, card }: { engine: string; name: ProfileName; card: Card },
): { readonly from: number; readonly below: number | null } | undefined {
  if (card.totalBytes === undefined) return undefined;
  const gib = card.totalBytes / 2 ** 30;
  const bands = profileOf(book, engine, name)?.set.flatMap((setting) => setting['by-card'] ?? []) ?? [];
  const edges = bands.flatMap((band) => band['below-gib'] ?? []);
  const above = edges.filter((edge) => gib < edge);
  return {
    from: Math.max(0, ...edges.filter((edge) => gib >= edge)),
    below: above.length === 0 ? null : Math.min(...above),
  };
}

export type Card = {
  readonly totalBytes?: number | undefined;
  readonly product?: string | undefined;
  /** Generation of vLLM, where it is known apart from the version. */
  readonly generation?: 'V0' | 'V1' | undefined;
};

/** What runs an engine and gives it values of its own. */
export type Wrapping = { readonly engine: string; readonly version: string };

type Asked = {
  readonly engine: string;
  readonly version: string | undefined;
  readonly flag: string;
  readonly card: Card;
  readonly wrapping?: Wrapping | undefined;
};

/** The value of a flag that is not given, as far as version and GPU are known: what runs the engine gives it, else the engine's own. */
export function defaultIn(of: Asked): { readonly low: number; readonly high: number } | undefined {
  const { card, wrapping } = of;
  const given = { gpuBytes: card.totalBytes, gpuName: card.product, generation: card.generation };
  const own = (more: Partial<Wrapping>) =>
    defaultRange({ ...of, ...more, engine: engineKey(more.engine ?? of.engine) }, given);
  return (wrapping && own(wrapping)) ?? own({});
}

export function rangeOf(entry: Pick<Setting, 'since' | 'until'>): { since: string | null; until: string | null } {
  return { since: entry.since ?? null, until: entry.until ?? null };
}
