import type { Citation } from '../../model/citation.ts';
import { citeHit, type Weighing } from './weigh.ts';

const BUFFER = 'llamacpp.num.kv-buffer';
/** What is printed once the pool is whole. */
const WHOLE = 'llamacpp.num.kv';
const REFUSED = 'llamacpp.cudamalloc';

/**
 * The refusal of a device whose part of the KV pool is next: llama.cpp takes the pool device by device, in their order, and
 * prints each part; the buffers of a forward pass begin with the first device again (ggml-org/llama.cpp
 * src/llama-kv-cache.cpp, constructor; src/llama-context.cpp).
 */
export function readKvInOrder({ decisive, all }: Weighing): Citation | undefined {
  if (decisive?.phrase.id !== REFUSED) return undefined;
  const above = all.filter(({ hit, file }) => file === decisive.file && hit.line < decisive.hit.line);
  const parts = above.filter(({ phrase }) => phrase.id === BUFFER);
  const last = Math.max(...parts.map(({ hit }) => deviceOf(hit.captures.buf)).filter((device) => device >= 0));
  const isWhole = above.some(({ phrase }) => phrase.id === WHOLE);
  return !isWhole && deviceOf(decisive.hit.captures.gpu) > last && last >= 0 ? citeHit(decisive) : undefined;
}

function deviceOf(name = ''): number {
  return Number(/^(?:CUDA|ROCm|MUSA|Vulkan|SYCL)?(\d{1,2})$/.exec(name)?.[1] ?? Number.NaN);
}
