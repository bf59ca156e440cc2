import type { Cited } from '../../model/engine-reader.ts';
import { effectiveArgument, parseCount } from '../../read/engine/arguments.ts';
import type { Evidence } from '../evidence/evidence.ts';

// Load generators that come with engines or are made for them.
const GENERATOR = /(?:^|[/.])(?:bench_serving|benchmark_serving|genai-perf|guidellm|evalscope)(?:\.py)?$/;
// How many requests they keep under way at once; without one of these all are sent as they come, which is at once unless a
// rate is given (sgl-project/sglang python/sglang/bench_serving.py, vllm-project/vllm vllm/benchmarks/serve.py).
const AT_ONCE = ['--max-concurrency', '--concurrency'];
const IN_ALL = ['--num-prompts', '--num-prompt'];

/** How many requests a load generator among the arguments sends at once. */
export function readOffered({ args, program }: Pick<Evidence, 'args' | 'program'>): Cited<number> | undefined {
  const words = program.words.map(({ value }) => value);
  const isGenerator = words.some((word, i) => GENERATOR.test(word) || (word === 'bench' && words[i + 1] === 'serve'));
  if (!isGenerator) return undefined;
  const rate = effectiveArgument(args, '--request-rate')?.value;
  const flags = rate == null || rate === 'inf' ? [...AT_ONCE, ...IN_ALL] : AT_ONCE;
  for (const flag of flags) {
    const found = effectiveArgument(args, flag);
    const value = parseCount(found?.value ?? null);
    if (found !== undefined && value !== undefined) return { value, from: found.from };
  }
  return undefined;
}
