import { anyOf } from '../../read/text/patterns.ts';
import { FAILS, type Family, family } from './family.ts';

// The call that ggml names below its error, whose own line is lost: room for its pool, which grows with what it computes
// (ggml-org/ggml src/ggml-cuda/ggml-cuda.cu, ggml_cuda_pool_vmm and ggml_cuda_pool_leg).
export const POOL_OF_GGML: Family = {
  ...family(
    'gpu',
    ['gpu.startup.profiling', 'gpu.burst.headroom'],
    anyOf(
      '',
      /\bin function (?:alloc|ggml_cuda_pool_malloc\w{0,12}|ggml_cuda_device_malloc)\b/,
      /\bggml_cuda_pool_(?:vmm|leg)::alloc\b/,
      /^\s*(?:cuMemCreate|cuMemSetAccess|cuMemAddressReserve|ggml_cuda_device_malloc)\(&?\w/,
    ),
    FAILS,
  ),
  unless: /\b(?:CUDA|HIP|MUSA|ROCm) error: (?!out of memory)\w/,
};

/** Whether a line names a pool of ggml's that could not grow. */
export function namesPoolOfGgml(text: string): boolean {
  return POOL_OF_GGML.pattern.test(text);
}
