import type { EngineReading } from '../../model/engine-reader.ts';
import { figure, type PlacedHit } from './figures.ts';
import { createReader } from './reader.ts';

/** Text Generation Inference: launcher, shards and router print into one log. */
export const tgiReader = createReader({
  engine: 'tgi',
  name: /text[-_]generation[-_](?:inference|launcher|server|router)|(?:^|[/._-])tgi(?:$|[/._-])/i,
  image: /text-generation-inference|(?:^|[/._-])tgi(?:$|[:/._-])/i,
  phrases: /^(?:tgi\.|phase\.tgi-)/,
  // The warm-up prefills the largest batch before the pool is sized (models/flash_causal_lm.py).
  trialRun: true,
  milestones: {
    started: ['tgi.cfg.args'],
    'load-begin': ['phase.tgi-shard-start', 'tgi.shard.waiting'],
    'load-end': ['phase.tgi-shard-ready', 'phase.tgi-warmup'],
    'kv-allocated': ['tgi.num.kv-blocks'],
    'graphs-begin': ['tgi.num.graphs'],
    // The router says how many tokens it will take once the warm-up of all shards has come back, their graphs captured
    // (router/src/lib.rs): what follows takes no memory.
    ready: ['tgi.num.max-total', 'phase.tgi-ready'],
    served: ['phase.tgi-served', 'tgi.run.generation-oom'],
  },
  figures: {
    kvBlocks: [{ id: 'tgi.num.kv-blocks', capture: 'blocks' }],
    kvTokens: [{ id: 'tgi.num.max-total', capture: 'tokens' }],
    maxModelLen: ['tgi.start.max-total', 'tgi.start.not-enough-debug'].map((id) => ({ id, capture: 'tokens' })),
    batchedTokens: [
      { id: 'tgi.start.reduce-prefill', capture: 'to' },
      { id: 'tgi.start.prefill', capture: 'tokens' },
      { id: 'tgi.cfg.default-prefill', capture: 'n' },
    ],
  },
  complete,
});

// The shard prints blocks and their size before the router says how many tokens it will fill them with.
function complete(reading: EngineReading, hits: readonly PlacedHit[]): EngineReading {
  const blocks = reading.figures.kvBlocks;
  const size = figure(hits, [{ id: 'tgi.num.kv-blocks', capture: 'size' }]);
  if (reading.figures.kvTokens !== undefined || blocks === undefined || size === undefined) return reading;
  return { ...reading, figures: { ...reading.figures, kvTokens: { ...blocks, value: blocks.value * size.value } } };
}
