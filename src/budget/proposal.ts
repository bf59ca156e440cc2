import type { BudgetOutcome, Proposal, ProposedFlag, StartAnswer } from '../model/budget.ts';
import { entryOf, flagOf } from '../model/flag-table.ts';
import { rangeOfFlag, whyNotTaken } from '../model/flag-values.ts';
import { hasFlag } from '../model/knob-table.ts';
import { trialPeak } from './engine-overhead.ts';
import { type InForce, isOn, layoutOf, offloadedBytes, settingOf, weightsOf } from './figures.ts';
import { graphsInsideFraction } from './fraction-room.ts';
import { amountOf, lacking, type Reckoned } from './known-amount.ts';
import { bytesOfKvDtype, shapeOf } from './kv-bytes.ts';
import { kvBytesPerToken } from './kv-memory.ts';
import { type EngineState, inForce, outcomeOf, type Shift } from './outcome.ts';

export type WantedFlag = { readonly flag: string } & InForce;

/** What a change of arguments would do to the cache, without making it. */
export function propose(state: EngineState, wanted: readonly WantedFlag[]): Proposal {
  const outcome = outcomeWith(state, wanted);
  const why = whyNoArgument(state, wanted);
  return {
    flags: wanted.map((flag) => explain(state, flag)),
    before: outcomeOf(state),
    after: { ...outcome, start: why === undefined ? inDoubt(state, wanted, outcome.start) : { kind: 'refuses', why } },
  };
}

/** The engine with other values, whether or not its version has the flags. */
export function outcomeWith(state: EngineState, wanted: readonly WantedFlag[]): BudgetOutcome {
  const after = withFlags(state, wanted);
  const shift: Shift = {
    poolBytes: poolShift(state, after),
    leastBytes: poolShift(state, after, ofPassesAtLeast),
    unsureBytes: unsureOf(state, after),
    perToken: tokenShift(state, after),
    layers: layersShare(state, after),
  };
  return outcomeOf(after, state, shift);
}

// Nobody knows whether an engine takes an argument of which no table tells.
function inDoubt(state: EngineState, wanted: readonly WantedFlag[], start: StartAnswer): StartAnswer {
  const isSure = wanted.every(({ flag }) => !flag.startsWith('-') || hasFlag(state, flag));
  return start.kind === 'refuses' || isSure ? start : { kind: 'starts', proven: false };
}

// An engine ends with an argument that it does not know; a variable or a key that it does not know may be passed over.
function whyNoArgument({ engine, version }: EngineState, wanted: readonly WantedFlag[]): string | undefined {
  for (const { flag } of wanted) {
    const known = flagOf(engine, version, flag);
    if (flag.startsWith('-') && known.kind === 'absent') return `it exits on the unknown argument ${flag}`;
  }
  return undefined;
}

function withFlags(state: EngineState, wanted: readonly WantedFlag[]): EngineState {
  const { engine, settings } = state;
  const own = (flag: string): InForce | undefined => wanted.findLast((one) => isSame(engine, one.flag, flag));
  // The size that the engine printed is that of its blocks as they were.
  const figures = own(BLOCK) === undefined ? state.figures : { ...state.figures, blockTokens: undefined };
  return { ...state, figures, settings: (flag) => own(flag) ?? settings(flag) };
}

function isSame(engine: string, typed: string, name: string): boolean {
  const entry = entryOf(engine, typed);
  const names = entry === undefined ? [typed.replaceAll('_', '-')] : [entry.flag, ...(entry.aliases ?? [])];
  return typed === name || names.includes(name);
}

