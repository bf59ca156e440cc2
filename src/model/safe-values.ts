/** Tokens of a KV block of vLLM where none is set (vllm/config/cache.py). */
export const VLLM_BLOCK_TOKENS = 16;
/** Fraction of the card above which nothing is left for context, communication and graphs. */
export const HIGHEST_FRACTION = 0.95;
/** Of the longest length that fits, what is set: the estimate moves by some blocks between starts. */
export const LENGTH_SHARE = 0.95;
