import { LENGTH_SHARE, ROOM_OUTSIDE_BYTES, wholeBlocks } from '../model/safe-values.ts';
import type { Advice, AdviceInput, Advised } from './advice-input.ts';
import { type Figures, settingOf } from './figures.ts';
import { bytesOfKvDtype } from './kv-bytes.ts';
import { type EngineState, lengthOf } from './outcome.ts';

const FROM = [
  'engine.gpu-layers',
  'engine.weights',
  'gpu.want',
  'failedBuffer',
  'engine.kv-available',
  'activationBytes',
  'loadFreeBytes',
  'gpu.total',
];

/**
 * The number of layers that fit on one GPU, always fewer than the number that did not fit. Each takes its part of weights
 * and KV cache; the compute buffer and what llama.cpp leaves free (1024 MiB, `--fit-target` in common/arg.cpp) come off first.
 */
export function adviseLayers(state: EngineState): Advice {
  const { figures, knobs } = state;
  const { gpuLayers, weightsBytes, failedBuffer } = figures;
  const holds = holdsOf(figures);
  if (knobs.fractionOf !== 'none' || failedBuffer === undefined || !isOne(figures) || gpuLayers === undefined)
    return {};
  if (!(gpuLayers > 1) || weightsBytes === undefined || !Number.isFinite(holds)) return {};
  const room = holds - ROOM_OUTSIDE_BYTES - (figures.activationBytes ?? 0);
  const cache = cacheOf(state) ?? Number.NaN;
  const layers = Math.floor(room / ((weightsBytes + cache) / gpuLayers));
  return layers >= 1 && layers < gpuLayers ? { 'advice.gpu-layers': { value: layers, from: FROM } } : {};
}

// Below this an answer is cut off in the middle of most conversations; it is the least that either engine ever defaulted to.
const LEAST_CONTEXT = 2048;

const CONTEXT_FROM = ['engine.max-model-len', 'gpu.want', 'loadFreeBytes', 'gpu.total', 'engine.weights'];

/** The context whose cache fits: llama.cpp takes the cache at the start in full, and its size goes with the context alone. */
export function adviseContext({ state: { figures }, wantBytes }: AdviceInput): Advised | undefined {
  const { failedBuffer, maxModelLen: tokens, weightsBytes } = figures;
  if (failedBuffer !== 'cache' || !isOne(figures) || tokens === undefined) return undefined;
  if (wantBytes === undefined || weightsBytes === undefined) return undefined;
  const room = holdsOf(figures) - weightsBytes - ROOM_OUTSIDE_BYTES;
  // llama.cpp pads the context to whole blocks of 256 cells.
  const next = wholeBlocks((LENGTH_SHARE * tokens * room) / wantBytes, 256);
  return next >= LEAST_CONTEXT && next < tokens ? { value: next, from: CONTEXT_FROM } : undefined;
}

function isOne({ devices = 1 }: Figures): boolean {
  return devices === 1;
}

// A GPU that others use as well holds no more than was free of it.
function holdsOf({ loadFreeBytes, totalBytes }: Figures): number {
  return Math.min(loadFreeBytes ?? totalBytes ?? Number.NaN, totalBytes ?? Number.POSITIVE_INFINITY);
}

// As it was printed or refused; before that by the values that a layer keeps of a token.
function cacheOf(state: EngineState): number | undefined {
  const { engine, figures, settings, knobs } = state;
  if (figures.kvAvailableBytes !== undefined) return figures.kvAvailableBytes;
  const { kvWidth, gpuLayers, modelLayers } = figures;
  const tokens = lengthOf(state);
  const type = settingOf(engine, settings, knobs.kvDtype)?.text;
  // Blocks of 32 values with a scale of two bytes.
  const bytes = type === 'q8_0' ? 34 / 32 : bytesOfKvDtype(type);
  if (kvWidth === undefined || gpuLayers === undefined || tokens === undefined || bytes === undefined) return undefined;
  // The output layer keeps nothing.
  return kvWidth * bytes * tokens * Math.min(gpuLayers, (modelLayers ?? gpuLayers + 1) - 1);
}

/** The figures of an engine with the buffer that the device refused: its size is what was asked for. */
export function withRefused(figures: Figures, wantBytes: number | undefined): Figures {
  if (wantBytes === undefined) return figures;
  if (figures.failedBuffer === 'weights') return { ...figures, weightsBytes: wantBytes };
  if (figures.failedBuffer === 'cache') return { ...figures, kvAvailableBytes: wantBytes };
  return figures.failedBuffer === 'compute' ? { ...figures, activationBytes: wantBytes } : figures;
}
