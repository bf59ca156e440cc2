import { VLLM_BLOCK_TOKENS } from '../model/safe-values.ts';
import { type Lacking, type Reckoned, reckon } from './reckoned.ts';

export type Blocks = { readonly blocks: number; readonly tokens: number; readonly blockBytes: number };

/** Whole blocks in a pool, of a model whose layers are all alike. */
export function blocksIn(input: {
  readonly poolBytes: number | undefined;
  readonly bytesPerToken: number | undefined;
  readonly blockTokens?: number;
}): (Blocks & { readonly kind: 'known' }) | Lacking {
  const { poolBytes, bytesPerToken, blockTokens = VLLM_BLOCK_TOKENS } = input;
  const blocks = reckon({ 'size of the KV pool': poolBytes, 'KV bytes per token': bytesPerToken }, (of) =>
    Math.max(0, Math.floor(of['size of the KV pool'] / (of['KV bytes per token'] * blockTokens))),
  );
  if (blocks.kind === 'unknown') return blocks;
  const blockBytes = (bytesPerToken ?? 0) * blockTokens;
  return { kind: 'known', blocks: blocks.value, tokens: blocks.value * blockTokens, blockBytes };
}

/** Sequences of a length that blocks hold at once: vLLM's "Maximum concurrency". */
export function concurrency(blocks: number, lengthTokens: number, blockTokens: number = VLLM_BLOCK_TOKENS): number {
  return lengthTokens <= 0 ? 0 : blocks / Math.ceil(lengthTokens / blockTokens);
}

/** Tokens rounded down to whole blocks. */
export function wholeBlocks(tokens: number, blockTokens: number = VLLM_BLOCK_TOKENS): number {
  return Math.max(0, Math.floor(tokens / blockTokens) * blockTokens);
}

/** CPU blocks of vLLM V0: the swap space of one GPU in blocks. */
export function swapBlocks(swapBytes: number | undefined, blockBytes: number | undefined): Reckoned {
  return reckon({ 'swap space': swapBytes, 'bytes of a block': blockBytes }, (of) =>
    Math.floor(of['swap space'] / of['bytes of a block']),
  );
}
