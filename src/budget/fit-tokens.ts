import { formatValue } from '../model/format-value.ts';
import { LENGTH_SHARE, wholeBlocks } from '../model/safe-values.ts';
import type { Edit } from '../model/verdict.ts';
import { askedOf, editOf, type FitContext, type LeftOut, lengthOf, nowOf, whyAbsent } from './fit-context.ts';
import { amountOf } from './known-amount.ts';
import { gib, type PoolAt } from './kv-pool.ts';
import { longestIn, type SequenceMemory } from './sequence-memory.ts';

/** What a number will be (undefined: not known), and the edit that brings it there. */
export type Choice = {
  readonly value: number | undefined;
  readonly edits: readonly Edit[];
  readonly left: readonly LeftOut[];
};

/** Below this a server is of no use to anyone. */
const LEAST_LENGTH = 1024;

/** Lowers a count to the profile's value, but not below `least`, which `because` gives the reason of; a value in force that is lower stays. */
export function chooseCount(
  context: FitContext,
  flag: string | undefined,
  bounds: { least?: number; because?: string; most?: number } = {},
): Choice {
  const now = nowOf(context, flag);
  const asked = askedOf(context, flag);
  const stay = (...left: readonly LeftOut[]): Choice => ({ value: now?.high, edits: [], left });
  if (asked.kind !== 'asked') return stay(...(asked.kind === 'left' ? [asked.left] : []));
  const { setting } = asked;
  const to = Math.max(Math.min(asked.value, bounds.most ?? asked.value), bounds.least ?? 1);
  // Nothing is lower than one, so it needs no knowledge of what is in force.
  if (now === undefined && to !== 1)
    return stay({ flag: setting.flag, why: 'the current value is unknown, and this could raise it' });
  const held = to > asked.value ? (bounds.because ?? `the other values need at least ${to}`) : undefined;
  if (now !== undefined && to >= now.low) {
    const why = held === undefined || asked.value >= now.low ? 'already safer' : held;
    return stay({ flag: setting.flag, why: `current value ${now.low}: ${why}` });
  }
  const why = held === undefined ? setting.why : `${setting.why}; ${held}`;
  return { value: to, edits: [editOf(context, { flag: setting.flag, to, why, from: ['totalBytes'] })], left: [] };
}

/** The length in force, and that or the one that the profile asks for, the shorter. */
export function lengthsOf(context: FitContext) {
  const now = lengthOf(context);
  const asked = askedOf(context, context.knobs.length);
  if (now === undefined) return { now, wanted: undefined };
  return { now, wanted: asked.kind === 'asked' ? Math.min(now, asked.value) : now };
}

type LengthChoice = (Choice & { readonly kind: 'chosen' }) | { readonly kind: 'refused'; readonly why: string };

type LengthInput = {
  readonly pool: PoolAt;
  readonly fraction: number | undefined;
  readonly before: number | undefined;
  /** What sequences take, in every context that is allocated at once. */
  readonly memory: SequenceMemory | undefined;
  /** Tokens per step that a prompt has to fit into. */
  readonly atMost: number | undefined;
};

