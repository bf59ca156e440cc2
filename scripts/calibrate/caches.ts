import { kvMemoryOf } from '../../src/budget/kv-memory.ts';
import { type KvShape, modelFamily } from '../../src/model/model-table.ts';
import { readModelConfig } from '../../src/read/engine/model-config.ts';

/** A KV cache as vLLM's own code computed it. */
export type CacheRow = {
  readonly model: string;
  readonly tp: number;
  readonly kv_dtype: string;
  readonly max_model_len: number;
  readonly max_in_flight_tokens: number;
  readonly available_kv_bytes: number;
  readonly bytes_per_block: number;
  readonly bytes_per_token: number | null;
  readonly num_blocks: number;
  readonly bytes_for_one_sequence: number;
  readonly refused: boolean;
  readonly tokens: number | null;
  readonly max_concurrency: number | null;
  readonly estimated_max_model_len: number | null;
};

export function isCacheRow(row: unknown): row is CacheRow {
  return typeof row === 'object' && row !== null && 'bytes_for_one_sequence' in row;
}

type Configs = Readonly<Record<string, { readonly config?: unknown }>>;

// In percent, for layers that do not keep all tokens.
const MOST_OFF = 2;

/** How many rows agree, exactly for full and latent attention, else within 2%; `wrong` names those that do not. */
export function compareCaches(
  rows: readonly CacheRow[],
  configs: Configs,
): { readonly says: string; readonly wrong: readonly string[] } {
  let exact = 0;
  const wrong: string[] = [];
  for (const row of rows) {
    const shape = shapeOf(row.model, configs);
    if (shape === undefined) {
      wrong.push(`${row.model}: its layers are unknown`);
      continue;
    }
    const off = offBy(row, shape);
    if (off === 0) exact++;
    const isPlain = shape.every(({ kind }) => kind === 'full' || kind === 'latent');
    if (off > (isPlain ? 0 : MOST_OFF)) {
      wrong.push(`${row.model}, tp ${row.tp}, ${row.kv_dtype}, ${row.max_model_len} tokens: ${off.toFixed(2)}% off`);
    }
  }
  return { says: `KV caches: ${exact} of ${rows.length} exact, ${wrong.length} outside their limits`, wrong };
}

function shapeOf(model: string, configs: Configs): KvShape | undefined {
  const config = configs[model]?.config;
  const read = config === undefined ? undefined : readModelConfig(JSON.stringify(config)).shape;
  return read ?? modelFamily(model)?.shape;
}

// The largest difference of all its figures, in percent.
function offBy(row: CacheRow, shape: KvShape): number {
  const memory = kvMemoryOf(shape, {
    tensorParallel: row.tp,
    bytesPerValue: row.kv_dtype.startsWith('fp8') ? 1 : 2,
    stepTokens: row.max_in_flight_tokens,
    heldBlocks: 1,
  });
  const { max_model_len: length, available_kv_bytes: pool } = row;
  const blocks = Math.floor(pool / memory.bytesPerBlock);
  const each = memory.blocksFor(length);
  const refused = memory.needFor(length) + memory.heldBytes > pool;
  const pairs: readonly (readonly [number, number | null])[] = [
    [memory.bytesPerBlock, row.bytes_per_block],
    [memory.bytesPerToken, row.bytes_per_token],
    [blocks, row.num_blocks],
    [memory.needFor(length), row.bytes_for_one_sequence],
    [Number(refused), Number(row.refused)],
    [Math.floor((blocks / each) * length), row.tokens],
    [blocks / each, row.max_concurrency],
    [longest(memory, row), row.estimated_max_model_len],
  ];
  return Math.max(...pairs.map(([own, theirs]) => (theirs === null ? 0 : percentOff(own, theirs))));
}

function longest({ needFor, heldBytes }: ReturnType<typeof kvMemoryOf>, row: CacheRow): number {
  let [fits, fails] = [0, row.max_model_len + 1];
  while (fails - fits > 1) {
    const half = Math.floor((fits + fails) / 2);
    if (needFor(half) + heldBytes <= row.available_kv_bytes) fits = half;
    else fails = half;
  }
  return fits;
}

// The rows have concurrency with few digits.
const DIGITS = 1e-4;

function percentOff(own: number, theirs: number): number {
  const off = (100 * Math.abs(own - theirs)) / Math.max(1, Math.abs(theirs));
  return off < DIGITS ? 0 : off;
}
