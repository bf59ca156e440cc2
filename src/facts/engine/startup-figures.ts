import type { FigureName } from '../../model/engine-figures.ts';
import type { Cited } from '../../model/engine-reader.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { effectiveArgument, parseCount } from '../../read/engine/arguments.ts';
import { isHostBuffer } from '../../read/engine/figures.ts';
import { variablesOf } from '../evidence/container-variables.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { capturedSize, findFreeCheck, totalAtStart } from '../evidence/free-check.ts';
import { citeHit, type Weighed } from '../evidence/weigh.ts';
import { readGauges } from './gauges.ts';

export type RefusedBuffer = 'weights' | 'cache' | 'compute';

/** What the engine printed of its start, for the arithmetic of a budget: each with its proof. Sizes in bytes of one GPU. */
export type StartupFigures = {
  readonly totalAtStartBytes?: Cited<number> | undefined;
  readonly freeAtStartBytes?: Cited<number> | undefined;
  readonly activationBytes?: Cited<number> | undefined;
  readonly freeAfterBytes?: Cited<number> | undefined;
  readonly kvTokenBytes?: Cited<number> | undefined;
  readonly kvBlocks?: Cited<number> | undefined;
  /** KV blocks that V0 of vLLM keeps in pinned RAM as swap space. */
  readonly swapBlocks?: Cited<number> | undefined;
  /** Whether the KV pool holds one request of the maximum length. */
  readonly kvHoldsOne?: Cited<boolean> | undefined;
  readonly leastFraction?: Cited<number> | undefined;
  readonly loadFreeBytes?: Cited<number> | undefined;
  readonly loadLeftBytes?: Cited<number> | undefined;
  readonly kvWidth?: Cited<number> | undefined;
  readonly devices?: Cited<number> | undefined;
  readonly failedBuffer?: Cited<RefusedBuffer> | undefined;
};

export function readStartupFigures(evidence: Evidence): StartupFigures {
  const { engine, weighing } = evidence;
  const { figures } = engine;
  const shown = readGauges(evidence);
  const swap = weighing.all.find(({ hit }) => hit.captures.cpuBlocks !== undefined);
  return {
    totalAtStartBytes: totalAtStart(evidence),
    freeAtStartBytes: capturedSize(findFreeCheck(evidence), 'free'),
    activationBytes: figures.activationBytes,
    freeAfterBytes: figures.freeBytes ?? shown.free,
    kvTokenBytes: figures.kvTokenBytes,
    kvBlocks: figures.kvBlocks ?? shown.kvBlocks,
    swapBlocks: swap && { value: Number(swap.hit.captures.cpuBlocks), from: citeHit(swap) },
    kvHoldsOne: holdsOne(evidence),
    leastFraction: figures.leastFraction,
    loadFreeBytes: figures.loadFreeBytes,
    loadLeftBytes: figures.loadLeftBytes,
    ...(isSizedByBuffers(engine.engine) ? readBuffers(evidence) : {}),
  };
}

// The pool against one request of the maximum length: by the engine's own ratio, else by tokens, else by bytes.
function holdsOne({ engine, args }: Evidence): Cited<boolean> | undefined {
  const { maxConcurrency, kvTokens, kvBytes } = engine.figures;
  const empty = [kvBytes, kvTokens].find((size) => size !== undefined && size.value <= 0);
  if (empty !== undefined) return { value: false, from: empty.from };
  if (maxConcurrency !== undefined) return { value: maxConcurrency.value >= 1, from: maxConcurrency.from };
  const tokens = parseCount(effectiveArgument(args, '--max-model-len')?.value ?? null);
  return kvTokens && tokens !== undefined ? { value: kvTokens.value >= tokens, from: kvTokens.from } : undefined;
}

/** Whether an engine takes its memory in named buffers, layer by layer, and keeps no pool that a share of the GPU would size. */
export function isSizedByBuffers(engine: string): boolean {
  return engine === 'llama.cpp' || engine === 'ollama';
}

function readBuffers(evidence: Evidence): StartupFigures {
  return {
    kvWidth: evidence.engine.figures.kvWidth,
    devices: devicesOf(evidence),
    failedBuffer: failedBuffer(evidence),
  };
}

