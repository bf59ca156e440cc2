import { GIB, MIB } from './quantity.ts';

/** Tokens of a KV block of vLLM where none is set (vllm/config/cache.py). */
export const VLLM_BLOCK_TOKENS = 16;
/** Fraction of the GPU above which nothing is left for context, communication and graphs. */
export const HIGHEST_FRACTION = 0.95;
/** Of the longest length that fits, what is set: the estimate moves by some blocks between starts. */
export const LENGTH_SHARE = 0.95;
/** What has to stay free outside the fraction, besides the graph pool of engines that do not count it. */
export const ROOM_OUTSIDE_BYTES = GIB;
/** What is added to the least fraction that an engine names: the figure it prints is the edge itself. */
export const ABOVE_LEAST_FRACTION = 0.02;

/** Tokens rounded down to whole KV blocks. */
export function wholeBlocks(tokens: number, blockTokens: number = VLLM_BLOCK_TOKENS): number {
  return Math.max(0, Math.floor(tokens / blockTokens) * blockTokens);
}

// Below this half of a GiB is a large part of a limit.
const IN_GIB = 4 * GIB;

/** A memory limit rounded up: a limit a little higher is safe, a little lower is not. */
export function wholeLimit(bytes: number): number {
  const unit = bytes >= IN_GIB ? GIB : MIB;
  return Math.ceil(bytes / unit) * unit;
}

/** A limit of RAM against what was measured or is known to be taken: peaks that no reading shows (budget arithmetic, host memory of a pod). */
export const RAM_HEADROOM = 1.3;
