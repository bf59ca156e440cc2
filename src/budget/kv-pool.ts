import { GIB } from '../model/quantity.ts';
import { bytesOfTokens, type SummedEngine, settingOf, weightsOf } from './figures.ts';
import { growthOf, roomOf, wholeName, wholeOf } from './fraction-room.ts';
import { amountOf, lacking, type Reckoned, reckon } from './known-amount.ts';
import { perTokenOf } from './kv-bytes.ts';
import { missing } from './printed-lines.ts';

// KAITO's node estimate (pkg/workspace/estimator, 0.11 ff.): 5% of the weights and 0.6 GiB that PyTorch does not own.
const BESIDE_WEIGHTS = 0.05;
const NON_TORCH_BYTES = 0.6 * GIB;
// The upper end for 2048 to 8192 tokens on models of 7 to 70 billion parameters; beyond that it grows with the tokens.
const ACTIVATION_BYTES = 3 * GIB;
const ACTIVATION_TOKENS = 8192;
// What llama.cpp leaves free on a device by default (`--fit-target`, common/arg.cpp).
const LLAMA_TARGET_BYTES = GIB;

/** What the pool depends on besides the fraction. */
export type PoolInput = SummedEngine & {
  readonly fraction: number | undefined;
  readonly batchedTokens: number | undefined;
};

/** `printed`: moved from a figure of the engine; `estimated`: made of weights and rules of thumb, which lean to the safe side. */
export type PoolAt = {
  readonly basis: 'printed' | 'estimated' | 'unknown';
  readonly at: (fraction: number | undefined) => Reckoned;
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
    return { basis: 'unknown', at: () => lacking(...lacks), says: () => `unknown: ${lacks.join('; ')}` };
  }
  const overhead = overheadBytes(input, weights.value);
  const doubt = whyNot(input, weights.value, whole);
  if (doubt !== undefined) return { basis: 'unknown', at: () => lacking(doubt), says: () => `unknown: ${doubt}` };
  const { ofCard } = roomOf(input);
  const kept = ofCard === 1 ? '' : ` x ${ofCard}`;
  return {
    basis: 'estimated',
    at: (fraction) => estimate(input, { whole, weights: weights.value, overhead }, fraction),
    says: (fraction) =>
      `${gib(whole)}${fraction === undefined ? '' : ` x ${fraction}${kept}`} minus weights ${gib(weights.value)} and about ${gib(overhead)} for activations and the rest`,
  };
}

// Weights above the card are no proof that it fails: they may lie on more ranks, or in part in host memory.
function whyNot({ engine, knobs, figures, settings }: PoolInput, weights: number, whole: number): string | undefined {
  if (weights < whole) return undefined;
  if (knobs.fractionOf === 'none') {
    const layers = settingOf(engine, settings, LAYERS)?.number;
    return layers !== undefined && layers >= ALL_LAYERS ? undefined : `the layers on the GPU (${LAYERS})`;
  }
  const ranks = settingOf(engine, settings, knobs.tensorParallel);
  return figures.weightsBytes === undefined && ranks === undefined
    ? `the ranks (${knobs.tensorParallel ?? 'tensor parallel'})`
    : undefined;
}

const LAYERS = '--n-gpu-layers';
// More than any model has: people write 99 or 999 for all.
const ALL_LAYERS = 99;

function overheadBytes({ knobs, figures, batchedTokens = ACTIVATION_TOKENS }: PoolInput, weights: number): number {
  if (knobs.fractionOf === 'none') return LLAMA_TARGET_BYTES + (figures.activationBytes ?? 0);
  const activations = figures.activationBytes ?? ACTIVATION_BYTES * Math.max(1, batchedTokens / ACTIVATION_TOKENS);
  const inside = knobs.activationsInside || knobs.fractionOf === 'free' ? activations : 0;
  return (figures.nonTorchBytes ?? BESIDE_WEIGHTS * weights + NON_TORCH_BYTES) + inside;
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
export function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(2)} GiB`;
}
