import { describe, expect, it } from 'vitest';
import { compareFlags, readHelp } from '../../scripts/flag-differences.ts';

// Excerpts in the form that each engine prints.
const LLAMA_CPP = `
----- common params -----

-h,    --help, --usage                  print usage and exit
-c,    --ctx-size N                     size of the prompt context (default: 0, 0 = loaded from model)
                                        (env: LLAMA_ARG_CTX_SIZE)
-ub,   --ubatch-size N                  physical maximum batch size (default: 1024)
                                        (env: LLAMA_ARG_UBATCH)
-lm,   --load-mode MODE                 how the model is loaded: none, mmap, mlock, dio (default: mmap)
                                        (env: LLAMA_ARG_LOAD_MODE)
       --brand-new N                    a flag that nobody has read (default: 3)
`;
const VLLM = `
options:
  --gpu-memory-utilization GPU_MEMORY_UTILIZATION, --gpu_memory_utilization GPU_MEMORY_UTILIZATION
                        The fraction of GPU memory to be used for the model
                        executor. (default: 0.92)
  --enable-prefix-caching, --no-enable-prefix-caching
                        Whether to enable prefix caching. (default: True)
  --tensor-parallel-size TENSOR_PARALLEL_SIZE, -tp TENSOR_PARALLEL_SIZE
                        Number of tensor parallel groups. (default: 1)
  --cpu-offload-gb CPU_OFFLOAD_GB
                        The space in GiB to offload to CPU. (default: 4)
`;
const SGLANG = `
  --cuda-graph-max-bs-decode CUDA_GRAPH_MAX_BS_DECODE
                        Maximum batch size captured for the decode cuda graph.
  --disable-cuda-graph  Deprecated. Use --cuda-graph-backend-{decode,prefill}=disabled instead.
  --max-prefill-tokens MAX_PREFILL_TOKENS
                        The maximum number of tokens in a prefill batch. (default: 16384)
`;

describe('the flags of an engine against our tables', () => {
  it('reads names with their spellings, and defaults', () => {
    expect(readHelp(LLAMA_CPP)).toContainEqual({ names: ['-c', '--ctx-size'], value: '0' });
    expect(readHelp(VLLM)[1]).toEqual({
      names: ['--enable-prefix-caching', '--no-enable-prefix-caching'],
      value: 'True',
    });
    expect(readHelp(VLLM)[2]?.names).toEqual(['--tensor-parallel-size', '-tp']);
    expect(readHelp(SGLANG).map(({ names }) => names)).toEqual([
      ['--cuda-graph-max-bs-decode'],
      ['--disable-cuda-graph'],
      ['--max-prefill-tokens'],
    ]);
  });

  it('names what we do not know, what is gone and what has another default', () => {
    const { unknown, gone, defaults } = compareFlags('llama.cpp', 'b11434', readHelp(LLAMA_CPP));

    expect(unknown).toEqual(['--usage', '--brand-new']);
    expect(gone).toContain('--cache-ram');
    expect(defaults).toEqual([{ flag: '--ubatch-size', ours: '512', theirs: '1024' }]);
  });

  it('asks no version for what it never had, or no longer has', () => {
    expect(compareFlags('llama.cpp', 'b11434', []).gone).not.toContain('--no-mmap');
    expect(compareFlags('llama.cpp', 'b9000', []).gone).toContain('--no-mmap');
    expect(compareFlags('sglang', '0.5.23', readHelp(SGLANG)).gone).not.toContain('--cuda-graph-max-bs');
    expect(compareFlags('sglang', '0.5.19', readHelp(SGLANG)).gone).toContain('--cuda-graph-max-bs');
  });

  it('takes the defaults of that version', () => {
    expect(compareFlags('vllm', '0.32.0', readHelp(VLLM)).defaults).toEqual([
      { flag: '--cpu-offload-gb', ours: '0', theirs: '4' },
    ]);
    expect(compareFlags('vllm', '0.20.0', readHelp(VLLM)).defaults).toContainEqual({
      flag: '--gpu-memory-utilization',
      ours: '0.9',
      theirs: '0.92',
    });
  });
});
