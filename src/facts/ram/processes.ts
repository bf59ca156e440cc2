import { GIB } from '../../model/quantity.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { ranksShown } from './offload-lines.ts';
import { enginesOfNode } from './ranks.ts';

/** Processes of an engine on this node, and the RAM that they may hold by themselves. */
export type Processes = { readonly count: number; readonly bytes: number };

// Budget arithmetic: a Python process with CUDA holds up to 3 GiB, and so does a server of llama.cpp with its buffers.
const PROCESS_BYTES = 3 * GIB;
// Beside the ranks there are the server and the core of each engine, or its tokenizer and detokenizer.
const SERVER = 1;
const OF_RANKS: ReadonlySet<string> = new Set(['vllm', 'sglang', 'tgi', 'lmdeploy', 'tensorrt-llm']);
// One program that holds the model, whatever the number of cards (ggml-org/llama.cpp tools/server; ollama/ollama runner).
const OF_ONE: ReadonlySet<string> = new Set(['llama.cpp', 'ollama']);

/** The processes of a known engine. */
export function processesOf(evidence: Evidence): Processes | undefined {
  const { engine } = evidence.engine;
  if (OF_ONE.has(engine)) return withBytes(1);
  return OF_RANKS.has(engine) ? withBytes(ranksShown(evidence) + SERVER + enginesOfNode(evidence.args)) : undefined;
}

function withBytes(count: number): Processes {
  return { count, bytes: count * PROCESS_BYTES };
}
