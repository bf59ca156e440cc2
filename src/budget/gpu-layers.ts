import { ROOM_OUTSIDE_BYTES } from '../model/safe-values.ts';
import type { Advice, Advised } from './advice-input.ts';
import { type Figures, settingOf } from './figures.ts';
import { bytesOfKvDtype } from './kv-bytes.ts';
import { type EngineState, lengthOf } from './outcome.ts';

const FROM = [
  'engine.gpu-layers',
  'engine.weights',
  'gpu.want',
  'engine.failed-buffer',
  'engine.kv-available',
  'engine.activations',
  'engine.load-free',
  'gpu.total',
];

/**
 * The layers that fit on one device: each takes its part of weights and KV cache, and beside them stay the compute buffer
 * and as much as llama.cpp itself leaves free (1024 MiB, `--fit-target` of common/arg.cpp); never as many as did not fit.
 */
export function adviseLayers(state: EngineState): Advice {
  const { figures, knobs } = state;
  const { gpuLayers, totalBytes, loadFreeBytes, weightsBytes, devices, failedBuffer } = figures;
  const holds = Math.min(loadFreeBytes ?? totalBytes ?? Number.NaN, totalBytes ?? Number.POSITIVE_INFINITY);
  const isOne = devices === undefined || devices === 1;
  if (knobs.fractionOf !== 'none' || failedBuffer === undefined || !isOne || gpuLayers === undefined) return {};
  if (!(gpuLayers > 1) || weightsBytes === undefined || !Number.isFinite(holds)) return {};
  const room = holds - ROOM_OUTSIDE_BYTES - (figures.activationBytes ?? 0);
  const cache = cacheOf(state);
  const fits = (bytes: number): Advised | undefined => {
    const layers = Math.floor(room / (bytes / gpuLayers));
    return layers >= 1 && layers < gpuLayers ? { value: layers, from: FROM } : undefined;
  };
  if (cache === undefined) return {};
  return { 'advice.gpu-layers': fits(weightsBytes + cache) };
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
