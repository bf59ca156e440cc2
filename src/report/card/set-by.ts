import type { Facts } from '../../model/fact.ts';
import { bold, plain, type Span } from '../../model/message.ts';
import type { Diagnosis } from '../../model/verdict.ts';

// trtllm-build and trtllm-serve of NVIDIA/TensorRT-LLM; config.pbtxt of triton-inference-server/tensorrtllm_backend.
const WHERE: Readonly<Record<string, string>> = {
  build:
    'The limits of this engine (length, sequences, tokens of a pass) were fixed when it was built: they change by building it again (trtllm-build --max_seq_len, --max_batch_size, --max_num_tokens). When it starts only the share of the memory that is free after the weights can be set, kv_cache_free_gpu_mem_fraction in config.pbtxt of Triton, --kv_cache_free_gpu_memory_fraction of trtllm-serve: less leaves room for a failed allocation, more gives the cache room.',
  repository:
    'Triton reads these limits from config.pbtxt in its model repository (max_batch_size, kv_cache_free_gpu_mem_fraction); no argument of the container changes them.',
  file: 'The file that is given with --config (or --extra_llm_api_options) overrides the command line of trtllm-serve: change the values there.',
};

/** Where the limits of TensorRT-LLM are changed if not by arguments. */
export function setByItems({ verdict }: Diagnosis, facts: Facts): Span[][] {
  const found = facts.get('engine.set-by');
  const where = found?.kind === 'known' ? WHERE[String(found.value)] : undefined;
  if (where === undefined || (verdict.plane !== 'gpu' && verdict.plane !== 'both')) return [];
  return [[bold('Where: '), plain(where)]];
}
