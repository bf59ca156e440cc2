import type { EngineReading } from '../../model/engine-reader.ts';
import type { Hit } from '../../model/log-reading.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { effectiveArgument, parseCount } from './arguments.ts';
import { citeHit, type PlacedHit } from './figures.ts';
import { createReader } from './reader.ts';

/** Tokens of a KV block where none is set (vllm/config/cache.py). */
const BLOCK_TOKENS = 16;

/** vLLM, V0 and V1, and the forks that print its lines. */
export const vllmReader = createReader({
  engine: 'vllm',
  // vllm.rs is an engine of its own.
  name: /(?:^|[/._-])vllm(?:$|[/_-]|\.(?!rs\b))/i,
  image: /vllm(?!-project\/)|kaito-base/i,
  // `determine_available_memory` runs the largest batch before the pool is sized (vllm/v1/worker/gpu_worker.py).
  trialRun: true,
  others: { ready: ['uvicorn'], served: ['uvicorn'] },
  isServing,
  generation: readGeneration,
  // V0 prints blocks instead of tokens.
  tokensOfBlock: ({ args }) => parseCount(effectiveArgument(args, '--block-size')?.value ?? null) ?? BLOCK_TOKENS,
});

const SERVING = ['running', 'waiting', 'pending', 'promptTps', 'genTps'];

function isServing({ signature, captures }: Hit): boolean {
  const isStats = signature.engine === 'vllm' && hasRole(signature, 'stats');
  return isStats && SERVING.some((name) => Number(captures[name] ?? 0) > 0);
}

// The line of the engine names it from 0.7 on; before and behind that other lines belong to one of the two only.
function readGeneration(hits: readonly PlacedHit[]): EngineReading['generation'] {
  for (const placed of hits) {
    const { signature, captures } = placed.hit;
    if (captures.gen === 'V0' || captures.gen === 'V1') return { value: captures.gen, from: citeHit(placed) };
    if (hasRole(signature, 'v1')) return { value: 'V1', from: citeHit(placed) };
    if (hasRole(signature, 'v0')) return { value: 'V0', from: citeHit(placed) };
  }
  return undefined;
}