/** The longest of what is wanted that the cache holds; refused where that is of no use. */
export function chooseLength(context: FitContext, input: LengthInput): LengthChoice {
  const flag = context.knobs.length;
  const { now, wanted } = lengthsOf(context);
  if (flag === undefined || wanted === undefined || now === undefined) {
    const left = flag === undefined ? [] : [{ flag, why: 'the current length is unknown, and this could raise it' }];
    return { kind: 'chosen', value: undefined, edits: [], left };
  }
  const absent = whyAbsent(context, flag);
  if (absent !== undefined) {
    // What is in force stays, and an estimate is no reason to call it impossible.
    const value = input.pool.basis === 'printed' ? now : undefined;
    return { kind: 'chosen', value, edits: [], left: [{ flag, why: absent }] };
  }
  const fits = longestFor(context, input, wanted);
  const to = lengthToTake(input, { wanted, fits });
  if (to === undefined) return { kind: 'refused', why: refusal(input, wanted) };
  if (to >= now) {
    const why = Number.isFinite(fits) ? `the current ${now} fits` : `current value ${now}; KV cache size unknown`;
    return { kind: 'chosen', value: now, edits: [], left: [{ flag, why }] };
  }
  const asked = askedOf(context, flag);
  const why = [
    ...(asked.kind === 'asked' ? [asked.setting.why] : ['the KV cache has to hold one sequence of this length']),
    sumFor(input, to),
  ].join('; ');
  const from = [
    'kvAvailableBytes',
    'kvNeededBytes',
    'maxModelLen',
    'estimatedMaxLen',
    'kvTokens',
    'totalBytes',
  ] as const;
  return { kind: 'chosen', value: to, edits: [editOf(context, { flag, to, why, from })], left: [] };
}

// As much of what is wanted as fits; the least where that may fit.
function lengthToTake(input: LengthInput, of: { wanted: number; fits: number }): number | undefined {
  const { wanted, fits } = of;
  const most = Math.min(wanted, input.atMost ?? wanted);
  const least = Math.min(LEAST_LENGTH, wanted);
  const to = Math.max(Math.min(most, fits), mayHold(input, least) ? least : 0);
  return to < least || most < least ? undefined : to;
}

// The engine's own estimate counts where the fraction stays; else what the pool holds at the low end of its interval.
function longestFor(context: FitContext, input: LengthInput, wanted: number): number {
  const { figures, knobs } = context;
  const { pool, fraction, before, memory } = input;
  const size = leastPool(input);
  if (size === undefined || memory === undefined) {
    const own = figures.mostTokens ?? Number.POSITIVE_INFINITY;
    return own * LENGTH_SHARE >= wanted ? own : wholeBlocks(own * LENGTH_SHARE, knobs.blockTokens);
  }
  const settled = pool.basis === 'printed' && fraction === before && wanted === lengthsOf(context).now;
  if (size >= (settled ? memory.needFor(wanted) + memory.heldBytes : needWithSpare(memory, wanted))) return wanted;
  const computed = longestIn(memory, Math.max(0, size));
  const own = fraction === before ? figures.estimatedMaxLen : undefined;
  return wholeBlocks(Math.min(computed, own ?? computed) * LENGTH_SHARE, knobs.blockTokens);
}

/** What a pool should have for a length that is newly set: the engine's own sum moves by some blocks between starts. */
export function needWithSpare({ needFor, heldBytes }: SequenceMemory, length: number): number {
  return needFor(length / LENGTH_SHARE) + heldBytes;
}

// A profile is impossible only where even the high end of the interval does not hold it.
function mayHold({ pool, fraction, memory }: LengthInput, length: number): boolean {
  const between = pool.between(fraction);
  return between !== undefined && memory !== undefined && memory.needFor(length) + memory.heldBytes <= between.high;
}

// Where the size of the GPU is not known a larger fraction gives at least what the one before gave.
function leastPool({ pool, fraction, before }: LengthInput): number | undefined {
  const raised = fraction !== undefined && before !== undefined && fraction > before;
  const low = pool.between(fraction)?.low;
  return low ?? amountOf(pool.at(fraction)) ?? (raised ? amountOf(pool.at(before)) : undefined);
}

function refusal(input: LengthInput, wanted: number): string {
  return `it would not start with a length of ${formatValue('tokens', Math.min(LEAST_LENGTH, wanted))}: ${sumFor(input, wanted)}`;
}

function sumFor({ pool, fraction, memory }: LengthInput, tokens: number): string {
  if (memory === undefined) return pool.says(fraction);
  const size = amountOf(pool.at(fraction));
  const has = size === undefined ? '' : `, the KV cache has ${gib(size)} (${pool.says(fraction)})`;
  return `${formatValue('tokens', tokens)} take ${gib(memory.needFor(tokens))}${has}`;
}
