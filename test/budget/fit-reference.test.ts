import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitProfile } from '../../src/budget/fit-profile.ts';
import { PROFILE_NAMES } from '../../src/budget/profiles.ts';
import type { KvShape } from '../../src/model/model-table.ts';
import { GIB } from '../../src/model/quantity.ts';
import { runs } from './fit-property.ts';
import { aFit } from './fits.ts';
import { type ReferenceKind, referenceCache } from './kv-reference.ts';

const power = (from: number, to: number) => fc.integer({ min: from, max: to }).map((at) => 2 ** at);

/** A model as the product has it and as the reference has it, on one rank. */
const models = fc
  .record({
    heads: power(0, 4),
    dim: fc.constantFrom(64, 128, 256),
    full: fc.integer({ min: 2, max: 80 }),
    other: fc.constantFrom('none', 'sliding', 'chunked', 'state', 'latent'),
    more: fc.integer({ min: 1, max: 6 }),
    window: fc.constantFrom(128, 512, 1024, 4096, 8192),
    values: fc.constantFrom(131_072, 524_288, 1_048_576),
    ranks: power(0, 3),
    fp8: fc.boolean(),
  })
  .map(({ heads, dim, full, other, more, window, values, ranks, fp8 }) => {
    const each = fp8 ? 1 : 2;
    const layers = full * more;
    const bytes = 2 * Math.max(heads / ranks, 1) * dim * each;
    const plain = { layers: full, kvHeads: heads, headDim: dim };
    const state = { channels: 8192, convSteps: 3, groups: 0, groupDim: 0, values, valueBytes: 2, blocks: 2 };
    const shapes: Record<string, readonly [KvShape, readonly ReferenceKind[]]> = {
      none: [[{ kind: 'full', ...plain }], [['full', full, bytes, 0]]],
      latent: [[{ kind: 'latent', layers: full, rank: 512, ropeDim: 64 }], [['latent', full, 576 * each, 0]]],
      sliding: [
        [
          { kind: 'full', ...plain },
          { kind: 'sliding', ...plain, layers, window },
        ],
        [
          ['full', full, bytes, 0],
          ['sliding', layers, bytes, window],
        ],
      ],
      chunked: [
        [
          { kind: 'full', ...plain },
          { kind: 'chunked', ...plain, layers, window },
        ],
        [
          ['full', full, bytes, 0],
          ['chunked', layers, bytes, window],
        ],
      ],
      state: [
        [
          { kind: 'full', ...plain },
          { kind: 'state', layers, ...state },
        ],
        [
          ['full', full, bytes, 0],
          ['state', layers, (3 * 8192 * 2 + values * 2) / ranks, 2],
        ],
      ],
    };
    const [shape, kinds] = shapes[other] ?? [[], []];
    return { shape, kinds, ranks, fp8, block: other === 'latent' && fp8 ? 64 : 16 };
  });

const configurations = fc.record({
  model: models,
  profile: fc.constantFrom(...PROFILE_NAMES),
  direction: fc.constantFrom('lower' as const, 'none' as const, 'raise' as const),
  length: fc.integer({ min: 1024, max: 262_144 }),
  step: fc.constantFrom(2048, 8192, 16_384),
  fraction: fc.integer({ min: 50, max: 95 }).map((percent) => percent / 100),
  total: fc.constantFrom(14.56, 22.06, 44.42, 79.18, 139.8),
  weights: fc.double({ min: 0.05, max: 0.9, noNaN: true }),
  printed: fc.boolean(),
  pool: fc.double({ min: -6, max: 6, noNaN: true }).map((log) => 2 ** log),
});

type Configuration = typeof configurations extends fc.Arbitrary<infer T> ? T : never;

function checkAgainstReference(of: Configuration): 'proven' | 'open' | 'refused' {
  const { model, length, step, fraction, total, weights, printed, pool } = of;
  const available = printed ? { kvAvailableBytes: pool * GIB } : {};
  const fit = fitProfile(
    aFit({
      version: '0.32.0',
      profile: of.profile,
      direction: of.direction,
      product: 'NVIDIA-H100-80GB-HBM3',
      figures: {
        totalBytes: total * GIB,
        weightsBytes: weights * total * GIB,
        maxModelLen: length,
        model: 'acme/own',
        shape: model.shape,
        ...available,
      },
      told: {
        '--max-model-len': length,
        '--max-num-batched-tokens': step,
        '--max-num-seqs': 64,
        '--gpu-memory-utilization': fraction,
        '--tensor-parallel-size': model.ranks,
        ...(model.fp8 ? { '--kv-cache-dtype': 'fp8' } : {}),
      },
    }),
  );
  const batched = fit.kind === 'fitted' ? fit.edits.find(({ flag }) => flag === '--max-num-batched-tokens')?.to : null;
  const cache = referenceCache(model.kinds, { block: model.block, inFlight: 2 * Number(batched ?? step) });
  const need = (tokens: number) => (cache.blocksOf(tokens) + 1) * cache.bytesPerBlock;

  if (fit.kind === 'fitted' && fit.proven) {
    const { interval, poolBytes, lengthTokens } = fit.start;
    expect(need(lengthTokens ?? Number.NaN)).toBeLessThanOrEqual(interval?.low ?? poolBytes ?? Number.NaN);
  }
  // Within a spare twentieth and a block of the least length nothing is called impossible that the pool holds.
  if (fit.kind === 'refused' && printed && of.direction === 'none') {
    const wider = referenceCache(model.kinds, { block: model.block, inFlight: 2 * step });
    const tokens = 1.1 * 1024 + 16;
    expect((wider.blocksOf(tokens) + 2) * wider.bytesPerBlock).toBeGreaterThan(pool * GIB);
  }
  if (fit.kind !== 'fitted') return 'refused';
  return fit.proven ? 'proven' : 'open';
}

it('profiles of generated configurations fit by a reference that was written apart', () => {
  const seen = { proven: 0, open: 0, refused: 0 };

  fc.assert(
    fc.property(configurations, (of) => {
      seen[checkAgainstReference(of)]++;
    }),
    runs(500),
  );

  // Of each kind enough, or the property would show nothing.
  expect(seen.proven).toBeGreaterThan(150);
  expect(seen.refused).toBeGreaterThan(20);
});
