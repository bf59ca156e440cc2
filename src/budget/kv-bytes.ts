import { stateOfFeature } from '../model/feature-table.ts';
import { readVersion } from '../model/flag-table.ts';
import { type KvShape, modelFamily } from '../model/model-table.ts';
import { GIB } from '../model/quantity.ts';
import { knobsOf } from './engine-knobs.ts';
import {
  blockTokensOf,
  type Figures,
  isOn,
  layoutOf,
  type SummedEngine,
  settingOf,
  weightFormatOf,
} from './figures.ts';
import { lengthOf, stepTokensOf } from './fit-context.ts';
import { lacking, type Reckoned } from './known-amount.ts';
import { type KvLayout, type KvMemory, kvBytesPerToken, kvMemoryOf } from './kv-memory.ts';
import { missing } from './printed-lines.ts';
import { longestIn, type SequenceMemory, scaled, uniform, wholeLength } from './sequence-memory.ts';

/** Bytes per value of a `--kv-cache-dtype`; undefined for one that is not known. `auto` follows the model, which is 16 bit. */
export function bytesOfKvDtype(dtype: string | null | undefined): number | undefined {
  if (dtype === undefined || dtype === null || /^(?:auto|bfloat16|float16|half|bf16|fp16|f16)$/.test(dtype)) return 2;
  if (/^fp8|^int8|^q8_0$/.test(dtype)) return 1;
  if (/^nvfp4/.test(dtype)) return 0.56;
  return /^float32$|^f32$/.test(dtype) ? 4 : undefined;
}

/** The layers of the model: by its config.json, else by its name. */
export function shapeOf({ model, shape }: Figures): KvShape | undefined {
  return shape ?? (model === undefined ? undefined : modelFamily(model)?.shape);
}

/**
 * What sequences take on one GPU: by the layers of the model as far as the engine's own figures agree, else by two printed
 * figures, else by one. Sizes are printed rounded: within what was rounded away the layers count.
 */
export function sequencesOf(input: SummedEngine): SequenceMemory | { readonly missing: readonly string[] } {
  const shape = shapeOf(input.figures);
  const byShape = shape === undefined ? undefined : sequencesByShape(input, shape);
  const own = printedOf(input);
  const told = input.figures.kvTokenBytes;
  const simple = told !== undefined && told > 0 ? uniform(blockTokensOf(input), told) : undefined;
  if (own === undefined) return simple ?? byShape ?? lacksShape(input);
  return [simple, byShape].find((one) => one !== undefined && own.agrees(one)) ?? own.memory;
}

/** What the layers of the model say of a token where the engine's own figures say something else, in bytes. */
export function overruledShape(input: SummedEngine): number | undefined {
  const shape = shapeOf(input.figures);
  const byShape = shape === undefined ? undefined : sequencesByShape(input, shape);
  const own = printedOf(input);
  return byShape === undefined || own === undefined || own.agrees(byShape) ? undefined : byShape.bytesPerToken;
}

function lacksShape({ engine, figures }: SummedEngine): { readonly missing: readonly string[] } {
  const named = shapeOf(figures) === undefined ? missing(engine, 'kvNeededBytes') : 'bytes of the KV data type';
  return { missing: [named] };
}

/** KV bytes per token on one GPU, past all windows. */
export function perTokenOf(input: SummedEngine): Reckoned {
  return perTokenIn(input, sequencesOf(input));
}

export function perTokenIn(input: Pick<SummedEngine, 'engine'>, memory: ReturnType<typeof sequencesOf>): Reckoned {
  if ('missing' in memory) return lacking(...memory.missing);
  const { bytesPerToken: value, about } = memory;
  if (value === undefined) return lacking(missing(input.engine, 'kvNeededBytes'));
  return { kind: 'known', value, ...(about === true ? { about } : {}) };
}

/** The same after a change of arguments: by the layers of the model where they counted before, else as many times as `perToken` says. */
export function sequencesAfter(
  before: SummedEngine,
  after: SummedEngine,
  { perToken, layers }: { readonly perToken: Reckoned; readonly layers: number },
): SequenceMemory | { readonly missing: readonly string[] } {
  const memory = sequencesOf(before);
  if ('missing' in memory) return memory;
  const shape = shapeOf(after.figures);
  const byShape =
    memory.about === true || isSize(before.figures.kvTokenBytes) || shape === undefined
      ? undefined
      : sequencesByShape(after, shape);
  if (byShape !== undefined) return layers === 1 ? byShape : scaled(byShape, layers);
  return perToken.kind === 'unknown' ? { missing: perToken.missing } : scaled(memory, perToken.value);
}

