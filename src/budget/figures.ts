import { entryOf, variableOfFlag } from '../model/flag-table.ts';
import type { MeasuredStart } from '../model/measured-start.ts';
import { type KvShape, modelFamily, parametersInName, vocabularyOf } from '../model/model-table.ts';
import { GIB } from '../model/quantity.ts';
import { formatOf, loadedBytes, type ModelSize, namedFormat } from '../model/weight-format.ts';
import { type Knobs, knobsOf, PLAIN_KNOBS } from './engine-knobs.ts';
import { lacking, type Reckoned, reckon } from './known-amount.ts';
import { missing } from './printed-lines.ts';

/** A flag as it is in force: its text (null for a bare switch) and, where it is one, its number. */
export type InForce = { readonly text: string | null; readonly number?: number | undefined };
/** Looks up a flag in what the engine was told; undefined where it was not. */
export type Settings = (flag: string) => InForce | undefined;

/** Figures of one GPU: the engine's own, in bytes and tokens. */
export type Figures = {
  readonly totalBytes?: number | undefined;
  readonly freeAtStartBytes?: number | undefined;
  readonly weightsBytes?: number | undefined;
  readonly kvAvailableBytes?: number | undefined;
  readonly kvNeededBytes?: number | undefined;
  readonly kvTokens?: number | undefined;
  /** What one token takes of the cache, as the engine says it. */
  readonly kvTokenBytes?: number | undefined;
  readonly graphBytes?: number | undefined;
  readonly activationBytes?: number | undefined;
  /** Outside the allocator of the tensors: context, communication, libraries. */
  readonly nonTorchBytes?: number | undefined;
  readonly freeAfterBytes?: number | undefined;
  readonly kvBlocks?: number | undefined;
  readonly swapBlocks?: number | undefined;
  readonly blockTokens?: number | undefined;
  readonly maxSeqs?: number | undefined;
  readonly maxModelLen?: number | undefined;
  readonly estimatedMaxLen?: number | undefined;
  /** Tokens of the longest sequence that the pool holds, where the engine itself says that one of the maximum length does not fit. */
  readonly mostTokens?: number | undefined;
  /** The fraction below which the engine says that it cannot start. */
  readonly leastFraction?: number | undefined;
  /** The fraction that leaves outside what the failed allocation lacked, with room to spare. */
  readonly loweredFraction?: number | undefined;
  /** Layers on the GPU and of the model, devices, free bytes before the load, and what one layer keeps of a token. */
  readonly gpuLayers?: number | undefined;
  readonly modelLayers?: number | undefined;
  readonly devices?: number | undefined;
  readonly loadFreeBytes?: number | undefined;
  readonly loadLeftBytes?: number | undefined;
  readonly kvWidth?: number | undefined;
  /** The buffer that the device refused. */
  readonly failedBuffer?: 'weights' | 'cache' | 'compute' | undefined;
  /** Generation of vLLM that ran, where the log or its version tells. */
  readonly generation?: 'V0' | 'V1' | undefined;
  readonly model?: string | undefined;
  /** Layers, words and heads of the model by its config.json. */
  readonly shape?: KvShape | undefined;
  readonly vocabulary?: number | undefined;
  readonly attentionHeads?: number | undefined;
  readonly hidden?: number | undefined;
  readonly parameters?: number | undefined;
  readonly quantization?: string | undefined;
  /** The memory limit of the container. */
  readonly ramLimitBytes?: number | undefined;
  /** Earlier starts in the same cluster, and how far the estimate was off. */
  readonly ownStarts?: readonly MeasuredStart[] | undefined;
};

/** Memory of the GPU for tables by its size; where that is not known what was free of it, which is no more. */
export function cardGib({ totalBytes, loadFreeBytes }: Figures): number | undefined {
  const bytes = totalBytes ?? loadFreeBytes;
  return bytes === undefined ? undefined : bytes / GIB;
}

/** The fact behind each figure, for the `facts` of an edit. */
export const FACT_OF: Readonly<Partial<Record<keyof Figures, string>>> = {
  totalBytes: 'gpu.total',
  weightsBytes: 'engine.weights',
  kvAvailableBytes: 'engine.kv-available',
  kvNeededBytes: 'engine.kv-needed',
  kvTokens: 'engine.kv-tokens',
  maxModelLen: 'engine.max-model-len',
  estimatedMaxLen: 'engine.estimated-max-len',
  loweredFraction: 'advice.utilization-wanted',
  graphBytes: 'engine.graphs',
  nonTorchBytes: 'engine.non-torch',
  blockTokens: 'kv-cache.block-tokens',
  maxSeqs: 'engine.max-num-seqs',
};

