import type { Cited, EngineArgument, EngineFigures } from '../../model/engine-reader.ts';
import type { Hit } from '../../model/log-reading.ts';
import { effectiveArgument, parseCount } from '../arguments.ts';
import { citeHit, createReader, type PlacedHit } from './reader.ts';

const GIB = 1024 ** 3;
/** Tokens of a KV block where none is set (vllm/config/cache.py). */
const BLOCK_TOKENS = 16;

/** vLLM, V0 and V1, and the forks that print its lines. */
export const vllmReader = createReader({
  engine: 'vllm',
  name: /(?:^|[/._-])vllm(?:$|[/._-])/i,
  image: /vllm|kaito-base/i,
  // Frames and graph captures look the same in engines that were forked from vLLM.
  phrases: /^(?:vllm\.(?!req\.|die\.terminated|graph\.|(?:start|run)\.frame)|phase\.vllm-)/,
  versions: ['vllm.cfg.version', 'vllm.cfg.version-new', 'vllm.cfg.engine-config', 'vllm.run.dump'],
  milestones: {
    started: ['phase.vllm-platform', 'vllm.cfg.version', 'vllm.cfg.version-new', 'vllm.cfg.engine-config'],
    'load-begin': ['phase.vllm-load-begin', 'phase.vllm-shards'],
    'load-end': ['vllm.num.model-loading', 'vllm.num.model-loading-v0', 'phase.vllm-weights-took'],
    profiled: [
      'vllm.num.available-kv',
      'vllm.num.kv-bytes-manual',
      'phase.vllm-profiled-v0',
      'vllm.num.profiling-v0',
      'vllm.num.profiling-v0-split',
    ],
    'kv-allocated': ['vllm.num.kv-tokens', 'vllm.num.blocks-v0', 'vllm.num.concurrency', 'vllm.num.concurrency-joined'],
    'graphs-begin': ['vllm.graph.progress', 'phase.vllm-capture-begin-v0'],
    'graphs-end': ['vllm.num.graph-capture'],
    ready: ['phase.vllm-engine-ready', 'phase.vllm-serving', 'phase.uvicorn-ready'],
    served: ['phase.http-served', 'phase.vllm-request', 'vllm.run.dump'],
  },
  isServing: (hit) => isStats(hit) && SERVING.some((name) => Number(hit.captures[name] ?? 0) > 0),
  figures: readFigures,
});

const SERVING = ['running', 'waiting', 'pending', 'promptTps', 'genTps'];

function isStats(hit: Hit): boolean {
  return hit.id === 'vllm.run.stats-v1' || hit.id === 'vllm.run.stats-v0';
}

type Source = { readonly id: string; readonly capture: string };

// Where a figure stands in several lines, the one that is printed last in a start is the truest.
const WEIGHTS: readonly Source[] = [
  { id: 'vllm.num.model-loading', capture: 'gib' },
  { id: 'vllm.num.model-loading-v0', capture: 'gib' },
  { id: 'vllm.num.profiling-v0-split', capture: 'weights' },
  { id: 'vllm.num.usage-hint', capture: 'weights' },
];
const KV: readonly Source[] = [
  { id: 'vllm.start.kv-needed-v1', capture: 'available' },
  { id: 'vllm.num.available-kv', capture: 'gib' },
  { id: 'vllm.num.kv-bytes-manual', capture: 'kv' },
  { id: 'vllm.num.profiling-v0-split', capture: 'kv' },
];
const KV_NEEDED: readonly Source[] = [{ id: 'vllm.start.kv-needed-v1', capture: 'needed' }];
const GRAPHS: readonly Source[] = [
  { id: 'vllm.num.graph-pool', capture: 'actual' },
  { id: 'vllm.num.graph-capture', capture: 'gib' },
  { id: 'vllm.num.graph-estimate', capture: 'gib' },
];
const KV_TOKENS: readonly Source[] = [
  { id: 'vllm.num.kv-tokens', capture: 'tokens' },
  { id: 'vllm.num.concurrency-joined', capture: 'tokens' },
  { id: 'vllm.start.max-len-v0', capture: 'capacity' },
];
const ESTIMATE: readonly Source[] = [{ id: 'vllm.start.estimated-len', capture: 'estimate' }];
const CONCURRENCY: readonly Source[] = [
  { id: 'vllm.num.concurrency', capture: 'x' },
  { id: 'vllm.num.concurrency-joined', capture: 'x' },
];

function readFigures(hits: readonly PlacedHit[], args: readonly EngineArgument[]): EngineFigures {
  const kvTokens = figure(hits, KV_TOKENS) ?? tokensOfBlocks(hits, args);
  const figures: Record<keyof EngineFigures, Cited<number> | undefined> = {
    weightsBytes: figure(hits, WEIGHTS, GIB),
    kvBytes: figure(hits, KV, GIB),
    kvNeededBytes: figure(hits, KV_NEEDED, GIB),
    kvTokens,
    graphBytes: figure(hits, GRAPHS, GIB),
    estimatedMaxLen: figure(hits, ESTIMATE),
    maxConcurrency: figure(hits, CONCURRENCY),
  };
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
}

function figure(hits: readonly PlacedHit[], sources: readonly Source[], factor = 1): Cited<number> | undefined {
  for (const { id, capture } of sources) {
    const placed = hits.find(({ hit }) => hit.id === id && hit.captures[capture] !== undefined);
    const value = placed && Number((placed.hit.captures[capture] ?? '').replaceAll(',', ''));
    if (placed !== undefined && value !== undefined && Number.isFinite(value)) {
      return { value: value * factor, from: citeHit(placed) };
    }
  }
  return undefined;
}

// V0 prints blocks instead of tokens.
function tokensOfBlocks(hits: readonly PlacedHit[], args: readonly EngineArgument[]): Cited<number> | undefined {
  const blocks = figure(hits, [{ id: 'vllm.num.blocks-v0', capture: 'gpuBlocks' }]);
  const size = parseCount(effectiveArgument(args, '--block-size')?.value ?? null) ?? BLOCK_TOKENS;
  return blocks && { value: blocks.value * size, from: blocks.from };
}
