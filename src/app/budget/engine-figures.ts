import type { Figures } from '../../budget/figures.ts';
import { withRefused } from '../../budget/gpu-layers.ts';
import type { Wrapping } from '../../budget/profiles.ts';
import type { StartupFigures } from '../../facts/engine/startup-figures.ts';
import type { EngineArgument } from '../../model/engine-reader.ts';
import type { Facts } from '../../model/fact.ts';
import { gpuByProduct, torchTotalOf } from '../../model/gpu-table.ts';
import { modelArgument } from '../../read/engine/arguments.ts';
import type { ModelConfig } from '../../read/engine/model-config.ts';

type Told = {
  readonly facts: Facts;
  readonly args: readonly EngineArgument[];
  readonly figures?: StartupFigures | undefined;
  readonly model?: ModelConfig | undefined;
};

/** The figures of one GPU that the facts and the start of a snapshot hold. */
export function figuresOf({ facts, args, model: config, figures: start = {} }: Told): Figures {
  const of = (id: string) => numberOf(facts, id);
  const figures: Figures = {
    ...printedAtStart(start),
    // What the engine's own check prints is what its fraction is taken of.
    totalBytes: start.totalAtStartBytes?.value ?? cudaTotal(facts),
    weightsBytes: of('engine.weights'),
    nonTorchBytes: of('engine.non-torch'),
    graphBytes: of('engine.graphs'),
    kvAvailableBytes: of('engine.kv-available'),
    kvNeededBytes: of('engine.kv-needed'),
    kvTokens: of('engine.kv-tokens'),
    blockTokens: of('kv-cache.block-tokens'),
    maxModelLen: of('engine.max-model-len') ?? config?.maxLength,
    maxSeqs: of('engine.max-num-seqs'),
    estimatedMaxLen: of('engine.estimated-max-len'),
    mostTokens:
      of('engine.estimated-max-len') ?? (start.kvHoldsOne?.value === false ? of('engine.kv-tokens') : undefined),
    loweredFraction: of('advice.utilization-wanted'),
    gpuLayers: of('engine.gpu-layers'),
    modelLayers: of('engine.model-layers'),
    ramLimitBytes: of('ram.limit'),
    generation: GENERATIONS.find((one) => one === textOf(facts, 'engine.generation')),
    model: modelArgument(args)?.value,
    shape: config?.shape,
    vocabulary: config?.vocabulary,
    attentionHeads: config?.attentionHeads,
    hidden: config?.hidden,
    quantization: config?.quantization,
  };
  return withRefused(figures, of('gpu.want'));
}

// Logs print what CUDA sees of the GPU; nvidia-smi and the labels of a node show a little more.
function cudaTotal(facts: Facts): number | undefined {
  const total = facts.get('gpu.total');
  const bytes = numberOf(facts, 'gpu.total');
  const from = total?.kind === 'known' ? total.from[0] : undefined;
  const product = textOf(facts, 'gpu.product');
  if (bytes === undefined || from === undefined || from.file.endsWith('.log')) return bytes;
  // What people noted is of no tool.
  const isNoted = from.file === 'incident.json' && gpuByProduct(product ?? '') === undefined;
  return isNoted ? bytes : torchTotalOf(bytes, product);
}

function printedAtStart(start: StartupFigures): Figures {
  return {
    freeAtStartBytes: start.freeAtStartBytes?.value,
    freeAfterBytes: start.freeAfterBytes?.value,
    activationBytes: start.activationBytes?.value,
    kvTokenBytes: start.kvTokenBytes?.value,
    kvBlocks: start.kvBlocks?.value,
    swapBlocks: start.swapBlocks?.value,
    leastFraction: start.leastFraction?.value,
    devices: start.devices?.value,
    loadFreeBytes: start.loadFreeBytes?.value,
    loadLeftBytes: start.loadLeftBytes?.value,
    kvWidth: start.kvWidth?.value,
    failedBuffer: start.failedBuffer?.value,
  };
}

const GENERATIONS = ['V0', 'V1'] as const;

/** A fact as a number; undefined where it is none. */
export function numberOf(facts: Facts, id: string): number | undefined {
  const fact = facts.get(id);
  return fact?.kind === 'known' && typeof fact.value === 'number' ? fact.value : undefined;
}

/** A fact as text; undefined where it is not known. */
export function textOf(facts: Facts, id: string): string | undefined {
  const fact = facts.get(id);
  return fact?.kind === 'known' ? String(fact.value) : undefined;
}

/** When memory ran out, epoch ms; undefined if another thing failed, or if unknown. */
export function failureTime(facts: Facts): number | undefined {
  const plane = textOf(facts, 'evidence.plane');
  if (plane !== 'gpu' && plane !== 'host') return undefined;
  return numberOf(facts, 'gpu.oom-at') ?? numberOf(facts, 'death.at');
}

// `KAITO 0.12`, by the vLLM that it brings.
const KAITO = /^KAITO (\d[\d.]*)/;

/** What runs the engine and sets its own values, where its release is known. */
export function wrappingOf(facts: Facts): Wrapping | undefined {
  const version = KAITO.exec(textOf(facts, 'wrapper.version') ?? '')?.[1];
  return version === undefined ? undefined : { engine: 'kaito', version };
}
