import type { EngineClues, EngineInput, EngineReader, EngineReading } from '../../model/engine-reader.ts';
import { createReader } from './reader.ts';

/** Engines that are known by their phrases only: enough for the name, the milestones and the arguments. */
export const OTHER_READERS: readonly EngineReader[] = [
  createReader({
    engine: 'sglang',
    name: /(?:^|[/._-])sglang(?:$|[/._-])/i,
    image: /sglang/i,
    phrases: /^(?:sglang\.|phase\.sglang-)/,
    milestones: {
      started: ['sglang.cfg.server-args'],
      'load-begin': ['sglang.num.weights-begin'],
      'load-end': ['sglang.num.weights'],
      'kv-allocated': ['sglang.num.kv', 'sglang.num.pool-end', 'sglang.num.kv-post-capture'],
      'graphs-begin': ['vllm.graph.progress'],
      'graphs-end': ['sglang.num.graph-end'],
      ready: ['phase.sglang-ready', 'phase.uvicorn-ready'],
      served: ['sglang.num.decode-batch', 'phase.http-served'],
    },
  }),
  createReader({
    engine: 'tgi',
    name: /text[-_]generation[-_](?:inference|launcher|server|router)|(?:^|[/._-])tgi(?:$|[/._-])/i,
    image: /text-generation-inference|(?:^|[/._-])tgi(?:$|[:/._-])/i,
    phrases: /^(?:tgi\.|phase\.tgi-)/,
    milestones: {
      'load-begin': ['tgi.shard.waiting'],
      'load-end': ['phase.tgi-shard-ready'],
      'kv-allocated': ['tgi.num.kv-blocks', 'tgi.num.max-total'],
      ready: ['phase.tgi-ready'],
      served: ['tgi.run.generation-oom'],
    },
  }),
  createReader({
    engine: 'llama.cpp',
    name: /llama[._-]?(?:cpp|server|cli)/i,
    image: /llama[._-]?cpp/i,
    phrases: /^(?:llamacpp\.|phase\.llamacpp-)/,
    milestones: { ready: ['phase.llamacpp-ready'] },
  }),
  createReader({
    engine: 'ollama',
    name: /(?:^|[/._-])ollama(?:$|[/._-])/i,
    image: /ollama/i,
    phrases: /^(?:ollama\.|phase\.ollama-)/,
    milestones: { ready: ['phase.ollama-started'] },
  }),
];

/** For a log of an engine that nobody knows: arguments, and the milestones of servers that several engines share. */
export const unknownReader: EngineReader = {
  engine: 'unknown',
  detect: (_clues: EngineClues) => 0.01,
  read: (input: EngineInput): EngineReading => ({
    ...UNKNOWN.read(input),
    engine: input.declared ?? 'unknown',
  }),
};

const UNKNOWN = createReader({
  engine: 'unknown',
  name: /(?!)/,
  image: /(?!)/,
  phrases: /(?!)/,
  milestones: { ready: ['phase.uvicorn-ready'], served: ['phase.http-served'] },
});
