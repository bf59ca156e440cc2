import type { EngineReading } from '../../model/engine-reader.ts';
import type { Hit } from '../../model/log-reading.ts';
import { GIB } from '../../model/quantity.ts';
import { effectiveArgument, parseCount } from './arguments.ts';
import { citeHit, type FigureTable, type PlacedHit } from './figures.ts';
import { createReader } from './reader.ts';

/** Tokens of a KV block where none is set (vllm/config/cache.py). */
const BLOCK_TOKENS = 16;

// Where a figure stands in several lines, the one that is printed last in a start is the truest.
const FIGURES: FigureTable = {
  totalBytes: [
    { id: 'vllm.num.usage-hint', capture: 'total', factor: GIB },
    { id: 'vllm.start.free-less-than-desired', capture: 'total', factor: GIB },
    { id: 'vllm.num.profiling-v0', capture: 'total', factor: GIB },
  ],
  weightsBytes: [
    { id: 'vllm.num.model-loading', capture: 'gib', factor: GIB },
    { id: 'vllm.num.model-loading-v0', capture: 'gib', factor: GIB },
    { id: 'vllm.num.profiling-v0-split', capture: 'weights', factor: GIB },
    { id: 'vllm.num.profiling-v1', capture: 'weights', factor: GIB },
    { id: 'vllm.num.usage-hint', capture: 'weights', factor: GIB },
  ],
  activationBytes: [
    { id: 'vllm.num.usage-hint', capture: 'activation', factor: GIB },
    { id: 'vllm.num.profiling-v0-split', capture: 'activation', factor: GIB },
    { id: 'vllm.num.profiling-v1', capture: 'activation', factor: GIB },
  ],
  nonTorchBytes: [
    { id: 'vllm.num.usage-hint', capture: 'nonTorch', factor: GIB },
    { id: 'vllm.num.profiling-v0-split', capture: 'nonTorch', factor: GIB },
    { id: 'vllm.num.profiling-v1', capture: 'nonTorch', factor: GIB },
  ],
  graphBytes: [
    { id: 'vllm.num.graph-pool', capture: 'actual', factor: GIB },
    { id: 'vllm.num.graph-capture', capture: 'gib', factor: GIB },
    { id: 'vllm.num.usage-hint', capture: 'graphs', factor: GIB },
    { id: 'vllm.num.graph-estimate', capture: 'gib', factor: GIB },
  ],
  kvBytes: [
    { id: 'vllm.start.kv-needed-v1', capture: 'available', factor: GIB },
    { id: 'vllm.num.available-kv', capture: 'gib', factor: GIB },
    { id: 'vllm.num.kv-bytes-manual', capture: 'kv', factor: GIB },
    { id: 'vllm.num.profiling-v0-split', capture: 'kv', factor: GIB },
  ],
  kvNeededBytes: [{ id: 'vllm.start.kv-needed-v1', capture: 'needed', factor: GIB }],
  kvBlocks: [
    { id: 'vllm.num.overriding-blocks', capture: 'to' },
    { id: 'vllm.num.blocks-v0', capture: 'gpuBlocks' },
  ],
  kvTokens: [
    { id: 'vllm.num.kv-tokens', capture: 'tokens' },
    { id: 'vllm.num.concurrency-joined', capture: 'tokens' },
    { id: 'vllm.start.max-len-v0', capture: 'capacity' },
  ],
  estimatedMaxLen: [{ id: 'vllm.start.estimated-len', capture: 'estimate' }],
  maxSeqs: [{ id: 'vllm.start.state-blocks', capture: 'seqs' }],
  maxConcurrency: [
    { id: 'vllm.num.concurrency', capture: 'x' },
    { id: 'vllm.num.concurrency-joined', capture: 'x' },
  ],
  fraction: [
    { id: 'vllm.start.free-less-than-desired', capture: 'util' },
    { id: 'vllm.num.usage-hint', capture: 'util' },
    { id: 'vllm.num.profiling-v0', capture: 'util' },
  ],
  maxModelLen: [
    { id: 'vllm.num.autofit', capture: 'to' },
    { id: 'vllm.num.concurrency', capture: 'maxModelLen' },
    { id: 'vllm.num.concurrency-joined', capture: 'maxModelLen' },
    { id: 'vllm.start.kv-needed-v1', capture: 'maxModelLen' },
    { id: 'vllm.start.max-len-v0', capture: 'maxModelLen' },
  ],
  batchedTokens: [{ id: 'vllm.num.chunked-prefill', capture: 'n' }],
};

