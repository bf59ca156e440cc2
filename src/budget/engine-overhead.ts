import { generationOf } from '../model/default-table.ts';
import { stateOfFeature } from '../model/feature-table.ts';
import { isWithin, readVersion } from '../model/flag-table.ts';
import type { Overhead } from '../model/knobs-file.ts';
import { vocabularyOf } from '../model/model-table.ts';
import { GIB } from '../model/quantity.ts';
import { tablesInForce } from '../model/reference-tables.ts';
import { isOn, layoutOf, settingOf, sizeOf, weightsOf } from './figures.ts';
import { nowOf, stepTokensOf, type Told } from './fit-context.ts';
import { graphsInsideFraction } from './fraction-room.ts';
import { amountOf } from './known-amount.ts';
import { shapeOf } from './kv-bytes.ts';

// For an engine that nobody has measured (KAITO's node estimate, pkg/workspace/estimator, 0.11 ff.): 5% of the weights,
// 0.6 GiB that PyTorch does not own, and the upper end of activations for 2048 to 8192 tokens on 7 to 70 billion parameters.
const UNMEASURED = { besideWeights: 0.05, nonTorchBytes: 0.6 * GIB, activationBytes: 3 * GIB, tokens: 8192 };
// What llama.cpp leaves free on a device by default (`--fit-target`, common/arg.cpp).
const LLAMA_TARGET_BYTES = GIB;

export type OverheadInput = Told & {
  readonly batchedTokens: number | undefined;
  /** Sequences per batch, where they will be others than are in force. */
  readonly sequences?: number | undefined;
};

/** What an engine takes of its fraction next to weights and cache, in bytes: printed figures where there are any. */
export function overheadBytes(input: OverheadInput, weights: number): number {
  const { engine, knobs, figures } = input;
  if (knobs.fractionOf === 'none') return LLAMA_TARGET_BYTES + (figures.activationBytes ?? 0);
  const measured = tablesInForce().knobs[engine]?.overhead;
  if (measured === undefined) return unmeasured(input, weights);
  const peak = figures.activationBytes ?? peakBytes(input, measured, weights);
  return peak + (figures.nonTorchBytes ?? outsideBytes(input, measured)) + graphsInside(input, measured);
}

/** The peak that the profile run of an engine is estimated to take; undefined for one that nobody has measured. */
export function trialPeak(input: Told): number | undefined {
  const measured = tablesInForce().knobs[input.engine]?.overhead;
  const weights = amountOf(weightsOf(input)) ?? 0;
  return measured && peakBytes({ ...input, batchedTokens: stepTokensOf(input) }, measured, weights);
}

function unmeasured({ knobs, figures, batchedTokens = UNMEASURED.tokens }: OverheadInput, weights: number): number {
  const activations =
    figures.activationBytes ?? UNMEASURED.activationBytes * Math.max(1, batchedTokens / UNMEASURED.tokens);
  const inside = knobs.activationsInside || knobs.fractionOf === 'free' ? activations : 0;
  return (figures.nonTorchBytes ?? UNMEASURED.besideWeights * weights + UNMEASURED.nonTorchBytes) + inside;
}

// Of a model that no table has.
const TYPICAL_WORDS = 151_936;
const SEQUENCES = 256;
const [NARROW, WIDE] = [2816, 5632];
const LARGE_BILLIONS = 10;
const LARGE_BYTES = 2 * LARGE_BILLIONS * 1e9;

// The profile run holds either the logits of all sequences or the values of one step, whichever is more.
function peakBytes(of: OverheadInput, measured: Overhead, weights: number): number {
  const input = of.version === undefined ? { ...of, version: measured.newest } : of;
  const { figures, knobs } = input;
  const batchedTokens = (of.version === undefined ? stepTokensOf(input) : of.batchedTokens) ?? UNMEASURED.tokens;
  const { model = '' } = figures;
  const sequences = input.sequences ?? nowOf(input, knobs.sequences)?.high ?? figures.maxSeqs ?? SEQUENCES;
  const words = figures.vocabulary ?? vocabularyOf(model) ?? TYPICAL_WORDS;
  const { tensorParallel, pipelineParallel } = layoutOf(input.engine, input.settings);
  const billions = sizeOf(figures)?.parametersBillions;
  const isLarge =
    billions === undefined ? weights * tensorParallel * pipelineParallel > LARGE_BYTES : billions > LARGE_BILLIONS;
  const hidden = figures.hidden ?? sizeOf(figures)?.hidden ?? (isLarge ? WIDE : NARROW);
  const sampler = samplerCopies(input, measured) * Math.min(sequences, batchedTokens) * words * 4;
  return Math.max(sampler, batchedTokens * hidden * measured.valuesPerToken * 2);
}

function samplerCopies(input: OverheadInput, { samplerCopies: rows, otherSampler: other }: Overhead): number {
  const { engine, version, settings, figures } = input;
  if (other !== undefined && isOn(settingOf(engine, settings, other.variable))) return other.is;
  const release = readVersion(engine, version);
  const generation = figures.generation ?? generationOf(release);
  const row = rows.find(
    (one) =>
      (one.generation === undefined || one.generation === generation) &&
      (one.below === undefined || (release !== undefined && !isWithin(release, { since: one.below, until: null }))),
  );
  return row?.is ?? 0;
}

function outsideBytes({ engine, settings, figures, product }: OverheadInput, measured: Overhead): number {
  const { tensorParallel, pipelineParallel } = layoutOf(engine, settings);
  const hasState = shapeOf(figures)?.some(({ kind }) => kind === 'state') === true;
  const ranks = ranksGib(measured, { ranks: tensorParallel * pipelineParallel, product });
  const encoder = sizeOf(figures)?.encoderCacheGib ?? 0;
  return (ranks + (hasState ? measured.stateLayersGib : 0) + encoder) * GIB;
}

type Ranks = { readonly ranks: number; readonly product: string | undefined };

function ranksGib({ oneRankGib, severalRanksGib, manyRanks: many }: Overhead, { ranks, product = '' }: Ranks): number {
  const name = product.toLowerCase();
  if (many !== undefined && ranks >= many.from && many.on.some((word) => name.includes(word))) return many.gib;
  return ranks > 1 ? severalRanksGib : oneRankGib;
}

function graphsInside({ engine, version, settings, figures }: OverheadInput, measured: Overhead): number {
  if (graphsInsideFraction(engine, version) !== true || isOn(settingOf(engine, settings, '--enforce-eager'))) return 0;
  if (version !== undefined && stateOfFeature('vllm.model-runner-2', version) !== 'asked') return 0;
  return figures.graphBytes ?? measured.graphsGib * GIB;
}
