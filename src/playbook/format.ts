import { z } from 'zod';
import { ActionId } from '../model/action.ts';
import { Cause, Phase, Plane } from '../model/taxonomy.ts';

/** The format that this oombot reads. A playbook names it as `schema`. */
export const FORMAT = 2;

const ID_ERROR = { error: 'an id has lowercase letters, digits and single dashes' };
const Id = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, ID_ERROR);
const FactId = z.string().min(1).meta({ id: 'fact', description: 'a fact: `oom playbook facts` lists them' });
const Text = z.string().trim().min(1);
const Template = Text.meta({ description: 'text with {{fact}} only' });

/** A value to compare with: true or false, a number, a share from 0 to 1, `10m`, `16GiB`, a word, or `$threshold`. */
const Operand = z
  .union([z.boolean(), z.number(), z.string()])
  .meta({ description: 'true or false, a number, a share from 0 to 1, `10m`, `16GiB`, a word, or `$threshold`' });
type Operand = z.infer<typeof Operand>;

export const GROUPS = ['all', 'any', 'not'] as const;
export const COMPARISONS = ['is', 'in', 'above', 'at-least', 'below', 'at-most', 'known'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export type ConditionFile = {
  all?: ConditionFile[] | undefined;
  any?: ConditionFile[] | undefined;
  not?: ConditionFile | undefined;
  fact?: string | undefined;
  is?: Operand | undefined;
  in?: Operand[] | undefined;
  above?: Operand | undefined;
  'at-least'?: Operand | undefined;
  below?: Operand | undefined;
  'at-most'?: Operand | undefined;
  known?: boolean | undefined;
  'or-unknown'?: true | undefined;
};

/** `all`, `any`, `not`, or one fact with exactly one comparison; `or-unknown` says yes where the fact is missing. */
export const ConditionFile: z.ZodType<ConditionFile> = z
  .strictObject({
    get all() {
      return z.array(ConditionFile).min(1).optional();
    },
    get any() {
      return z.array(ConditionFile).min(1).optional();
    },
    get not() {
      return ConditionFile.optional();
    },
    fact: FactId.optional(),
    is: Operand.optional(),
    in: z.array(Operand).min(1).optional(),
    above: Operand.optional(),
    'at-least': Operand.optional(),
    below: Operand.optional(),
    'at-most': Operand.optional(),
    known: z.boolean().optional(),
    'or-unknown': z.literal(true).optional(),
  })
  .superRefine((condition, context) => {
    const wrong = shapeFault(Object.keys(condition));
    if (wrong !== undefined) context.addIssue({ code: 'custom', message: wrong });
  })
  .meta({ id: 'condition', description: '`all`, `any`, `not`, or one fact and one comparison' });

/** What is wrong with the keys of a condition, if anything. */
function shapeFault(keys: readonly string[]): string | undefined {
  const heads = keys.filter((key) => key === 'fact' || (GROUPS as readonly string[]).includes(key));
  const comparisons = keys.filter((key) => (COMPARISONS as readonly string[]).includes(key));
  if (heads.length !== 1) {
    return `a condition is one of \`all\`, \`any\`, \`not\` or \`fact\`; this has ${heads.length === 0 ? 'none' : heads.join(' and ')}`;
  }
  if (heads[0] !== 'fact') {
    return comparisons.length === 0
      ? undefined
      : `\`${comparisons[0]}\` compares a fact and cannot be combined with \`${heads[0]}\``;
  }
  if (comparisons.length === 1) return orUnknownFault(keys, comparisons);
  return `a fact is compared by exactly one of ${COMPARISONS.join(', ')}; this has ${comparisons.length === 0 ? 'none' : comparisons.join(' and ')}`;
}

// Whether a fact is known is never itself unknown.
function orUnknownFault(keys: readonly string[], comparisons: readonly string[]): string | undefined {
  return keys.includes('or-unknown') && comparisons[0] === 'known'
    ? '`or-unknown` goes with a comparison of the value, not with `known`'
    : undefined;
}

/** A number, share, duration (`10m`) or size (`16GiB`) with a name, a reason and a source. */
const ThresholdFile = z.strictObject({
  value: z.union([z.number(), z.string()]),
  why: Text,
  source: Text,
});

/**
 * Where a branch leads: to a finding, or on to a question. `guess` says that nothing reached this way is certain; `open`
 * says why the memory is certain and the cause only likely; `phase` replaces the phase of the finding.
 */
const target = {
  finding: Id.optional(),
  ask: Id.optional(),
  guess: z.literal(true).optional(),
  open: Text.optional(),
  phase: Phase.optional(),
};
const oneTarget = (value: { finding?: string | undefined; ask?: string | undefined }): boolean =>
  (value.finding === undefined) !== (value.ask === undefined);
const ONE_TARGET = { error: 'leads to exactly one place: either `finding` or `ask`' };

/**
 * A branch of a question. `does-not-doubt` says why the answer stays certain when this branch cannot be judged;
 * `opens-cause` says why the memory then stays certain and the cause does not;
 * `settles` says why the answer is certain once this branch says yes, whatever the branches above could not tell.
 */
const BranchFile = z
  .strictObject({
    id: Id,
    if: ConditionFile,
    ...target,
    'does-not-doubt': Text.optional(),
    'opens-cause': Text.optional(),
    settles: Text.optional(),
  })
  .refine(oneTarget, ONE_TARGET);
export type BranchFile = z.infer<typeof BranchFile>;

/** Stands among the branches of a question for a list of branches under `branches`, in whichever file. */
const BranchListName = z.strictObject({ branches: Id });

const QuestionFile = z.strictObject({
  ask: Text,
  branches: z.array(z.union([BranchFile, BranchListName])).min(1),
  otherwise: z.strictObject(target).refine(oneTarget, ONE_TARGET),
});
export type QuestionFile = z.infer<typeof QuestionFile>;

/** Takes the cause from a choice fact where its value is among these; else `otherwise`, and then the verdict is not certain, or of the memory alone where `open` says why. */
const CauseFromFact = z.strictObject({
  fact: FactId,
  among: z.array(Cause).min(1),
  otherwise: Cause,
  open: Text.optional(),
});
/** Takes the phase that the cause's own name holds (`gpu.burst.logits`: burst); `otherwise` where it holds none. */
const PhaseFromCause = z.strictObject({ from: z.literal('cause'), otherwise: Phase });
/** Takes the phase from a fact whose values are starting and serving: startup and burst; chronic from an age of hours or days on, n/a if it is unknown. */
const PhaseFromLife = z.strictObject({ from: FactId, chronic: z.enum(['hours', 'days']).optional() });

const EngineNames = z.array(Text).min(1).meta({ description: 'engines as in the fact `engine.name`: vllm, sglang …' });

/** What an offer or a text is for. */
const when = {
  if: ConditionFile.optional(),
  unless: ConditionFile.optional(),
  engines: EngineNames.optional(),
  'not-engines': EngineNames.optional(),
};

/** `frees` is a fact in bytes: of the offers of a kind that have one, what frees most comes first. `unless` keeps an offer back where it is answered yes. */
const OfferFile = z.strictObject({
  action: ActionId.default('advise'),
  with: z.record(z.string(), z.unknown()).optional(),
  kind: z.enum(['stop-bleed', 'lasting']),
  direction: z.enum(['raise', 'lower', 'set', 'none']).default('none'),
  says: Template,
  frees: FactId.optional(),
  ...when,
});
export type OfferFile = z.infer<typeof OfferFile>;

/** Offered before the finding's own, with facts that prove why. `says` comes first in the cause of the card, and is it for certain where `proved` is so. */
const LeadFile = z.strictObject({
  says: Template.optional(),
  proof: z.array(FactId).min(1),
  proved: ConditionFile.optional(),
});

/** With `for` it is offered by every finding that ends at one of these causes, behind the finding's own, or with `leads` before them; one that has the action already keeps its own, but advice that leads is added. */
const RemedyFile = z.strictObject({
  for: z.array(Cause).min(1).optional(),
  leads: LeadFile.optional(),
  ...OfferFile.shape,
});

const Names = z.array(Id).min(1);

/** Remedies under one name: of `first-of` the first whose conditions hold is offered, of `all-of` each whose conditions hold. */
const RemedyGroupFile = z
  .strictObject({ 'first-of': Names.optional(), 'all-of': Names.optional() })
  .refine((group) => (group['first-of'] === undefined) !== (group['all-of'] === undefined), {
    error: 'takes either `first-of` or `all-of`',
  });

/** What to look at or to keep in mind: text, or text with what it is told for, as with an offer. */
const NextFile = z.union([Template, z.strictObject({ says: Template, ...when })]);
export type NextFile = z.infer<typeof NextFile>;

/** Takes the headline from the first words of a text fact; `otherwise` where it is not known or too long, and wherever the finding is only named. */
const HeadlineFromFact = z.strictObject({ fact: FactId, otherwise: Template.max(120) });

const FindingFile = z.strictObject({
  plane: Plane,
  phase: z.union([Phase, PhaseFromCause, PhaseFromLife]),
  cause: z.union([Cause, CauseFromFact]),
  certain: z.boolean().optional(),
  'cause-open': Text.optional(),
  headline: z.union([Template.max(120), HeadlineFromFact]),
  says: Template,
  alternatives: z.array(Cause).optional(),
  next: z.array(NextFile).optional(),
  proof: z.array(FactId),
  remedies: z.array(Id).optional(),
  without: z.strictObject({ 'stop-bleed': Text.optional(), lasting: Text.optional() }).optional(),
});
export type FindingFile = z.infer<typeof FindingFile>;

/** Causes that a program cannot have where `if` is answered yes: they are no alternatives to what it had. */
const ImpossibleFile = z.strictObject({ causes: z.array(Cause).min(1), if: ConditionFile, why: Text });

/** What guides ask about; shown with the causes of `for`. */
const TopicFile = z.strictObject({
  also: z.array(Text).optional(),
  for: z.array(Cause).optional(),
  engines: EngineNames.optional(),
  says: Text.max(400),
  helps: Text.max(250),
  instead: Text.max(300),
  source: Text,
});

const Head = z.strictObject({ name: Id, version: z.int().min(1), schema: z.literal(FORMAT), start: Id });

/** One file of a playbook: any of the sections, which are put together by id. */
export const PlaybookPart = z.strictObject({
  playbook: Head.optional(),
  impossible: z.array(ImpossibleFile).optional(),
  thresholds: z.record(Id, ThresholdFile).optional(),
  questions: z.record(Id, QuestionFile).optional(),
  branches: z.record(Id, z.array(BranchFile).min(1)).optional(),
  findings: z.record(Id, FindingFile).optional(),
  remedies: z.record(Id, RemedyFile).optional(),
  groups: z.record(Id, RemedyGroupFile).optional(),
  topics: z.record(Id, TopicFile).optional(),
});
export type PlaybookPart = z.infer<typeof PlaybookPart>;

/** A whole playbook: the sections of all its files. */
export type PlaybookFile = Required<PlaybookPart>;
