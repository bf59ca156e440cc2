import type { KvShape, LayerGroup } from '../model/model-table.ts';

/** What the size of a cache depends on besides the model. */
export type KvLayout = {
  readonly tensorParallel?: number | undefined;
  readonly pipelineParallel?: number | undefined;
  /** 2 for 16 bit, 1 for fp8, about 0.56 for nvfp4. */
  readonly bytesPerValue?: number | undefined;
  /** Tokens per block that the engine was told. */
  readonly blockTokens?: number | undefined;
  /** Tokens that may be in flight: layers with a window keep them in addition to it. */
  readonly stepTokens?: number | undefined;
  /** Blocks that the engine keeps for itself. */
  readonly heldBlocks?: number | undefined;
};

/** The KV cache of one GPU, sequence by sequence. Sizes in bytes, lengths in tokens. */
export type KvMemory = {
  readonly bytesPerBlock: number;
  readonly blockTokens: number;
  readonly blocksFor: (length: number) => number;
  /** What one sequence of a length takes, in whole blocks. */
  readonly needFor: (length: number) => number;
  /** Growth of a sequence per token, past all windows. */
  readonly bytesPerToken: number;
  readonly heldBytes: number;
  readonly groups: number;
};

const BLOCK = 16;
const LARGE_BLOCK = 64;

// Layers that keep the same thing, on one rank.
type Kind = {
  readonly kind: LayerGroup['kind'];
  readonly layers: number;
  /** Of one layer. */
  readonly tokenBytes: number;
  readonly window: number;
  readonly state: { readonly bytes: number; readonly blocks: number } | undefined;
};

/** How vLLM lays out the cache of a model (v1/core/kv_cache_utils.py, 0.32): layers in groups of equal size, a block in each. */
export function kvMemoryOf(shape: KvShape, layout: KvLayout = {}): KvMemory {
  const kinds = shape.map((group) => kindOf(group, layout));
  const { heldBlocks = 0, stepTokens = 0 } = layout;
  const size = groupSize(kinds.map(({ layers }) => layers));
  const page = pageOf(kinds, shape, layout);
  const groups = kinds.map((kind) => ({ ...kind, count: Math.ceil(kind.layers / size) }));
  const largest = Math.max(...groups.map(({ layers, count }) => Math.ceil(layers / count)));
  const bytesPerBlock = largest * page.bytes;
  const blocksFor = (length: number) =>
    groups.reduce(
      (sum, kind) => sum + kind.count * blocksOf(kind, { length, block: page.tokensOf(kind), stepTokens }),
      0,
    );
  const grows = groups.filter(({ kind }) => kind === 'full' || kind === 'latent');
  return {
    bytesPerBlock,
    blockTokens: Math.min(...groups.map(page.tokensOf)),
    blocksFor,
    needFor: (length) => blocksFor(length) * bytesPerBlock,
    bytesPerToken: grows.reduce((sum, kind) => sum + (kind.count * bytesPerBlock) / page.tokensOf(kind), 0),
    heldBytes: heldBlocks * bytesPerBlock,
    groups: groups.reduce((sum, { count }) => sum + count, 0),
  };
}

/** KV bytes of one token on one GPU, with every attention layer at full length: what an engine without groups takes. */
export function kvBytesPerToken(shape: KvShape, layout: KvLayout = {}): number {
  const kinds = shape.map((group) => kindOf(group, { ...layout, pipelineParallel: 1 }));
  return kinds.reduce((sum, { layers, tokenBytes }) => sum + layers * tokenBytes, 0) / (layout.pipelineParallel ?? 1);
}

// The smallest count of a kind, or the largest where that pads less.
const PADS_LESS = 1.5;

function groupSize(counts: readonly number[]): number {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return most < PADS_LESS * least ? most : least;
}

type Page = { readonly bytes: number; readonly tokensOf: (kind: Kind) => number };

// Pages are of one size: what keeps less per token has more tokens in one.
function pageOf(kinds: readonly Kind[], shape: KvShape, layout: KvLayout): Page {
  const base = layout.blockTokens ?? (needsLargeBlocks(shape, layout) ? LARGE_BLOCK : BLOCK);
  const widest = Math.max(...kinds.map(({ tokenBytes }) => tokenBytes));
  const state = Math.max(0, ...kinds.map((kind) => kind.state?.bytes ?? 0));
  if (widest === 0) return { bytes: state, tokensOf: () => BLOCK };
  const block = Math.max(base, BLOCK * Math.ceil(state / (BLOCK * widest)));
  const tokensOf = ({ tokenBytes }: Kind) =>
    tokenBytes === 0 ? block : block * Math.max(1, Math.floor(widest / tokenBytes));
  return { bytes: block * widest, tokensOf };
}

// The kernels for fp8 with latent attention, with heads of two sizes, and for sparse attention.
function needsLargeBlocks(shape: KvShape, { bytesPerValue = 2 }: KvLayout): boolean {
  if (shape.some((group) => group.kind === 'latent' && group.indexDim !== undefined)) return true;
  const sizes = shape.flatMap((group) => ('headDim' in group ? [group.headDim] : []));
  return bytesPerValue === 1 && (shape.some(({ kind }) => kind === 'latent') || new Set(sizes).size > 1);
}

function kindOf(group: LayerGroup, layout: KvLayout): Kind {
  const { tensorParallel = 1, pipelineParallel = 1, bytesPerValue = 2 } = layout;
  const layers = Math.ceil(group.layers / pipelineParallel);
  const plain = { kind: group.kind, layers, window: 'window' in group ? group.window : 0, state: undefined };
  switch (group.kind) {
    case 'state':
      return { ...plain, tokenBytes: 0, state: { bytes: stateBytes(group, tensorParallel), blocks: group.blocks } };
    case 'latent':
      // Every rank of a tensor-parallel group holds the whole compressed vector.
      return { ...plain, tokenBytes: latentBytes(group, bytesPerValue) };
    default:
      return {
        ...plain,
        tokenBytes: 2 * Math.max(group.kvHeads / tensorParallel, 1) * group.headDim * bytesPerValue,
      };
  }
}

// A scale for each 128 values of fp8, and 16-bit positions.
const SCALED = 128;
const SCALE_BYTES = 4;

function latentBytes({ rank, ropeDim, indexDim }: LayerGroup & { kind: 'latent' }, bytesPerValue: number): number {
  if (indexDim === undefined) return (rank + ropeDim) * bytesPerValue;
  const key = indexDim + (indexDim / SCALED) * SCALE_BYTES;
  if (bytesPerValue !== 1) return (rank + ropeDim) * bytesPerValue + key;
  return rank + (rank / SCALED) * SCALE_BYTES + ropeDim * 2 + key;
}

// The convolution is kept at 16 bit; its groups are repeated until each rank has one.
function stateBytes(group: LayerGroup & { kind: 'state' }, ranks: number): number {
  const { channels, convSteps, groups, groupDim, values, valueBytes } = group;
  const repeated = groups % ranks === 0 ? groups : ranks;
  return (convSteps * (channels + 2 * repeated * groupDim) * 2 + values * valueBytes) / ranks;
}

type Stretch = { readonly length: number; readonly block: number; readonly stepTokens: number };

function blocksOf({ kind, window, state }: Kind, { length, block, stepTokens }: Stretch): number {
  if (state !== undefined) return state.blocks;
  if (kind === 'sliding') return Math.ceil(Math.min(window - 1 + stepTokens, length) / block) + 1;
  return Math.ceil((kind === 'chunked' ? Math.min(window + stepTokens, length) : length) / block);
}
