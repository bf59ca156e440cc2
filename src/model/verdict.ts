import { z } from 'zod';
import { ActionId } from './action.ts';
import { Citation } from './citation.ts';
import { UnknownReason } from './fact.ts';
import { Bucket, Cause, Phase, Plane } from './taxonomy.ts';
import { Topic } from './topic.ts';

/** A fact that is missing and what it needs. `held`: that is in the evidence and does not show it, and `needs` says so in a sentence. */
const MissingFact = z.strictObject({
  fact: z.string(),
  reason: UnknownReason,
  needs: z.string(),
  held: z.literal(true).optional(),
});

/** A branch that could not be judged, as `question/branch`, with the facts that are missing. `headline` and `cause` are those of the finding it leads to; verdicts of before they were kept have none. */
export const NotRuledOut = z.strictObject({
  branch: z.string(),
  finding: z.string(),
  headline: z.string().optional(),
  cause: Cause.optional(),
  missing: z.array(MissingFact).min(1),
});
export type NotRuledOut = z.infer<typeof NotRuledOut>;

export const Evidence = z.strictObject({
  says: z.string().min(1),
  fact: z.string(),
  from: z.array(Citation).min(1),
});
export type Evidence = z.infer<typeof Evidence>;

/** One change of an engine flag or variable; `from` null where it was not set, `to` null to remove it. */
export const Edit = z.strictObject({
  flag: z.string().min(1),
  from: z.string().nullable(),
  to: z.string().nullable(),
  why: z.string(),
  facts: z.array(z.string()),
});
export type Edit = z.infer<typeof Edit>;

/** What could be done. `direction` is that of the main knob and comes from the signature. */
export const Remedy = z.strictObject({
  action: ActionId,
  says: z.string(),
  edits: z.array(Edit),
  direction: z.enum(['raise', 'lower', 'set', 'none']),
  kind: z.enum(['stop-bleed', 'lasting']),
  /** The profile that the playbook names; absent where the finding chooses. */
  profile: z.string().optional(),
});
export type Remedy = z.infer<typeof Remedy>;

/** The arguments of a profile as they fit this engine and GPU (GiB from and below), or why the engine would start with none. */
const profiled = {
  name: z.string(),
  engine: z.string(),
  version: z.string().nullable(),
  product: z.string().nullable(),
  class: z.strictObject({ from: z.number(), below: z.number().nullable() }).nullable(),
};
export const OfferedProfile = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('fitted'), ...profiled, edits: z.array(Edit).min(1), proven: z.boolean() }),
  z.strictObject({ kind: z.literal('none-starts'), ...profiled, why: z.string(), sum: z.string() }),
]);
export type OfferedProfile = z.infer<typeof OfferedProfile>;

/** The answer about one snapshot; `oom diagnose --json` prints it with the contributing factors next to it. `finding` is the id of the playbook's finding. */
export const Verdict = z.strictObject({
  id: z.string(),
  plane: Plane,
  phase: Phase,
  cause: Cause,
  /** Whether plane and phase are proved, and all that the finding says. */
  certain: z.boolean(),
  /** Whether the cause is, too; where only `certain` is true it is the likeliest, and `alternatives` are the others. Verdicts of before this was kept are taken not to be. */
  causeCertain: z.boolean().default(false),
  notRuledOut: z.array(NotRuledOut),
  alternatives: z.array(Cause),
  finding: z.string(),
  evidence: z.array(Evidence),
  remedies: z.array(Remedy),
});
export type Verdict = z.infer<typeof Verdict>;

/** One condition as it was judged: the fact, the value seen, and yes, no or unknown. `says` is the same for who does not know the facts by their ids; empty on a group. */
export const JudgedCondition = z.strictObject({
  text: z.string(),
  says: z.string().default(''),
  fact: z.string(),
  seen: z.string(),
  answer: z.enum(['yes', 'no', 'unknown']),
  depth: z.int().min(0),
});
export type JudgedCondition = z.infer<typeof JudgedCondition>;

export const PathStep = z.strictObject({
  question: z.string(),
  ask: z.string(),
  branch: z.string(),
  answer: z.enum(['yes', 'no', 'unknown', 'otherwise']),
  conditions: z.array(JudgedCondition),
});
export type PathStep = z.infer<typeof PathStep>;

/** A verdict with the words around it: what the card and `oom explain` are drawn from. */
export const Diagnosis = z.strictObject({
  verdict: Verdict,
  /** The finding in at most a dozen words, for the first line of a card. */
  headline: z.string().optional(),
  says: z.string(),
  /** A recent change that may have caused it, and whether the figures prove that it did; absent where none fits. */
  change: z.strictObject({ says: z.string().min(1), proved: z.boolean() }).optional(),
  bucket: Bucket,
  path: z.array(PathStep),
  next: z.array(z.string()),
  /** Why nothing of a kind is offered; diagnoses of before this was kept have none. */
  without: z.array(z.strictObject({ kind: Remedy.shape.kind, why: z.string() })).optional(),
  /** The profile that goes with what is offered; absent where the finding turns no knob of an engine that has one. */
  profile: OfferedProfile.optional(),
  /** What people try at this cause and does not help; diagnoses of before this was kept have none. */
  topics: z.array(Topic).optional(),
  /** What `topics` was called in stored diagnoses of 0.1; not shown. */
  myths: z.unknown().optional(),
  playbook: z.strictObject({ name: z.string(), version: z.int(), hash: z.string() }),
});
export type Diagnosis = z.infer<typeof Diagnosis>;
