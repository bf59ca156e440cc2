import { SET_BY, type SetBy, takesArguments } from './knob-spelling.ts';

/** Why no argument sets the limits of an engine, and the way to change them all the same. */
export type FixedLimits = { readonly why: string; readonly way: string };

// trtllm-build and trtllm-serve of NVIDIA/TensorRT-LLM; config.pbtxt of triton-inference-server/tensorrtllm_backend.
const FIXED: Readonly<Record<Exclude<SetBy, 'command-line'>, FixedLimits>> = {
  build: {
    why: 'the limits of this engine (length, sequences, tokens of a pass) were fixed when it was built, and change by building it again',
    way: 'trtllm-build takes --max_seq_len, --max_batch_size and --max_num_tokens. When the engine starts only the share of the memory that is free after the weights can be set, kv_cache_free_gpu_mem_fraction in config.pbtxt of Triton, --kv_cache_free_gpu_memory_fraction of trtllm-serve: less leaves room for a failed allocation, more gives the cache room.',
  },
  file: {
    why: 'a file given with --config (or --extra_llm_api_options) overrides the command line of trtllm-serve',
    way: 'change the values there.',
  },
  repository: {
    why: 'Triton reads the limits from config.pbtxt in its model repository',
    way: 'max_batch_size and kv_cache_free_gpu_mem_fraction stand there, and no argument of the container changes them.',
  },
};

/** The same of an engine; undefined where arguments set its limits. Without a way where nothing tells what does. */
export function fixedLimits(engine: string, told: unknown): Partial<FixedLimits> | undefined {
  const setBy = SET_BY.find((one) => one === told);
  if (setBy === 'command-line' || takesArguments({ engine, setBy })) return undefined;
  return setBy === undefined
    ? { why: 'nothing tells whether its limits are set by arguments of trtllm-serve' }
    : FIXED[setBy];
}
