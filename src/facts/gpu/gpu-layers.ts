import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { effectiveArgument } from '../../read/engine/arguments.ts';
import { fact, factOf, type Group } from '../draft.ts';
import { variablesOf } from '../engine/variables.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { cardsInLog } from './card-of-log.ts';

/** Engines that take their memory in named buffers, layer by layer. */
export const BY_BUFFERS: ReadonlySet<string> = new Set(['llama.cpp', 'ollama']);

/** What llama.cpp tells of its layers, and which of its buffers it did not get. */
export function deriveGpuLayers(evidence: Evidence): Group {
  const { engine } = evidence;
  if (!BY_BUFFERS.has(engine.engine)) return {};
  const { kvWidth } = engine.figures;
  const layers = readLayers(evidence);
  return {
    'engine.gpu-layers': factOf(layers.onGpu),
    'engine.model-layers': factOf(layers.all),
    'engine.kv-width': factOf(kvWidth),
    'engine.failed-buffer': failedBuffer(evidence),
    'engine.devices': devicesOf(evidence),
  };
}

/** Layers on the GPU and of the model, as they were printed or told. */
export function readLayers(evidence: Evidence): {
  readonly onGpu: Cited<number> | undefined;
  readonly all: Cited<number> | undefined;
} {
  const all = layersOf(evidence);
  return { onGpu: onGpu(evidence, all), all };
}

// The output layer counts as one more.
function layersOf({ engine, weighing }: Evidence): Cited<number> | undefined {
  const repeating = weighing.all.find(({ phrase }) => phrase.id === 'llamacpp.num.layers');
  const printed = engine.figures.modelLayers;
  if (printed !== undefined || repeating === undefined) return printed;
  return { value: Number(repeating.hit.captures.n) + 1, from: citeHit(repeating) };
}

// Where it did not come to say how many: as many as it was told, of those that there are.
function onGpu({ engine, args }: Evidence, layers: Cited<number> | undefined): Cited<number> | undefined {
  const { gpuLayers } = engine.figures;
  if (gpuLayers !== undefined || layers === undefined) return gpuLayers;
  const given = FLAGS.map((flag) => effectiveArgument(args, flag)).find((one) => one !== undefined);
  const told = given === undefined ? Number.NaN : given.value === 'all' ? layers.value : Number(given.value ?? '');
  return given !== undefined && Number.isInteger(told) && told > 0
    ? { value: Math.min(told, layers.value), from: given.from }
    : undefined;
}

const FLAGS = ['--n-gpu-layers', '--gpu-layers'];

// What stands after the refusal of a device names what was to be put there; the last that was tried counts.
const BUFFERS: Readonly<Record<string, string>> = {
  'llamacpp.gallocr': 'compute',
  'llamacpp.compute-buffers': 'compute',
  'llamacpp.kv-buffer': 'cache',
  'llamacpp.unable-buffer': 'weights',
};

function failedBuffer({ weighing, engine }: Evidence): Fact | undefined {
  const last = weighing.all.findLast(({ phrase }) => BUFFERS[phrase.id] !== undefined);
  if (last === undefined) return undefined;
  const from = citeHit(last);
  // llama.cpp tries again without pipeline parallelism, Ollama with less: what then came up was not refused for good.
  const wentOn = engine.milestones.some(
    ({ milestone, from: at }) =>
      milestone === 'ready' && at.kind === 'line' && at.file === from.file && at.line > from.line,
  );
  return wentOn ? undefined : fact(BUFFERS[last.phrase.id], [from]);
}

const OF_DEVICES = ['llamacpp.num.free', 'llamacpp.num.weights', 'llamacpp.num.kv-buffer'];
const HOST = /^CPU|_Host$|^BLAS/;

// As the load names them, and no fewer than the split does: a load that is refused names no more. Else as the pod counts them.
function devicesOf({ weighing, args, spec }: Evidence): Fact | undefined {
  const named = weighing.all.filter(
    ({ phrase, hit }) => OF_DEVICES.includes(phrase.id) && !HOST.test(hit.captures.buf ?? 'CPU'),
  );
  const devices = new Set(named.map(({ hit }) => hit.captures.buf)).size;
  const split =
    effectiveArgument(args, SPLIT) ?? effectiveArgument([...variablesOf({ spec }), ...args], SPLIT_VARIABLE);
  const parts = split?.value?.split(/[,/]/).filter((part) => Number(part) > 0).length ?? 0;
  if (split !== undefined && parts > devices) return fact(parts, [split.from]);
  if (devices > 0) return fact(devices, named.map(citeHit));
  return spec.gpuCount.kind === 'known' && spec.gpuCount.value > 1 ? spec.gpuCount : cardsInLog({ weighing });
}

// Shares of the devices, with commas or slashes between them (common/arg.cpp).
const SPLIT = '--tensor-split';
const SPLIT_VARIABLE = 'LLAMA_ARG_TENSOR_SPLIT';

// Which of several: of one alone there is nothing to choose.