/** What sequences may take at least, as a share: a quantized checkpoint may bring an 8-bit cache that no argument names. */
export function leastShareOf(input: SummedEngine): number {
  const { engine, settings, knobs, figures } = input;
  const dtype = settingOf(engine, settings, knobs.kvDtype)?.text ?? 'auto';
  const format = weightFormatOf(input);
  const isQuantized = format !== undefined && !/^(?:bfloat16|float32)$/.test(format);
  return dtype === 'auto' && isQuantized && figures.shape === undefined && !hasPrintedNeed(figures) ? 0.5 : 1;
}

function hasPrintedNeed({ kvNeededBytes, kvTokens, kvTokenBytes }: Figures): boolean {
  return kvNeededBytes !== undefined || kvTokens !== undefined || kvTokenBytes !== undefined;
}

// Tokens per step of an engine that does not tell them.
const STEP_TOKENS = 8192;

/** What the cache depends on besides the model; undefined for a KV data type that is not known. */
export function kvLayoutOf(input: SummedEngine): KvLayout | undefined {
  const { engine, settings, knobs, figures, version } = input;
  const bytesPerValue = bytesOfKvDtype(settingOf(engine, settings, knobs.kvDtype)?.text);
  if (bytesPerValue === undefined) return undefined;
  const release = readVersion(engine, version);
  const has = (feature: string) => release !== undefined && stateOfFeature(feature, release) === 'always';
  const step = stepTokensOf(input) ?? STEP_TOKENS;
  return {
    ...layoutOf(engine, settings),
    bytesPerValue,
    blockTokens: settingOf(engine, settings, knobs.blockSize)?.number ?? figures.blockTokens,
    stepTokens: has('vllm.two-steps-in-flight') || release === undefined ? 2 * step : step,
    heldBlocks: has('vllm.holds-null-block') ? 1 : 0,
  };
}

function sequencesByShape(input: SummedEngine, shape: KvShape): SequenceMemory | undefined {
  const layout = kvLayoutOf(input);
  if (layout === undefined) return undefined;
  const { engine, settings, knobs } = input;
  if (engine !== 'vllm')
    return uniform(blockTokensOf(input), kvBytesPerToken(withShare(shape, knobs.windowShare ?? 1), layout));
  const isMixed = new Set(shape.map(({ kind }) => kind)).size > 1;
  // A block size that the engine printed for layers of several kinds is the largest of them.
  const block = isMixed ? settingOf(engine, settings, knobs.blockSize)?.number : layout.blockTokens;
  const memory = kvMemoryOf(isManaged(input) ? shape : allFull(shape), { ...layout, blockTokens: block });
  const byConcurrency = isCountedByConcurrency(input);
  return {
    needFor: memory.needFor,
    heldBytes: memory.heldBytes,
    bytesPerToken: memory.bytesPerToken,
    fixedBytes: fixedOf(memory),
    tokensIn: (bytes, length) => tokensOf(memory, { bytes, length, byConcurrency }),
    concurrency: ({ bytes, tokens }, length) => {
      if (byConcurrency) return tokens / length;
      if (memory.groups === 1) return tokens / wholeLength(length, memory.blockTokens);
      return Math.floor(bytes / memory.bytesPerBlock) / memory.blocksFor(length);
    },
    ...(memory.groups > 1 ? { bytesPerBlock: memory.bytesPerBlock } : {}),
    blockTokens: memory.blockTokens,
  };
}

// Far beyond all windows nothing but the growth is added.
const FAR = 2 ** 24;

function fixedOf({ needFor, bytesPerToken }: KvMemory): number {
  return Math.max(0, needFor(FAR) - bytesPerToken * FAR);
}

type Counted = { readonly bytes: number; readonly length: number | undefined; readonly byConcurrency: boolean };

// Up to 0.20.1 the tokens are blocks over groups; later concurrency times length.
function tokensOf(memory: KvMemory, { bytes, length, byConcurrency }: Counted): number {
  const blocks = Math.floor(Math.max(0, bytes) / memory.bytesPerBlock);
  if (!byConcurrency || length === undefined) return Math.floor(blocks / memory.groups) * memory.blockTokens;
  return Math.floor((blocks / memory.blocksFor(length)) * length);
}

