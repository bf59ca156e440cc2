import { wholeBlocks } from '../model/safe-values.ts';

/** What sequences take of the cache of one GPU. Sizes in bytes, lengths in tokens. */
export type SequenceMemory = {
  /** What one sequence of a length takes, in whole blocks. */
  readonly needFor: (length: number) => number;
  /** What the engine keeps of the pool for itself. */
  readonly heldBytes: number;
  /** Growth of one sequence per token, past all windows; undefined where nothing tells. */
  readonly bytesPerToken: number | undefined;
  /** What one sequence takes whatever its length. */
  readonly fixedBytes: number;
  /** Tokens that a pool holds, as the engine counts them for sequences of a length. */
  readonly tokensIn: (bytes: number, length: number | undefined) => number;
  /** Sequences of a length in a pool of so many bytes, for which the engine counts so many tokens; no whole number. */
  readonly concurrency: (pool: { readonly bytes: number; readonly tokens: number }, length: number) => number;
  readonly blockTokens: number;
  /** Where blocks are no plain number of tokens. */
  readonly bytesPerBlock?: number;
  /** Made of figures that were printed rounded. */
  readonly about?: true;
};

/** The longest sequence that a pool holds, in whole blocks. */
export function longestIn({ needFor, heldBytes, blockTokens }: SequenceMemory, bytes: number): number {
  let [fits, fails] = [0, LONGEST / blockTokens];
  while (fails - fits > 1) {
    const half = Math.floor((fits + fails) / 2);
    if (needFor(half * blockTokens) + heldBytes <= bytes) fits = half;
    else fails = half;
  }
  return fits * blockTokens;
}

const LONGEST = 2 ** 27;

/** Of an engine in which every token takes the same, next to what is fixed. */
export function uniform(blockTokens: number, perToken: number, fixedBytes = 0): SequenceMemory {
  return {
    needFor: (length) => fixedBytes + wholeLength(length, blockTokens) * perToken,
    heldBytes: 0,
    bytesPerToken: perToken,
    fixedBytes,
    tokensIn: (bytes) => wholeBlocks(Math.max(0, bytes - fixedBytes) / perToken, blockTokens),
    concurrency: ({ bytes, tokens }, length) =>
      fixedBytes === 0
        ? tokens / wholeLength(length, blockTokens)
        : bytes / (fixedBytes + wholeLength(length, blockTokens) * perToken),
    blockTokens,
  };
}

/** A length in whole blocks. */
export function wholeLength(length: number, blockTokens: number): number {
  return Math.ceil(length / blockTokens) * blockTokens;
}

/** The same with every size multiplied, as a change of arguments does. */
export function scaled(memory: SequenceMemory, by: number): SequenceMemory {
  const { needFor, tokensIn, concurrency, bytesPerToken } = memory;
  return {
    ...memory,
    needFor: (length) => needFor(length) * by,
    bytesPerToken: bytesPerToken === undefined ? undefined : bytesPerToken * by,
    fixedBytes: memory.fixedBytes * by,
    heldBytes: memory.heldBytes * by,
    tokensIn: (bytes, length) => tokensIn(bytes / by, length),
    concurrency: ({ bytes, tokens }, length) => concurrency({ bytes: bytes / by, tokens }, length),
  };
}