function explain(state: EngineState, { flag, text }: WantedFlag): ProposedFlag {
  const { engine, version, settings, knobs } = state;
  const before = settingOf(engine, settings, flag);
  const known = flagOf(engine, version, flag);
  const counted = [
    knobs.length,
    knobs.sequences,
    knobs.batched,
    knobs.fraction,
    knobs.kvDtype,
    knobs.tensorParallel,
    knobs.pipelineParallel,
    EAGER,
    OFFLOAD,
    LAYERS,
  ];
  const part = counted.some((name) => name !== undefined && isSame(engine, flag, name));
  const note =
    known.kind === 'absent'
      ? `${known.why}; the engine would exit on an unknown argument${known.instead === undefined ? '' : `. Use ${known.instead}`}`
      : known.kind === 'unknown' && !hasFlag(state, flag)
        ? known.why
        : part || known.kind === 'unknown'
          ? undefined
          : `not part of this sum: ${known.entry.effect}`;
  return { flag, from: before === undefined ? null : (before.text ?? ''), to: text ?? '', note };
}

const BLOCK = '--block-size';
const EAGER = '--enforce-eager';
const OFFLOAD = '--cpu-offload-gb';

// Memory that weights, activations and graphs release to the cache.
function poolShift(before: EngineState, after: EngineState, passes: Part = ofPasses): Reckoned {
  const parts = [ofRanks, passes, ofGraphs, ofOffload, ofLayers].map((part) => part(before, after));
  const missing = parts.flatMap((part) => (part.kind === 'unknown' ? part.missing : []));
  if (missing.length > 0) return lacking(...missing);
  return { kind: 'known', value: parts.reduce((total, part) => total + (part.kind === 'known' ? part.value : 0), 0) };
}

type Part = (before: EngineState, after: EngineState) => Reckoned;

const NOTHING: Reckoned = { kind: 'known', value: 0 };

function ranksOf({ engine, settings }: EngineState): number {
  const { tensorParallel, pipelineParallel } = layoutOf(engine, settings);
  return tensorParallel * pipelineParallel;
}

function ofRanks(before: EngineState, after: EngineState): Reckoned {
  const ratio = ranksOf(before) / ranksOf(after);
  if (ratio === 1) return NOTHING;
  const weights = weightsOf(before);
  return weights.kind === 'unknown' ? weights : { kind: 'known', value: weights.value * (1 - ratio) };
}

// The peak of the profile run moves with the tokens per step or the sequences, whichever set it.
function ofPasses(before: EngineState, after: EngineState): Reckoned {
  const { batched, activationsInside } = before.knobs;
  if (!activationsInside) return NOTHING;
  const activations = before.figures.activationBytes;
  const peaks = [trialPeak(before), trialPeak(withLengthOf(before, after))] as const;
  if (peaks[0] !== undefined && peaks[1] !== undefined) {
    const share = peaks[1] / peaks[0];
    return { kind: 'known', value: activations === undefined ? peaks[0] - peaks[1] : activations * (1 - share) };
  }
  const [old, next] = [inForce(before, batched), inForce(after, batched)];
  if (old === next) return NOTHING;
  if (activations === undefined || old === undefined || next === undefined) {
    return lacking('the peak activations, which change with the tokens per step');
  }
  return { kind: 'known', value: activations * (1 - next / old) };
}

// A shorter length alone changes the peak by little.
function withLengthOf(before: EngineState, after: EngineState): EngineState {
  const { length } = before.knobs;
  const { engine, settings } = before;
  return { ...after, settings: (flag) => (flag === length ? settingOf(engine, settings, flag) : after.settings(flag)) };
}

// What is estimated on both sides may be nothing, or twice as much.
function unsureOf(before: EngineState, after: EngineState): number {
  return before.figures.activationBytes === undefined ? Math.abs(amountOf(ofPasses(before, after)) ?? 0) : 0;
}

// A shorter pass releases something, how much it may be.
function ofPassesAtLeast(before: EngineState, after: EngineState): Reckoned {
  const { batched } = before.knobs;
  const [old, next] = [inForce(before, batched), inForce(after, batched)];
  const sum = ofPasses(before, after);
  return sum.kind === 'unknown' && old !== undefined && next !== undefined && next < old ? NOTHING : sum;
}