/** vLLM, V0 and V1, and the forks that print its lines. */
export const vllmReader = createReader({
  engine: 'vllm',
  // vllm.rs is an engine of its own.
  name: /(?:^|[/._-])vllm(?:$|[/_-]|\.(?!rs\b))/i,
  image: /vllm(?!-project\/)|kaito-base/i,
  // Frames and graph captures look the same in engines that were forked from vLLM.
  phrases: /^(?:vllm\.(?!req\.|die\.terminated|graph\.|(?:start|run)\.frame)|phase\.vllm-)/,
  versions: [
    'vllm.cfg.version',
    'vllm.cfg.version-new',
    'vllm.cfg.version-logo',
    'vllm.cfg.engine-config',
    'vllm.run.dump',
  ],
  // `determine_available_memory` runs the largest batch before the pool is sized (vllm/v1/worker/gpu_worker.py).
  trialRun: true,
  milestones: {
    started: [
      'phase.vllm-platform',
      'vllm.cfg.version',
      'vllm.cfg.version-new',
      'vllm.cfg.version-logo',
      'vllm.cfg.engine-config',
    ],
    'load-begin': ['phase.vllm-load-begin', 'phase.vllm-shards'],
    'load-end': [
      'vllm.num.model-loading',
      'vllm.num.model-loading-v0',
      'phase.vllm-weights-took',
      'vllm.num.encoder-cache',
      'phase.vllm-profile-begin',
    ],
    profiled: [
      'vllm.num.available-kv',
      'vllm.num.kv-bytes-manual',
      'phase.vllm-profiled-v0',
      'vllm.num.profiling-v0',
      'vllm.num.profiling-v0-split',
    ],
    'kv-allocated': ['vllm.num.kv-tokens', 'vllm.num.blocks-v0', 'vllm.num.concurrency', 'vllm.num.concurrency-joined'],
    'graphs-begin': ['vllm.graph.progress', 'phase.vllm-capture-begin-v0', 'vllm.graph.hint-v0'],
    'graphs-end': ['vllm.num.graph-capture'],
    ready: ['phase.vllm-engine-ready', 'phase.vllm-serving', 'phase.uvicorn-ready'],
    served: ['phase.http-served', 'phase.vllm-request', 'vllm.run.dump'],
  },
  isServing: (hit) => isStats(hit) && SERVING.some((name) => Number(hit.captures[name] ?? 0) > 0),
  generation: readGeneration,
  figures: FIGURES,
  complete,
});

const SERVING = ['running', 'waiting', 'pending', 'promptTps', 'genTps'];

function isStats(hit: Hit): boolean {
  return hit.id === 'vllm.run.stats-v1' || hit.id === 'vllm.run.stats-v0';
}

const ONLY_V0 = /-v0(?:-|$)|^vllm\.(?:die\.(?:mq-|async-dead|bg-task|worker-v0)|run\.preempt-v0)/;
const ONLY_V1 =
  /-v1$|^vllm\.(?:die\.(?:core-|engine-dead|init-failed|worker-proc)|run\.dump|num\.(?:available-kv|kv-tokens))/;

// The line of the engine names it from 0.7 on; before and behind that other lines belong to one of the two only.
function readGeneration(hits: readonly PlacedHit[]): EngineReading['generation'] {
  for (const placed of hits) {
    const { id, captures } = placed.hit;
    if (captures.gen === 'V0' || captures.gen === 'V1') return { value: captures.gen, from: citeHit(placed) };
    if (!id.startsWith('vllm.')) continue;
    if (ONLY_V1.test(id)) return { value: 'V1', from: citeHit(placed) };
    if (ONLY_V0.test(id)) return { value: 'V0', from: citeHit(placed) };
  }
  return undefined;
}

// V0 prints blocks instead of tokens.
function complete(reading: EngineReading): EngineReading {
  const { kvBlocks, kvTokens } = reading.figures;
  if (kvTokens !== undefined || kvBlocks === undefined) return reading;
  const size = parseCount(effectiveArgument(reading.args, '--block-size')?.value ?? null) ?? BLOCK_TOKENS;
  return { ...reading, figures: { ...reading.figures, kvTokens: { ...kvBlocks, value: kvBlocks.value * size } } };
}
