import type { Interval } from '../model/budget.ts';
import { modelFamily } from '../model/model-table.ts';
import { GIB } from '../model/quantity.ts';
import { type OverheadInput, overheadBytes } from './engine-overhead.ts';
import { bytesOfTokens, settingOf, weightFormatOf, weightsOf } from './figures.ts';
import { growthOf, roomOf, wholeName, wholeOf } from './fraction-room.ts';
import { amountOf, lacking, type Reckoned, reckon } from './known-amount.ts';
import { perTokenOf } from './kv-bytes.ts';
import { missing } from './printed-lines.ts';
import { errorOf } from './startup-error.ts';

/** What the pool depends on besides the fraction. */
export type PoolInput = OverheadInput & {
  readonly fraction: number | undefined;
};

/** `printed`: moved from a figure of the engine; `estimated`: by weights and what engines take next to them. */
export type PoolAt = {
  readonly basis: 'printed' | 'estimated' | 'unknown';
  readonly at: (fraction: number | undefined) => Reckoned;
  /** Between what an estimated pool is. */
  readonly between: (fraction: number | undefined) => Interval | undefined;
  readonly says: (fraction: number | undefined) => string;
};

/** The KV pool of one GPU as a function of the memory fraction. */
export function poolAt(input: PoolInput): PoolAt {
  const printed = printedPool(input);
  return printed === undefined ? estimatedPool(input) : movedPool(input, printed);
}

type Printed = { readonly bytes: number; readonly says: string };

// Where the context takes all there is, what was printed is what was asked for, and not what would fit.
function printedPool(input: PoolInput): Printed | undefined {
  if (input.knobs.fractionOf === 'none') return undefined;
  const { kvAvailableBytes, kvTokens } = input.figures;
  const ofTokens = amountOf(bytesOfTokens(kvTokens, perTokenOf(input)));
  const bytes = kvAvailableBytes ?? ofTokens;
  return bytes === undefined
    ? (sumOfParts(input) ?? afterLoad(input))
    : { bytes, says: `the engine reports ${gib(bytes)} of KV cache` };
}

// What the fraction leaves apart from weights, activations and what PyTorch does not own (vLLM prints all of them from 0.6.5 on).
function sumOfParts(input: PoolInput): Printed | undefined {
  const { knobs, fraction, figures } = input;
  if (knobs.fractionOf !== 'total' || !knobs.activationsInside) return undefined;
  const { totalBytes, weightsBytes, activationBytes, nonTorchBytes } = figures;
  const { ofCard, ofRest } = roomOf(input);
  const sum = reckon({ totalBytes, fraction, weightsBytes, activationBytes, nonTorchBytes }, (of) => {
    const rest = of.weightsBytes + of.activationBytes + of.nonTorchBytes;
    return (of.totalBytes * of.fraction * ofCard - rest) * ofRest;
  });
  const bytes = amountOf(sum);
  return bytes === undefined ? undefined : { bytes, says: `the printed sizes leave ${gib(bytes)} of KV cache` };
}

// SGLang's own sum (mem_cache/kv_cache_configurator.py). One that leaves room does not explain a pool that was not taken.
function afterLoad({ knobs, fraction, figures }: PoolInput): Printed | undefined {
  const { loadFreeBytes: before, loadLeftBytes: left } = figures;
  if (knobs.ofFreeBeforeLoad !== true) return undefined;
  const bytes = amountOf(reckon({ before, left, fraction }, (of) => of.left - of.before * (1 - of.fraction)));
  if (bytes === undefined || bytes > 0) return undefined;
  return { bytes, says: `the memory left after loading gives ${gib(bytes)} of KV cache` };
}

function movedPool(input: PoolInput, { bytes: printed, says }: Printed): PoolAt {
  const { engine, knobs, fraction: before } = input;
  const growth = growthOf(input);
  const at = (fraction: number | undefined): Reckoned => {
    if (fraction === before) return { kind: 'known', value: printed };
    if (fraction === undefined || before === undefined) return lacking('the current memory fraction');
    if (knobs.fractionOf === 'free') return { kind: 'known', value: before > 0 ? (printed * fraction) / before : 0 };
    if (growth === undefined) return lacking(missing(engine, wholeName(knobs)));
    return { kind: 'known', value: printed + (fraction - before) * growth };
  };
  return {
    basis: 'printed',
    at,
    between: () => undefined,
    says(fraction) {
      const pool = at(fraction);
      const now = `${says}${before === undefined ? '' : ` at ${before}`}`;
      if (fraction === before || pool.kind === 'unknown') return now;
      return `${now}; at ${fraction} that is ${gib(pool.value)}`;
    },
  };
}