function ofGraphs(before: EngineState, after: EngineState): Reckoned {
  const { engine, version, figures } = before;
  const isEager = (state: EngineState) => isOn(settingOf(engine, state.settings, EAGER));
  if (isEager(before) === isEager(after)) return NOTHING;
  const inside = graphsInsideFraction(engine, version);
  if (inside === false) return NOTHING;
  if (inside === undefined) return lacking('whether this version counts CUDA graphs inside the engine share');
  if (figures.graphBytes === undefined) return lacking('the size of the CUDA graphs');
  return { kind: 'known', value: isEager(after) ? figures.graphBytes : -figures.graphBytes };
}

// No more than the weights there are can be offloaded; printed weights are what is left of them.
function ofOffload(before: EngineState, after: EngineState): Reckoned {
  const [old, next] = [offloadedBytes(before.settings), offloadedBytes(after.settings)];
  if (old === next) return NOTHING;
  const weights = weightsOf(before);
  if (weights.kind === 'unknown') return weights;
  const whole = weights.value + old;
  return { kind: 'known', value: Math.min(next, whole) - old };
}

const LAYERS = '--n-gpu-layers';

// A share of the layers takes that share of the weights, and keeps that share of the cache.
function layersShare(before: EngineState, after: EngineState): number {
  const { gpuLayers, modelLayers } = before.figures;
  const next = settingOf(after.engine, after.settings, LAYERS)?.number;
  const isSame = next === settingOf(before.engine, before.settings, LAYERS)?.number;
  if (isSame || next === undefined || gpuLayers === undefined || gpuLayers <= 0) return 1;
  return Math.min(next, modelLayers ?? next) / gpuLayers;
}

function ofLayers(before: EngineState, after: EngineState): Reckoned {
  const share = layersShare(before, after);
  const weights = share === 1 ? NOTHING : weightsOf(before);
  return weights.kind === 'unknown' ? weights : { kind: 'known', value: weights.value * (1 - share) };
}

function tokenShift(before: EngineState, after: EngineState): Reckoned {
  const dtypes = ratio(dtypeBytes(after), dtypeBytes(before));
  if (dtypes === undefined) return lacking('bytes of the KV data type');
  const layers = layersShare(before, after);
  const layouts = [layoutOf(before.engine, before.settings), layoutOf(after.engine, after.settings)] as const;
  if (layouts[0].tensorParallel === layouts[1].tensorParallel) {
    return { kind: 'known', value: (layers * dtypes * layouts[0].pipelineParallel) / layouts[1].pipelineParallel };
  }
  const shape = shapeOf(before.figures);
  if (shape === undefined) return lacking('KV heads of the model, which limit what more ranks save');
  const [old, next] = layouts.map((layout) => kvBytesPerToken(shape, layout));
  return { kind: 'known', value: dtypes * (ratio(next, old) ?? 1) };
}

function dtypeBytes({ engine, settings, knobs }: EngineState): number | undefined {
  return bytesOfKvDtype(settingOf(engine, settings, knobs.kvDtype)?.text);
}

function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined || b === 0 ? undefined : a / b;
}

/** Why a value can be no part of a sum, in words; undefined where nothing is wrong. What is left to the engine is fine. */
export function checkWanted({ engine, knobs }: EngineState, wanted: WantedFlag): string | undefined {
  const { flag, text, number } = wanted;
  if (text === null) {
    const range = rangeOfFlag(engine, flag);
    return range === undefined ? undefined : `${flag} takes a value: ${range}.`;
  }
  const why = whyNotTaken(engine, flag, text);
  if (why !== undefined) return `${why}.`;
  const { length, sequences, batched } = knobs;
  const isSummed = [length, sequences, batched].some((name) => name !== undefined && isSame(engine, flag, name));
  // `auto`, `-1` and `0` are taken, and mean what the engine makes of them.
  return isSummed && !(number !== undefined && number >= 1)
    ? `${flag}=${text} leaves it to the engine, so there is nothing to sum: give a number of 1 or more.`
    : undefined;
}
