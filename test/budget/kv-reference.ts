/** Layers of one kind as one rank keeps them: bytes of one layer per token, or of its whole state. */
export type ReferenceKind = readonly [
  kind: 'full' | 'latent' | 'sliding' | 'chunked' | 'state',
  layers: number,
  bytes: number,
  /** Window in tokens, or the blocks of a state. */
  extent: number,
];

export type ReferenceCache = {
  readonly bytesPerBlock: number;
  readonly blocksOf: (length: number) => number;
};

/**
 * How many blocks a sequence takes, written apart from src/budget from the rules of vLLM 0.32 (groups of equal size, one page
 * size): proved on rows that vLLM computed before anything is held against it. `block`: tokens that attention starts from.
 */
export function referenceCache(
  kinds: readonly ReferenceKind[],
  of: { block: number; inFlight: number },
): ReferenceCache {
  const numbers = kinds.map(([, layers]) => layers).sort((a, b) => a - b);
  const fewest = numbers[0] ?? 0;
  const most = numbers[numbers.length - 1] ?? 0;
  const perGroup = most < fewest * 1.5 ? most : fewest;
  const attention = kinds.filter(([kind]) => kind !== 'state').map(([, , bytes]) => bytes);
  const wide = Math.max(...attention);
  let tokens = of.block;
  for (const [kind, , bytes] of kinds) {
    if (kind !== 'state') continue;
    while (tokens * wide < bytes) tokens += 16;
  }
  const page = tokens * wide;
  let largest = 0;
  for (const [, layers] of kinds) largest = Math.max(largest, Math.ceil(layers / Math.ceil(layers / perGroup)));
  return {
    bytesPerBlock: largest * page,
    blocksOf(length) {
      let blocks = 0;
      for (const [kind, layers, bytes, extent] of kinds) {
        const groups = Math.ceil(layers / perGroup);
        const inBlock = kind === 'state' ? tokens : tokens * Math.floor(wide / bytes);
        const kept = {
          full: length,
          latent: length,
          sliding: extent - 1 + of.inFlight,
          chunked: extent + of.inFlight,
          state: 0,
        };
        const stretch = Math.ceil(Math.min(length, kept[kind]) / inBlock);
        blocks += groups * (kind === 'state' ? extent : kind === 'sliding' ? stretch + 1 : stretch);
      }
      return blocks;
    },
  };
}
