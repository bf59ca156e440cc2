import { z } from 'zod';
import { Citation } from './citation.ts';

/** Units of facts. `share` runs from 0 to 1; `bytes` are bytes; `duration` is seconds; `time` is epoch ms; `choice` is one of `values`. */
export const Unit = z.enum([
  'yes-no',
  'share',
  'bytes',
  'duration',
  'time',
  'count',
  'tokens',
  'ratio',
  'text',
  'choice',
]);
export type Unit = z.infer<typeof Unit>;

/** Why a fact is not known. The word says what a person could do about it. */
export const UnknownReason = z.enum([
  'not-in-snapshot',
  'forbidden',
  'gone',
  'budget',
  'deadline',
  'unreachable',
  'not-configured',
  'not-exposed',
  'empty',
  'stale',
  'failed',
  'contradictory',
]);
export type UnknownReason = z.infer<typeof UnknownReason>;

export const FactValue = z.union([z.boolean(), z.number(), z.string()]);
export type FactValue = z.infer<typeof FactValue>;

export const KnownFact = z.strictObject({
  kind: z.literal('known'),
  value: FactValue,
  from: z.array(Citation).min(1),
  at: z.number().optional(),
  /** What the program takes where nobody sets anything: the proof shows that, and not the value. */
  byDefault: z.literal(true).optional(),
});
export const UnknownFact = z.strictObject({
  kind: z.literal('unknown'),
  reason: UnknownReason,
  detail: z.string(),
  /** Files of the snapshot that were read for it and do not show it. */
  held: z.array(z.string()).min(1).optional(),
});

/** A value with its proof and time (epoch ms), or unknown with the reason: missing is not zero and not no. */
export const Fact = z.discriminatedUnion('kind', [KnownFact, UnknownFact]);
export type Fact = z.infer<typeof Fact>;
export type KnownFact = z.infer<typeof KnownFact>;
export type UnknownFact = z.infer<typeof UnknownFact>;

/** Facts by id. An id of the catalogue that is absent here is unknown, `not-in-snapshot`. */
export type Facts = ReadonlyMap<string, Fact>;

/** An entry of the fact catalogue. `onlyWhere` is when it is known at all, which no card needs to tell; `saysNot` is how it reads where it is not so; `needs` names the evidence that would make it known, in the reader's words. */
export const FactEntry = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/),
  unit: Unit,
  values: z.array(z.string()).optional(),
  says: z.string().min(1),
  onlyWhere: z.string().min(1).optional(),
  saysNot: z.string().min(1).optional(),
  needs: z.string().min(1),
});
export type FactEntry = z.infer<typeof FactEntry>;
