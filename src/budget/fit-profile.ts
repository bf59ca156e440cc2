import { formatValue } from '../model/format-value.ts';
import type { Bound } from '../model/plan.ts';
import type { Edit } from '../model/verdict.ts';
import {
  type Asked,
  askedOf,
  contextOf,
  editOf,
  type FitContext,
  type FitInput,
  type LeftOut,
  lengthOf,
  type Now,
  nowOf,
  stepTokensOf,
  whyAbsent,
} from './fit-context.ts';
import { chooseFraction, fractionInForce } from './fit-fraction.ts';
import { type Choice, chooseCount, chooseLength, lengthsOf, needWithSpare } from './fit-tokens.ts';
import { highestFraction } from './fraction-room.ts';
import { amountOf } from './known-amount.ts';
import { sequencesOf } from './kv-bytes.ts';
import { type PoolAt, poolAt } from './kv-pool.ts';
import { needOf } from './outcome.ts';
import { scaled } from './sequence-memory.ts';
import { inputTokensOf, judgeStart, needsWholePrompts, requestOf, type StartInput } from './start-condition.ts';
import { judgeHeads } from './tensor-parallel.ts';

export type { FitInput, LeftOut } from './fit-context.ts';

export type Fit =
  | {
      readonly kind: 'fitted';
      readonly edits: readonly Edit[];
      readonly left: readonly LeftOut[];
      /** Whether the sums show that the engine starts; where they do not, only what can do no harm is proposed. */
      readonly proven: boolean;
      readonly sum: string;
      /** What the engine's start is judged by, with the edits in force. */
      readonly start: StartInput;
    }
  | { readonly kind: 'refused'; readonly why: string; readonly sum: string }
  | { readonly kind: 'none'; readonly why: string };

/** The arguments of a profile, computed to fit this model and GPU; refused where the engine would not start with them. */
export function fitProfile(input: FitInput): Fit {
  if (input.fixed !== undefined) return { kind: 'none', why: input.fixed };
  const context = contextOf(input);
  return context === undefined
    ? { kind: 'none', why: `there is no ${input.profile} profile for ${input.engine}` }
    : fitTo(context);
}

// Tokens per step and sequences as they will be: in force, or what the profile lowers them to.
function poolOf(context: FitContext): PoolAt {
  const { knobs } = context;
  const lowered = (flag: string | undefined, inForce: number | undefined) => {
    const now = nowOf(context, flag);
    const asked = askedOf(context, flag);
    return asked.kind === 'asked' && now !== undefined && asked.value < now.low ? asked.value : inForce;
  };
  return poolAt({
    ...context,
    fraction: fractionInForce(context),
    batchedTokens: lowered(knobs.batched, stepTokensOf(context)),
    sequences: lowered(knobs.sequences, nowOf(context, knobs.sequences)?.high),
  });
}

function fitTo(context: FitContext): Fit {
  const { knobs } = context;
  const pool = poolOf(context);
  const one = sequencesOf(context);
  const memory = 'missing' in one ? undefined : scaled(one, contextsOf(context));
  const { wanted } = lengthsOf(context);
  const needBytes = wanted === undefined || memory === undefined ? undefined : needWithSpare(memory, wanted);
  const fraction = chooseFraction(context, pool, needBytes);
  const before = fractionInForce(context);
  const whole = needsWholePrompts(knobs, context);
  const atMost = whole === true ? nowOf(context, knobs.batched)?.given?.number : undefined;
  const length = chooseLength(context, { pool, fraction: fraction.value, before, memory, atMost });
  const sum = pool.says(fraction.value);
  if (length.kind === 'refused') return { kind: 'refused', why: length.why, sum };
  const input = inputOf(context, length);
  const prompt = input.value ?? inputTokensOf(context.engine, context.settings) ?? length.value;
  const counts = chooseCounts(context, whole === false ? undefined : (prompt ?? null));
  const choices = [length, ...counts.choices, fraction, ...others(context), input];
  const start: StartInput = {
    ...requestOf(context, fraction.value),
    poolBytes: amountOf(pool.at(fraction.value)),
    interval: pool.between(fraction.value),
    needBytes: memory && needOf(memory, length.value),
    ...(fraction.value === before
      ? { ownTokens: context.figures.mostTokens, mostTokens: context.figures.mostTokens }
      : {}),
    lengthTokens: length.value,
    sequences: counts.sequences,
    batchedTokens: counts.batched,
    holdsLength: knobs.holdsLength,
    heads: judgeHeads(context),
    wholePrompts: whole === true,
    inputTokens: input.value ?? inputTokensOf(context.engine, context.settings),
  };
  const answer = judgeStart(start);
  if (answer.kind === 'refuses') return { kind: 'refused', why: answer.why, sum };
  const edits = choices.flatMap((choice) => choice.edits);
  return { kind: 'fitted', edits, left: choices.flatMap((choice) => choice.left), proven: answer.proven, sum, start };
}