/** A flag in force by any of its spellings, or by the variable that stands for it where it is not given. */
export function settingOf(engine: string, settings: Settings, flag: string | undefined): InForce | undefined {
  if (flag === undefined) return undefined;
  const spellings = [flag, ...(entryOf(engine, flag)?.aliases ?? []), variableOfFlag(engine, flag) ?? flag];
  return spellings.map(settings).find((found) => found !== undefined);
}

/** Whether a switch is on. */
export function isOn(setting: InForce | undefined): boolean {
  return setting !== undefined && (setting.text === null || /^(?:|true|1|on|yes)$/i.test(setting.text));
}

/** Ranks by the arguments; 1 where they do not mention any, as every engine has it. */
export function layoutOf(engine: string, settings: Settings): { tensorParallel: number; pipelineParallel: number } {
  const knobs = knobsOf(engine);
  const count = (flag: string | undefined) => Math.max(1, settingOf(engine, settings, flag)?.number ?? 1);
  return { tensorParallel: count(knobs?.tensorParallel), pipelineParallel: count(knobs?.pipelineParallel) };
}

export type FigureInput = { readonly engine: string; readonly figures: Figures; readonly settings: Settings };

/** An engine as far as its sums depend on it. */
export type SummedEngine = FigureInput & { readonly version: string | undefined; readonly knobs: Knobs };

/** Tokens of a KV block: as the engine says it, else as it was told, else its own. */
export function blockTokensOf({ engine, settings, figures }: FigureInput): number {
  const { blockTokens: own, blockSize } = knobsOf(engine) ?? PLAIN_KNOBS;
  const told = settingOf(engine, settings, blockSize)?.number;
  const tokens = figures.blockTokens ?? told ?? own;
  return tokens > 0 ? tokens : own;
}

/** Weights of one GPU: as the engine printed them, else by the parameters of the model. */
export function weightsOf({ engine, figures, settings }: FigureInput): Reckoned {
  if (figures.weightsBytes !== undefined) return { kind: 'known', value: figures.weightsBytes };
  const size = sizeOf(figures);
  if (size === undefined) return lacking(missing(engine, 'weightsBytes'));
  const format = weightFormatOf({ engine, figures, settings }) ?? formatOf('');
  const words = figures.vocabulary ?? vocabularyOf(figures.model ?? '');
  const { tensorParallel, pipelineParallel } = layoutOf(engine, settings);
  // Replicated layers make it a little more than the quotient.
  return reckon({ 'weight format': loadedBytes(size, { format, words }) }, (of) =>
    Math.max(0, of['weight format'] / (tensorParallel * pipelineParallel) - offloadedBytes(settings)),
  );
}

/** Weights that each rank keeps in pinned RAM, as far as there are so many. */
export function offloadedBytes(settings: Settings): number {
  return (settings('--cpu-offload-gb')?.number ?? 0) * GIB;
}

/** The format of the weights as arguments, config.json or the name give it; undefined where none does. */
export function weightFormatOf({ engine, figures, settings }: FigureInput): string | undefined {
  const quantization = settingOf(engine, settings, '--quantization')?.text ?? figures.quantization ?? null;
  const dtype = settingOf(engine, settings, '--dtype')?.text ?? null;
  return namedFormat(figures.model ?? '', { quantization, dtype });
}

/** The size of a model: by the table, else by what config.json or the name of the model tells. */
export function sizeOf({ model, parameters, hidden }: Figures): ModelSize | undefined {
  const family = model === undefined ? undefined : modelFamily(model);
  const billions = parameters === undefined ? parametersInName(model ?? '') : parameters / 1e9;
  return family ?? (billions === undefined ? undefined : { parametersBillions: billions, hidden });
}

/** Sum of a pool in tokens, for figures where an engine prints tokens alone. */
export function bytesOfTokens(tokens: number | undefined, perToken: Reckoned): Reckoned {
  return reckon(
    { 'size of the KV pool': tokens, 'KV bytes per token': perToken.kind === 'known' ? perToken.value : undefined },
    (of) => of['size of the KV pool'] * of['KV bytes per token'],
  );
}