function estimatedPool(input: PoolInput): PoolAt {
  const whole = wholeOf(input);
  const weights = weightsOf(input);
  if (whole === undefined || weights.kind === 'unknown') {
    const lacks = [
      ...(whole === undefined ? [missing(input.engine, wholeName(input.knobs))] : []),
      ...(weights.kind === 'unknown' ? weights.missing : []),
    ];
    return unknownPool(...lacks);
  }
  const overhead = overheadBytes(input, weights.value);
  const doubt = whyNot(input, weights.value, whole);
  if (doubt !== undefined) return unknownPool(doubt);
  const { ofCard } = roomOf(input);
  const kept = ofCard === 1 ? '' : ` x ${ofCard}`;
  const error = errorOf(input);
  const parts = { whole, weights: weights.value, overhead };
  const at = (fraction: number | undefined) => shifted(estimate(input, parts, fraction), error?.middle);
  return {
    basis: 'estimated',
    at,
    between: (fraction) => around(amountOf(estimate(input, parts, fraction)), error, lighterBy(input, weights.value)),
    says: (fraction) =>
      `${gib(whole)}${fraction === undefined ? '' : ` x ${fraction}${kept}`} minus weights ${gib(weights.value)} and about ${gib(overhead)} for activations and the rest`,
  };
}

// Weights above the GPU are no proof that it fails: they may lie on more ranks, or in part in host memory.
function whyNot({ engine, knobs, figures, settings }: PoolInput, weights: number, whole: number): string | undefined {
  if (weights < whole) return undefined;
  if (knobs.fractionOf === 'none') {
    const layers = settingOf(engine, settings, LAYERS)?.number;
    return layers !== undefined && layers >= ALL_LAYERS ? undefined : `the layers on the GPU (${LAYERS})`;
  }
  if (figures.weightsBytes !== undefined) return undefined;
  // A folder may hold a checkpoint that is quantized under the name of its model; config.json would tell.
  const { model = '' } = figures;
  const isPublished = PUBLISHED.test(model) && modelFamily(model) !== undefined;
  const isNamed = isPublished || weightFormatOf({ engine, figures, settings }) !== undefined;
  if (figures.shape === undefined && !isNamed) {
    return 'the format of the weights (config.json of the model)';
  }
  const ranks = settingOf(engine, settings, knobs.tensorParallel);
  return ranks === undefined ? `the ranks (${knobs.tensorParallel ?? 'tensor parallel'})` : undefined;
}

// As model makers publish it, `org/name`.
const PUBLISHED = /^[\w.-]+\/[\w.-]+$/;
const LAYERS = '--n-gpu-layers';
// More than any model has: people write 99 or 999 for all.
const ALL_LAYERS = 99;

function unknownPool(...lacks: readonly string[]): PoolAt {
  const why = `unknown: ${lacks.join('; ')}`;
  return { basis: 'unknown', at: () => lacking(...lacks), between: () => undefined, says: () => why };
}

function shifted(pool: Reckoned, by = 0): Reckoned {
  return pool.kind === 'known' ? { ...pool, value: pool.value + by } : pool;
}

function around(bytes: number | undefined, error: Interval | undefined, lighter: number): Interval | undefined {
  if (bytes === undefined || error === undefined) return undefined;
  const { low, high, ...of } = error;
  return { ...of, low: bytes + low, high: bytes + high + lighter };
}

// Some checkpoints quantize embedding and head as well.
function lighterBy({ figures, ...input }: PoolInput, weights: number): number {
  if (figures.weightsBytes !== undefined) return 0;
  const least = weightsOf({ ...input, figures: { ...figures, vocabulary: 0 } });
  return least.kind === 'known' ? Math.max(0, weights - least.value) : 0;
}

type Parts = { readonly whole: number; readonly weights: number; readonly overhead: number };

function estimate(input: PoolInput, parts: Parts, fraction: number | undefined): Reckoned {
  const { knobs } = input;
  const { ofCard, ofRest } = roomOf(input);
  const left = parts.weights + parts.overhead;
  if (knobs.fractionOf === 'none') return { kind: 'known', value: parts.whole - left };
  if (fraction === undefined) return lacking('the current memory fraction');
  if (knobs.fractionOf === 'free') return { kind: 'known', value: (parts.whole - left) * fraction };
  return { kind: 'known', value: (parts.whole * fraction * ofCard - left) * ofRest };
}

/** Bytes as the sums show them. */
export function gib(bytes: number, unit = ' GiB'): string {
  return `${(bytes / GIB).toFixed(2)}${unit}`;
}
