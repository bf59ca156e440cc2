import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kvMemoryOf } from '../../src/budget/kv-memory.ts';
import { longestIn } from '../../src/budget/sequence-memory.ts';
import { modelFamily } from '../../src/model/model-table.ts';
import { readModelConfig } from '../../src/read/engine/model-config.ts';
import { type ReferenceKind, referenceCache } from './kv-reference.ts';

type Row = {
  readonly model: string;
  readonly ranks: number;
  readonly fp8: boolean;
  readonly length: number;
  readonly pool: number;
  readonly bytesPerBlock: number;
  readonly blocks: number;
  readonly oneSequence: number;
  readonly tokens: number | null;
  readonly longest: number | null;
  readonly kinds: readonly ReferenceKind[];
};

const FILE = join(import.meta.dirname, '../fixtures/kv-caches/vllm-0.32.json');
const { models, rows } = JSON.parse(readFileSync(FILE, 'utf8')) as { models: Record<string, object>; rows: Row[] };
const IN_FLIGHT = 16_384;

const named = rows.map(
  (row) => [`${row.model}, ${row.ranks} ranks, fp8 ${row.fp8}, ${row.length} tokens`, row] as const,
);
const shapeOf = (model: string) => {
  const read = readModelConfig(JSON.stringify(models[model])).shape;
  return { read, shape: read ?? modelFamily(model)?.shape ?? [] };
};

describe('the KV cache that vLLM 0.32 lays out', () => {
  it.each(named)('%s', (_, row) => {
    const { shape } = shapeOf(row.model);
    const memory = kvMemoryOf(shape, {
      tensorParallel: row.ranks,
      bytesPerValue: row.fp8 ? 1 : 2,
      stepTokens: IN_FLIGHT,
      heldBlocks: 1,
    });

    expect(memory.bytesPerBlock).toBe(row.bytesPerBlock);
    expect(memory.blocksFor(row.length)).toBe(row.oneSequence);
    expect(memory.needFor(row.length) + memory.heldBytes > row.pool).toBe(row.longest !== null);
    const blocks = Math.floor(row.pool / memory.bytesPerBlock);
    expect(blocks).toBe(row.blocks);
    if (row.tokens !== null) expect(Math.floor((blocks / row.oneSequence) * row.length)).toBe(row.tokens);
    if (row.longest === null) return;
    // The engine searches token by token, and the sum by whole blocks.
    const longest = longestIn({ ...memory, fixedBytes: 0, tokensIn: () => 0, concurrency: () => 0 }, row.pool);
    expect(longest).toBeLessThanOrEqual(row.longest);
    expect(longest).toBeGreaterThan(row.longest - memory.blockTokens);
  });

  it('has the same layers by the name of a model as by its config.json', () => {
    const key = (shape: object) => JSON.stringify(Object.entries(shape).sort());
    for (const model of Object.keys(models)) {
      const { read } = shapeOf(model);
      const byName = modelFamily(model)?.shape;
      expect(byName, model).toBeDefined();
      if (read !== undefined) expect(byName?.map(key).sort(), model).toEqual(read.map(key).sort());
    }
  });
});

it.each(named)('the reference is right for %s', (_, row) => {
  const isLarge = row.kinds.some(([kind]) => kind === 'latent') && row.fp8;
  const isSparse = row.kinds.some(([kind, , bytes]) => kind === 'latent' && bytes > 5000);
  const isGemma4 = row.model.startsWith('gemma-4') && row.fp8;
  const cache = referenceCache(
    isSparse ? row.kinds.map(([kind, , ...rest]) => [kind, 1, ...rest] as const) : row.kinds,
    {
      block: isLarge || isSparse || isGemma4 ? 64 : 16,
      inFlight: IN_FLIGHT,
    },
  );

  expect(cache.bytesPerBlock).toBe(row.bytesPerBlock);
  expect(cache.blocksOf(row.length)).toBe(row.oneSequence);
});