/** Layers on the GPU and of the model of llama.cpp, as they were printed or told. */
export function readLayers(evidence: Evidence) {
  const all = layersOf(evidence);
  return { onGpu: onGpu(evidence, all), all };
}

// The output layer counts as one more.
function layersOf({ engine, weighing }: Evidence): Cited<number> | undefined {
  const repeating = weighing.all.find(({ signature }) => hasRole(signature, 'repeating-layers'));
  const printed = engine.figures.modelLayers;
  if (printed !== undefined || repeating === undefined) return printed;
  return { value: Number(repeating.hit.captures.n) + 1, from: citeHit(repeating) };
}

const GPU_LAYERS = ['--n-gpu-layers', '--gpu-layers'];

// Where it did not come to say how many: as many as it was told, of those that there are.
function onGpu({ engine, args }: Evidence, layers: Cited<number> | undefined): Cited<number> | undefined {
  const { gpuLayers } = engine.figures;
  if (gpuLayers !== undefined || layers === undefined) return gpuLayers;
  const given = GPU_LAYERS.map((flag) => effectiveArgument(args, flag)).find((one) => one !== undefined);
  if (given === undefined) return undefined;
  const told = given.value === 'all' ? layers.value : Number(given.value ?? '');
  return Number.isInteger(told) && told > 0 ? { value: Math.min(told, layers.value), from: given.from } : undefined;
}

// What stands after the refusal of a device names what was to be put there; the last that was tried counts.
const BUFFERS = ['weights', 'cache', 'compute'] as const satisfies readonly RefusedBuffer[];

function refusedIn({ signature }: Weighed): RefusedBuffer | undefined {
  return BUFFERS.find((buffer) => hasRole(signature, `refuses-${buffer}`));
}

function failedBuffer({ weighing, engine }: Evidence): Cited<RefusedBuffer> | undefined {
  const last = weighing.all.findLast((one) => refusedIn(one) !== undefined);
  const value = last && refusedIn(last);
  if (last === undefined || value === undefined) return undefined;
  const from = citeHit(last);
  // llama.cpp tries again without pipeline parallelism, Ollama with less: what then came up was not refused for good.
  const wentOn = engine.milestones.some(
    ({ milestone, from: at }) =>
      milestone === 'ready' && at.kind === 'line' && at.file === from.file && at.line > from.line,
  );
  return wentOn ? undefined : { value, from };
}

const OF_DEVICES: readonly FigureName[] = ['loadFreeBytes', 'weightsBytes', 'kvBytes'];
// Shares of the devices, with commas or slashes between them (common/arg.cpp).
const SPLIT = '--tensor-split';
const SPLIT_VARIABLE = 'LLAMA_ARG_TENSOR_SPLIT';

// As the load names them, and no fewer than the split does: a load that is refused names no more. Else as the pod counts them.
function devicesOf(evidence: Evidence): Cited<number> | undefined {
  const { weighing, args, spec } = evidence;
  const named = weighing.all.filter(
    ({ signature, hit }) =>
      signature.figures?.some(({ is }) => OF_DEVICES.includes(is)) && !isHostBuffer(hit.captures.buf ?? 'CPU'),
  );
  const devices = new Set(named.map(({ hit }) => hit.captures.buf)).size;
  const split =
    effectiveArgument(args, SPLIT) ?? effectiveArgument([...variablesOf({ spec }), ...args], SPLIT_VARIABLE);
  const parts = split?.value?.split(/[,/]/).filter((part) => Number(part) > 0).length ?? 0;
  if (split !== undefined && parts > devices) return { value: parts, from: split.from };
  const [first] = named;
  if (first !== undefined) return { value: devices, from: citeHit(first) };
  const { gpuCount } = spec;
  const [from] = gpuCount.kind === 'known' ? gpuCount.from : [];
  return gpuCount.kind === 'known' && gpuCount.value > 1 && from
    ? { value: gpuCount.value, from }
    : gpusListed(evidence);
}

// How many GPUs ggml lists at its start, where it is more than one: it takes all of them unless it is told otherwise.
function gpusListed({ weighing }: Evidence): Cited<number> | undefined {
  const listed = weighing.all.filter(({ signature }) => hasRole(signature, 'device-listed'));
  const value = new Set(listed.map(({ hit }) => hit.captures.gpu)).size;
  return listed[0] && value > 1 ? { value, from: citeHit(listed[0]) } : undefined;
}
