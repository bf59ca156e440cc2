import { z } from 'zod';
import { type CamelKeys, camelKeys, Version, Words } from './table-words.ts';

/** What bounds the memory of every engine, under one name. */
export const Knob = z.enum(['fraction', 'length', 'sequences', 'batched-tokens']);
export type Knob = z.infer<typeof Knob>;

/** What a person turns: the four knobs that every engine's edits know, and three more that only texts name. */
export const TextKnob = z.enum([...Knob.options, 'cache-type', 'ranks', 'offloaded-layers']);

/** Where an engine has its limits from: arguments, a file that overrides them, the built engine, a server's model repository. */
export const SetBy = z.enum(['command-line', 'file', 'build', 'repository']);
export type SetBy = z.infer<typeof SetBy>;

/** How an engine counts, for the sums of a budget. */
const Sums = z.strictObject({
  /** `total`: a share of the GPU that holds everything; `free`: a share of what is free after the weights; `none`: all that is left is for the context. */
  'fraction-of': z.enum(['total', 'free', 'none']),
  /** 1.0 of the fraction is what was free before the load, not the whole GPU. */
  'of-free-before-load': z.literal(true).optional(),
  /** Whether activations are taken from inside the fraction. */
  'activations-inside': z.boolean(),
  /** Whether a start fails where the pool does not hold one sequence of the longest length. */
  'holds-length': z.boolean(),
  /** Whether a prompt has to fit into one forward pass; `by-version` where chunking came with a version. */
  'whole-prompts': z.enum(['no', 'yes', 'by-version']),
  /** Whether a pass has to have a token for every sequence. */
  'rows-in-pass': z.boolean(),
  /** Flag that multiplies the context. */
  contexts: Words.optional(),
  'kv-dtype': Words.optional(),
  'tensor-parallel': Words.optional(),
  'pipeline-parallel': Words.optional(),
  /** Flag that sets how many engines share the requests, each with a pool of its own. */
  copies: Words.optional(),
  'block-tokens': z.int().min(1),
  /** In how many figures the size of the KV pool is printed, where it is not one. */
  'kv-sizes-printed': z.int().min(2).optional(),
  /** Flag that sets the tokens of a block. */
  'block-size': Words.optional(),
  /** Flag for the longest prompt, where it is bounded apart from the length; a pass has to hold it. */
  'longest-prompt': Words.optional(),
  /** The part of its fraction that it uses: a variable, what it was before that, and the behaviour of counting it of what is free. */
  'keeps-back': z.strictObject({ variable: Words, before: z.number().gt(0).lt(1), 'of-free': Words }).optional(),
  /** The behaviour of counting graphs inside the fraction; without one they lie outside. */
  'graphs-inside': Words.optional(),
  /** The behaviour of comparing at its start what it asks for with what is free. */
  'compares-free': Words.optional(),
});

/** Figures of a budget that an engine prints. */
const Figure = z.enum([
  'weights-bytes',
  'activation-bytes',
  'non-torch-bytes',
  'graph-bytes',
  'load-free-bytes',
  'kv-available-bytes',
  'kv-tokens',
  'max-model-len',
]);

/** Why no argument sets the limits of an engine, and the way to change them all the same. */
const FixedLimits = z.strictObject({
  why: Words,
  way: Words.optional(),
  texts: z.partialRecord(TextKnob, Words).optional(),
});

const Spelling = z.strictObject({ flag: Words, to: Words.optional() });

/**
 * How a version has a behaviour: not at all, only where it is asked for, unless it is turned off, whatever is said; or
 * by the model, the platform or a release between, so that the version alone does not tell.
 */
const FeatureState = z.enum(['no', 'asked', 'default', 'always', 'depends']);
export type FeatureState = z.infer<typeof FeatureState>;

const FeatureRow = z.strictObject({
  id: Words,
  says: Words,
  /** From which release on the state holds; the first one has none. A span ends where the next begins. */
  spans: z.array(z.strictObject({ from: Version.optional(), is: FeatureState })).min(1),
  /** The flag or variable that turns it on, where there is one. */
  by: Words.optional(),
  note: Words.optional(),
  source: Words,
});

/** engines/<engine>/knobs.yaml */
export const KnobsFile = z.strictObject({
  knobs: z.partialRecord(Knob, Words).optional(),
  /** What becomes of requests above the sequences; they wait where nothing is said. */
  excess: z.enum(['waits', 'is refused']).optional(),
  /** What texts name in addition to the knobs or instead of them. */
  texts: z.partialRecord(TextKnob, Spelling).optional(),
  'set-by': z.partialRecord(z.enum(['file', 'build', 'repository', 'unknown']), FixedLimits).optional(),
  sums: Sums.optional(),
  /** Where a person finds a figure. */
  printed: z.partialRecord(Figure, Words).optional(),
  /** Words of a command that refuse expandable segments of PyTorch's allocator in versions that have a behaviour. */
  'against-segments': z.array(z.strictObject({ flag: Words, why: Words, feature: Words })).optional(),
  features: z.array(FeatureRow).min(1).optional(),
});
export type KnobsFile = z.infer<typeof KnobsFile>;

/** platform/<name>/features.yaml: behaviours of what engines are built on. */
export const FeaturesFile = z.strictObject({ features: z.array(FeatureRow).min(1) });

export type Sums = CamelKeys<z.infer<typeof Sums>>;
export type EngineKnobs = CamelKeys<Omit<KnobsFile, 'features' | 'sums' | 'printed'>> & {
  readonly sums?: Sums | undefined;
  readonly printed?: Readonly<Record<string, string>> | undefined;
};

/** A behaviour of an engine or of what it is built on, by version. What has a flag or variable of its own stands in the flag table. */
export type Feature = Readonly<z.infer<typeof FeatureRow>> & { readonly engine: string };

export function knobsIn({ features: _, sums, printed, ...file }: KnobsFile): EngineKnobs {
  return { ...camelKeys(file), sums: sums && camelKeys(sums), printed: printed && camelKeys(printed) };
}

export function featuresIn(engine: string, { features = [] }: Pick<KnobsFile, 'features'>): Feature[] {
  return features.map((row) => ({ ...row, engine }));
}