function isCountedByConcurrency({ engine, version }: SummedEngine): boolean {
  const release = readVersion(engine, version);
  return (
    engine === 'vllm' && release !== undefined && stateOfFeature('vllm.tokens-by-concurrency', release) === 'always'
  );
}

/** Whether layers with a window keep no more than it; without the manager they keep every token. */
function isManaged({ engine, version, settings }: SummedEngine): boolean {
  const release = readVersion(engine, version);
  if (release !== undefined && stateOfFeature('vllm.hybrid-manager', release) === 'no') return false;
  return !isOn(settingOf(engine, settings, '--disable-hybrid-kv-cache-manager'));
}

function allFull(shape: KvShape): KvShape {
  return shape.map((group) =>
    group.kind === 'sliding' || group.kind === 'chunked' ? { ...group, kind: 'full' as const } : group,
  );
}

// SGLang has a pool of its own for layers with a window, a share of the other in tokens.
function withShare(shape: KvShape, share: number): KvShape {
  return shape.map((group) => (group.kind === 'sliding' ? { ...group, layers: group.layers * share } : group));
}

// Engines print sizes in GiB with two digits; SGLang prints keys and values apart.
const HALF_A_DIGIT = 0.005 * GIB;

type Printed = {
  readonly memory: SequenceMemory;
  /** Whether what sequences take by other evidence is within what was rounded away. */
  readonly agrees: (other: SequenceMemory) => boolean;
};

// What a sequence of the longest length needs, else what the pool has, over its tokens.
function printedOf(input: SummedEngine): Printed | undefined {
  const { kvNeededBytes: needed, kvAvailableBytes: pool, kvTokens, estimatedMaxLen, maxModelLen } = input.figures;
  const rounded = HALF_A_DIGIT * (knobsOf(input.engine)?.kvSizesPrinted ?? 1);
  if (isSize(needed) && isSize(maxModelLen)) {
    const agrees = ({ needFor, blockTokens }: SequenceMemory) =>
      needFor(maxModelLen) <= needed + rounded && needFor(maxModelLen + blockTokens) >= needed - rounded;
    return { memory: betweenTwo(input, needed, maxModelLen) ?? quotient(input, needed, maxModelLen), agrees };
  }
  const tokens = kvTokens ?? estimatedMaxLen;
  if (!isSize(pool) || !isSize(tokens)) return undefined;
  const holds = (memory: SequenceMemory, bytes: number) =>
    kvTokens === undefined ? longestIn(memory, bytes) : memory.tokensIn(bytes, lengthOf(input));
  // An estimated length may end within a block.
  const within = (memory: SequenceMemory) => (kvTokens === undefined ? memory.blockTokens - 1 : 0);
  const agrees = (memory: SequenceMemory) =>
    holds(memory, pool + rounded) + within(memory) >= tokens && holds(memory, pool - rounded - 1) <= tokens;
  const counts = kvTokens !== undefined && isCountedByConcurrency(input);
  return { memory: counts ? ofOneLength(input, pool / tokens) : quotient(input, pool, tokens), agrees };
}

function isSize(value: number | undefined): value is number {
  return value !== undefined && value > 0;
}

function quotient(input: SummedEngine, bytes: number, tokens: number): SequenceMemory {
  return { ...uniform(blockTokensOf(input), bytes / tokens), about: true };
}

// Tokens that are concurrency times length tell what a sequence of that length takes: a shorter one no more, a longer one no
// more than its share.
function ofOneLength(input: SummedEngine, perToken: number): SequenceMemory {
  const length = lengthOf(input) ?? 0;
  const plain = uniform(blockTokensOf(input), perToken);
  const needFor = (tokens: number) => plain.needFor(Math.max(tokens, length));
  return { ...plain, needFor, bytesPerToken: undefined, about: true };
}

// A refusal says what two lengths take: the one that was asked for, and the longest that fits. Where the second is far less
// than its share, a part is the same for every length.
function betweenTwo(input: SummedEngine, needed: number, length: number): SequenceMemory | undefined {
  const { kvAvailableBytes: bytes, estimatedMaxLen: tokens } = input.figures;
  if (bytes === undefined || tokens === undefined || tokens <= 0 || tokens >= length) return undefined;
  const perToken = (needed - bytes) / (length - tokens);
  const fixed = needed - perToken * length;
  if (perToken <= 0 || fixed < FIXED_SHARE * needed) return undefined;
  return { ...uniform(blockTokensOf(input), perToken, fixed), about: true };
}

const FIXED_SHARE = 0.05;
