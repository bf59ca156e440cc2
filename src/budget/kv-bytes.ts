import { type KvShape, type LayerGroup, modelFamily } from '../model/model-table.ts';
import { GIB } from '../model/quantity.ts';
import { knobsOf } from './engine-knobs.ts';
import { blockTokensOf, type FigureInput, layoutOf, settingOf } from './figures.ts';
import { lacking, type Reckoned } from './known-amount.ts';
import { missing } from './printed-lines.ts';

export type KvLayout = {
  readonly tensorParallel?: number | undefined;
  readonly pipelineParallel?: number | undefined;
  /** 2 for 16 bit, 1 for fp8, about 0.56 for nvfp4. */
  readonly bytesPerValue?: number | undefined;
};

/** KV bytes of one token on one GPU, with every attention layer at full length: what an engine without a hybrid manager takes. */
export function kvBytesPerToken(shape: KvShape, layout: KvLayout = {}): number {
  return sum(shape, (group) => tokenBytes(group, layout)) / (layout.pipelineParallel ?? 1);
}

function tokenBytes(group: LayerGroup, { tensorParallel = 1, bytesPerValue = 2 }: KvLayout): number {
  switch (group.kind) {
    case 'state':
      return 0;
    case 'latent':
      // Every rank of a tensor-parallel group holds the whole compressed vector.
      return group.layers * (group.rank + group.ropeDim) * bytesPerValue;
    default:
      return 2 * group.layers * Math.max(group.kvHeads / tensorParallel, 1) * group.headDim * bytesPerValue;
  }
}

function sum(shape: KvShape, bytes: (group: LayerGroup) => number): number {
  return shape.reduce((total, group) => total + bytes(group), 0);
}

/** Bytes per value of a `--kv-cache-dtype`; undefined for one that is not known. `auto` follows the model, which is 16 bit. */
export function bytesOfKvDtype(dtype: string | null | undefined): number | undefined {
  if (dtype === undefined || dtype === null || /^(?:auto|bfloat16|float16|half|bf16|fp16|f16)$/.test(dtype)) return 2;
  if (/^fp8|^int8|^q8_0$/.test(dtype)) return 1;
  if (/^nvfp4/.test(dtype)) return 0.56;
  return /^float32$|^f32$/.test(dtype) ? 4 : undefined;
}

// Engines print sizes in GiB with two digits; SGLang prints keys and values apart.
const HALF_A_DIGIT = 0.005 * GIB;

/**
 * KV bytes per token on one GPU: by the engine's own message or its own pool, and only then by the shape of the model. Sizes
 * are printed rounded: where the model's own number lies within what was rounded away it is that, else about the quotient.
 */
export function perTokenOf(input: FigureInput): Reckoned {
  const printed = quotientOf(input);
  const said = input.figures.kvTokenBytes;
  const told = said !== undefined && said > 0 ? said : undefined;
  const shape = byShape(input);
  if (printed === undefined) return told === undefined ? shape : { kind: 'known', value: told };
  const own = [told, shape.kind === 'known' ? shape.value : undefined].find(
    (value) => value !== undefined && value >= printed.least && value <= printed.most,
  );
  return own === undefined ? { kind: 'known', value: printed.value, about: true } : { kind: 'known', value: own };
}

type Quotient = { readonly value: number; readonly least: number; readonly most: number };

// What a sequence of the longest length needs, else what the pool has, over its tokens. Either is of whole blocks, which may
// hold a part of one more than the tokens say.
function quotientOf(input: FigureInput): Quotient | undefined {
  const { kvNeededBytes, kvAvailableBytes, kvTokens, estimatedMaxLen, maxModelLen } = input.figures;
  return over(input, kvNeededBytes, maxModelLen) ?? over(input, kvAvailableBytes, kvTokens ?? estimatedMaxLen);
}

function over(input: FigureInput, bytes: number | undefined, tokens: number | undefined): Quotient | undefined {
  if (bytes === undefined || bytes <= 0 || tokens === undefined || tokens <= 0) return undefined;
  const rounded = HALF_A_DIGIT * (knobsOf(input.engine)?.kvSizesPrinted ?? 1);
  return {
    value: bytes / tokens,
    least: (bytes - rounded) / (tokens + blockTokensOf(input)),
    most: (bytes + rounded) / tokens,
  };
}

function byShape({ engine, figures, settings }: FigureInput): Reckoned {
  const family = figures.model === undefined ? undefined : modelFamily(figures.model);
  if (family === undefined) return lacking(missing(engine, 'kvNeededBytes'));
  const bytesPerValue = bytesOfKvDtype(settingOf(engine, settings, knobsOf(engine)?.kvDtype)?.text);
  if (bytesPerValue === undefined) return lacking('bytes of the KV data type');
  return { kind: 'known', value: kvBytesPerToken(family.shape, { ...layoutOf(engine, settings), bytesPerValue }) };
}