// As many contexts as slots, taken as they will be.
function contextsOf(context: FitContext): number {
  const { contexts } = context.knobs;
  if (contexts === undefined) return 1;
  return chooseCount(context, contexts).value ?? 1;
}

type Counts = {
  readonly choices: readonly Choice[];
  readonly sequences: number | undefined;
  readonly batched: number | undefined;
};

/** `prompt`: the length that a pass has to hold; undefined: none, null: one that is not known, so that passes stay as they are. */
function chooseCounts(context: FitContext, prompt: number | null | undefined): Counts {
  const { knobs } = context;
  const pass = nowOf(context, knobs.batched);
  const most = knobs.rowsInPass && pass !== undefined ? { most: pass.low } : {};
  const sequences = chooseCount(context, knobs.sequences, most);
  if (prompt === null && knobs.batched !== undefined) {
    const why = 'a prompt may have to fit one step, and the longest prompt is unknown';
    return {
      choices: [sequences, { value: pass?.high, edits: [], left: [{ flag: knobs.batched, why }] }],
      sequences: sequences.value,
      batched: pass?.low,
    };
  }
  const rows = knobs.rowsInPass ? (sequences.value ?? 1) : 1;
  const batched = chooseCount(context, knobs.batched, leastPass(context, rows, prompt ?? 1));
  const compare = (knobs.rowsInPass || prompt !== undefined) && (batched.edits.length > 0 || pass?.given !== undefined);
  return { choices: [sequences, batched], sequences: sequences.value, batched: compare ? batched.value : undefined };
}

function leastPass(context: FitContext, rows: number, prompt: number): { least: number; because: string } {
  if (prompt <= rows) return { least: rows, because: `a step takes one token of each of ${rows} sequences` };
  const has = needsWholePrompts(context.knobs, context) === true ? 'has to' : 'may have to';
  return {
    least: prompt,
    because: `the longest prompt, ${formatValue('tokens', prompt)}, ${has} fit one step`,
  };
}

// Flags of the profile that are no knob of this sum.
function others(context: FitContext): readonly Choice[] {
  const { knobs, profile } = context;
  const known = [knobs.length, knobs.sequences, knobs.batched, knobs.fraction];
  return profile.set.filter(({ flag }) => !known.includes(flag)).map(({ flag }) => chooseCount(context, flag));
}

const INPUT_SHARE = 0.75;

function inputOf(context: FitContext, length: Choice): Choice {
  const none: Choice = { value: undefined, edits: [], left: [] };
  const flag = context.knobs.longestPrompt;
  if (flag === undefined || length.value === undefined || length.edits.length === 0) return none;
  const given = inputTokensOf(context.engine, context.settings);
  if (given === undefined || given < length.value || length.value < 2) return none;
  const absent = whyAbsent(context, flag);
  if (absent !== undefined) return { ...none, left: [{ flag, why: absent }] };
  const to = Math.floor(length.value * INPUT_SHARE);
  const why = 'has to be below the length of prompt plus output';
  return { value: to, edits: [editOf(context, { flag, to, why, from: [] })], left: [] };
}

// As far below what a profile asks as a hand may go.
const REACH = 4;

/**
 * Between what each value of a profile may be edited: counts from a quarter of what it asks up to what is in force, the
 * fraction the way the signature moves it. Nothing of a profile raises a count.
 */
export function profileBounds(input: FitInput): readonly Bound[] {
  const context = contextOf(input);
  if (context === undefined) return [];
  const flags = [...new Set(context.profile.set.map(({ flag }) => flag))];
  return flags.flatMap((flag) => boundOf(context, flag) ?? []);
}

function boundOf(context: FitContext, flag: string): Bound | undefined {
  const now = nowOf(context, flag);
  const asked = askedOf(context, flag, now?.high);
  if (asked.kind !== 'asked') return undefined;
  if (flag === context.knobs.fraction) return now && fractionBound(context, asked, now);
  const inForce = flag === context.knobs.length ? lengthInForce(context) : now?.high;
  const max = inForce ?? asked.value;
  return { flag, min: Math.max(1, Math.min(Math.floor(asked.value / REACH), max)), max };
}

// Never return to a length that the engine itself says cannot fit, unless the change frees memory.
function lengthInForce(context: FitContext): number | undefined {
  const now = lengthOf(context);
  const most = context.direction === 'raise' ? undefined : context.figures.estimatedMaxLen;
  return now === undefined || most === undefined ? now : Math.min(now, most);
}

function fractionBound(context: FitContext, { setting, value }: Extract<Asked, { kind: 'asked' }>, now: Now): Bound {
  const { flag } = setting;
  if (context.direction === 'raise')
    return { flag, min: now.low, max: Math.max(now.high, highestFraction(context) ?? 0) };
  return { flag, min: Math.min(value, now.low), max: now.high };
}
