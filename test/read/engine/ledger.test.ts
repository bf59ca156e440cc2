import { describe, expect, it } from 'vitest';
import type { EngineFigures } from '../../../src/model/engine-reader.ts';
import { readEngine } from '../../../src/read/engine/index.ts';
import { anInput } from './an-input.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/** Figures in one unit, without `Bytes` in their names: `gib({ total: 80 })`. */
const sized = (unit: number) => (figures: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${name}Bytes`, value * unit]));
const [gib, mib] = [sized(GIB), sized(MIB)];

type Figures = Partial<Record<keyof EngineFigures, number>>;
/** The first word of a row is the engine. */
type Row = readonly [what: string, figures: Figures, ...lines: readonly string[]];

const TABLE: readonly Row[] = [
  [
    'vLLM 0.4 to 0.7',
    {
      ...gib({ total: 15.77, weights: 14.9888, activation: 2.53, nonTorch: 0.39, kv: 3.76 }),
      fraction: 0.9,
      kvBlocks: 3852,
      kvTokens: 61_632,
      maxConcurrency: 1.54,
      maxModelLen: 40_000,
    },
    'INFO 12-17 02:31:01 model_runner.py:1077] Loading model weights took 14.9888 GB',
    'INFO 12-17 02:31:10 worker.py:241] the current vLLM instance can use total_gpu_memory (15.77GiB) x gpu_memory_utilization (0.90) = 14.20GiB',
    'INFO 12-17 02:31:10 worker.py:241] model weights take 7.51GiB; non_torch_memory takes 0.39GiB; PyTorch activation peak memory takes 2.53GiB; the rest of the memory reserved for KV Cache is 3.76GiB.',
    'INFO 12-17 02:31:11 gpu_executor.py:76] # GPU blocks: 3852, # CPU blocks: 4096',
    'INFO 12-17 02:31:11 gpu_executor.py:80] Maximum concurrency for 40000 tokens per request: 1.54x',
  ],
  [
    'vLLM from 0.11',
    { ...gib({ total: 79.1, weights: 14.99, activation: 1.21, nonTorch: 0.12, graph: 0.55 }), fraction: 0.9 },
    '(EngineCore_DP0 pid=1) INFO 09-10 10:00:00 [gpu_worker.py:400] Free memory on device (78.57/79.1 GiB) on startup. Desired GPU memory utilization is (0.9, 71.19 GiB). Actual usage is 14.99 GiB for weight, 1.21 GiB for peak activation, 0.12 GiB for non-torch memory, and 0.55 GiB for CUDAGraph memory. Replace gpu_memory_utilization config with `--kv-cache-memory=5`',
  ],
  [
    'vLLM 0.32 on the processor, whose pool is RAM',
    { ...gib({ checkpoint: 15.26, kv: 6.43 }), kvTokens: 3_371_264, maxModelLen: 2048, maxConcurrency: 1646.12 },
    '(Worker pid=1) INFO 11-28 14:32:56 [weight_utils.py:1108] Filesystem type for checkpoints: EXT4. Checkpoint size: 15.26 GiB. Available RAM: 16.90 GiB.',
    '(Worker pid=1) INFO 11-28 14:32:56 [cpu_worker.py:260] Auto set (6.43/23.54) GiB for KV cache on node 0, with 7.06 GiB requested memory for the worker. 0.63 GiB memory was consumed by non-kv usages.',
    '(EngineCore pid=2) INFO 11-28 14:32:56 [kv_cache_utils.py:2327] CPU KV cache size: 3,371,264 tokens, Maximum concurrency for 2,048 tokens per request: 1646.12x',
  ],
  [
    'vLLM 0.32 whose pool was set, and the one in use',
    gib({ kv: 1 }),
    '(Worker pid=1) INFO 11-28 14:02:56 [cpu_worker.py:260] Explicitly set (1.0/23.54) GiB for KV cache on node 0.',
    'to fully utilize gpu memory. Current kv cache memory in use is 34.76 GiB.',
  ],
  [
    'vLLM from 0.11, of which the end of the account is left',
    gib({ kv: 34.76 }),
    'to fully utilize gpu memory. Current kv cache memory in use is 34.76 GiB.',
  ],
  [
    'vLLM from 0.14, length fitted to memory',
    { ...gib({ graph: 0.55 }), maxModelLen: 52_416, kvTokens: 163_168, maxConcurrency: 3.98 },
    'Auto-fit max_model_len: reduced from 131072 to 52416 to fit in available GPU memory (6.4 GiB available for KV cache)',
    'CUDA graph pool memory: 0.55 GiB (actual), 0.36 GiB (estimated), difference: 0.19 GiB (34.5%).',
    'GPU KV cache size: 163,168 tokens, Maximum concurrency for 40,960 tokens per request: 3.98x',
  ],
  [
    'SGLang 0.4.1',
    {
      ...gib({ loadLeft: 63.72, kv: 54.26, free: 8.34 }),
      kvTokens: 444_500,
      maxModelLen: 131_072,
      maxSeqs: 2049,
      batchedTokens: 16_384,
    },
    '[2025-01-23 19:35:20 TP0] Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=63.72 GB',
    '[2025-01-23 19:35:20 TP0] KV Cache is allocated. K size: 27.13 GB, V size: 27.13 GB.',
    '[2025-01-23 19:35:20 TP0] Memory pool end. avail mem=8.34 GB',
    '[2025-01-23 19:35:27 TP0] Capture cuda graph end. Time elapsed: 6.57 s',
    '[2025-01-23 19:35:27 TP0] max_total_num_tokens=444500, max_prefill_tokens=16384, max_running_requests=2049, context_len=131072',
  ],
  [
    'SGLang 0.5',
    {
      ...gib({ weights: 15.07, loadLeft: 62.8, kv: 24.8, graph: 2.1, free: 7.41 }),
      kvTokens: 387_814,
      maxModelLen: 40_960,
      maxSeqs: 2048,
      batchedTokens: 8192,
    },
    '[2025-05-01 10:00:00 TP0] Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=62.80 GB, mem usage=15.07 GB.',
    '[TP0] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 387814, KV size: 24.80 GB',
    '[TP0] Capture target decode CUDA graph end. elapsed=12.01 s, mem usage=2.10 GB, avail mem=7.41 GB.',
    '[TP0] max_total_num_tokens=387814, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=2048, context_len=40960, available_gpu_mem=7.41 GB',
  ],
  [
    'SGLang 0.5.23, which captures decode and prefill apart',
    gib({ graph: 1.5, free: 4.1 }),
    `[TP0] Capture target decode CUDA graph end. bs=[${Array.from({ length: 80 }, (_, i) => 8 * i).join(', ')}], elapsed=7.00 s, mem usage=0.40 GB, avail mem=5.20 GB.`,
    '[TP0] Capture target prefill CUDA graph end. elapsed=9.00 s, mem usage=1.10 GB, avail mem=4.10 GB.',
  ],
  [
    'SGLang with a draft model, whose load comes second',
    gib({ weights: 15.07, loadFree: 78.18, loadLeft: 60.1 }),
    '[TP0] Load weight begin. avail mem=78.18 GB',
    '[TP0] Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=62.80 GB, mem usage=15.07 GB.',
    '[TP0] Load weight begin. avail mem=62.80 GB',
    '[TP0] Load weight end. type=LlamaForCausalLMEagle, dtype=torch.bfloat16, avail mem=60.10 GB, mem usage=2.70 GB.',
  ],
  [
    'SGLang with chunks switched off',
    { kvTokens: 10, maxSeqs: 4, maxModelLen: 8, batchedTokens: 16_384 },
    '[TP0] max_total_num_tokens=10, chunked_prefill_size=-1, max_prefill_tokens=16384, max_running_requests=4, context_len=8',
  ],
  [
    'TGI 2.4 and later, before the router has spoken',
    { kvBlocks: 121_393, blockTokens: 1, kvTokens: 121_393 },
    'INFO text_generation_launcher: KV-cache blocks: 121393, size: 1',
  ],
  [
    'TGI 0.9 to 3.3',
    { kvTokens: 120_000, batchedTokens: 4096 },
    'INFO text_generation_launcher: Default `max_batch_prefill_tokens` to 4096',
    'INFO text_generation_router_v3: backends/v3/src/lib.rs:137: Setting max batch total tokens to 120000',
  ],
  [
    'TensorRT-LLM, C++ runtime',
    {
      ...gib({ kv: 4.53 }),
      ...mib({ weights: 15_320, activation: 928.77 }),
      maxSeqs: 64,
      maxModelLen: 4098,
      batchedTokens: 8192,
      kvTokens: 395_776,
    },
    '[TensorRT-LLM][INFO] TRTGptModel maxBatchSize: 64',
    '[TensorRT-LLM][INFO] TRTGptModel maxSequenceLen: 4098',
    '[TensorRT-LLM][INFO] TRTGptModel maxNumTokens: 8192',
    '[TensorRT-LLM][INFO] Loaded engine size: 15320 MiB',
    '[TensorRT-LLM][INFO] [MemUsageChange] Allocated 928.77 MiB for execution context memory.',
    '[TensorRT-LLM][INFO] [MemUsageChange] Allocated 4.53 GiB for max tokens in paged KV cache (395776).',
  ],
  [
    'TensorRT-LLM, PyTorch backend: the pool of the trial does not count',
    { ...gib({ total: 139.81, weights: 63.52, activation: 0.85, kv: 41.1 }), kvTokenBytes: 35_136, kvTokens: 524_288 },
    '[TensorRT-LLM][INFO] [MemUsageChange] Allocated 0.56 GiB for max tokens in paged KV cache (8224).',
    '[12/20/2025-04:21:50] [TRT-LLM] [I] Memory used after loading model weights (inside torch) in memory usage profiling: 63.52 GiB',
    '[12/20/2025-04:21:51] [TRT-LLM] [I] Memory dynamically allocated during inference (inside torch) in memory usage profiling: 0.85 GiB',
    '[12/20/2025-04:21:51] [TRT-LLM] [I] Peak memory during memory usage profiling (torch + non-torch): 91.46 GiB, available KV cache memory when calculating max tokens: 41.11 GiB, fraction is set 0.85, kv size is 35136. device total memory 139.81 GiB, , tmp kv_mem 0.56 GiB',
    '[TensorRT-LLM][INFO] [MemUsageChange] Allocated 41.10 GiB for max tokens in paged KV cache (524288).',
  ],
  [
    'LMDeploy, TurboMind from 0.14',
    mib({ kv: 51_200, free: 64_000 }),
    '[TM][INFO] Object cache budget: 51200.00 MB from free 64000.00 MB and ratio 0.800',
  ],
  [
    'LMDeploy, TurboMind to 0.10',
    { kvBlocks: 4301 },
    '[TM][INFO] [BlockManager] block_size = 8 MB',
    '[TM][INFO] [BlockManager] max_block_count = 4301',
  ],
  [
    'LMDeploy, PyTorch engine',
    { kvBlocks: 11_423, maxSeqs: 256 },
    'lmdeploy - INFO - base.py:183 - Building CacheEngine with config: ',
    'CacheConfig(max_batches=256, block_size=64, num_cpu_blocks=64, num_gpu_blocks=11423, window_size=-1, cache_max_entry_count=0.8)',
  ],
  [
    'llama.cpp on two cards: host buffers are no part of it',
    { ...mib({ weights: 8156, kv: 1024, activation: 560 }), kvTokens: 8192, maxModelLen: 8192 },
    'load_tensors:        CUDA0 model buffer size =  4155.99 MiB',
    'load_tensors:        CUDA1 model buffer size =  4000.01 MiB',
    'load_tensors:   CPU_Mapped model buffer size =   281.81 MiB',
    'llama_context: n_ctx         = 8192',
    'llama_kv_cache:      CUDA0 KV buffer size =   512.00 MiB',
    'llama_kv_cache:      CUDA1 KV buffer size =   512.00 MiB',
    'llama_kv_cache: size = 1024.00 MiB (  8192 cells,  32 layers,  1/1 seqs), K (f16):  512.00 MiB, V (f16):  512.00 MiB',
    'llama_context:      CUDA0 compute buffer size =   560.00 MiB',
    'llama_context:  CUDA_Host compute buffer size =    24.01 MiB',
  ],
  [
    'llama.cpp of 2024',
    { ...mib({ weights: 3847.55, kv: 1024, activation: 164 }), maxModelLen: 4096 },
    'llm_load_tensors:      CUDA0 buffer size =  3847.55 MiB',
    'llama_new_context_with_model: n_ctx      = 4096',
    'llama_kv_cache_init:      CUDA0 KV buffer size =  1024.00 MiB',
    'llama_new_context_with_model:      CUDA0 compute buffer size =   164.00 MiB',
  ],
  [
    'Ollama to 0.12: what its scheduler planned',
    { ...gib({ total: 79.1, free: 78.6, weights: 4.7, kv: 1 }), ...mib({ activation: 560 }) },
    'level=INFO source=types.go:131 msg="inference compute" id=GPU-4a1b library=cuda variant=v12 compute=8.0 driver=12.4 name="NVIDIA A100" total="79.1 GiB" available="78.6 GiB"',
    'level=INFO source=server.go:175 msg=offload library=cuda layers.requested=-1 layers.model=33 layers.offload=33 layers.split="" memory.available="[23.1 GiB]" memory.gpu_overhead="0 B" memory.required.full="6.2 GiB" memory.required.partial="6.2 GiB" memory.required.kv="1.0 GiB" memory.required.allocations="[6.2 GiB]" memory.weights.total="4.7 GiB" memory.weights.repeating="4.3 GiB" memory.weights.nonrepeating="411.0 MiB" memory.graph.full="560.0 MiB" memory.graph.partial="677.5 MiB"',
  ],
  [
    'Ollama with its own runner: what it took',
    { ...gib({ weights: 8.3, kv: 1 }), ...mib({ activation: 512 }) },
    'level=INFO source=device.go:241 msg="model weights" device=CUDA0 size="4.3 GiB"',
    'level=INFO source=device.go:241 msg="model weights" device=CUDA1 size="4.0 GiB"',
    'level=INFO source=device.go:246 msg="model weights" device=CPU size="333.8 MiB"',
    'level=INFO source=device.go:252 msg="kv cache" device=CUDA0 size="1.0 GiB"',
    'level=INFO source=device.go:263 msg="compute graph" device=CUDA0 size="512.0 MiB"',
  ],
  [
    'Ollama without a card: the memory of the node is none of a device',
    {},
    'level=INFO source=types.go:130 msg="inference compute" id=0 library=cpu variant="" compute="" driver=0.0 name="" total="7.7 GiB" available="7.0 GiB"',
  ],
];

describe("an engine's own figures", () => {
  it.each(TABLE.map((row) => [row[0], row] as const))('%s', (what, [, figures, ...lines]) => {
    const engine = what.split(/[ ,:]/)[0]?.toLowerCase();
    const reading = readEngine(anInput({ declared: engine, log: `${lines.join('\n')}\n` }));

    const seen = Object.fromEntries(Object.entries(reading.figures).map(([name, cited]) => [name, cited.value]));
    expect(Object.keys(seen).sort()).toEqual(Object.keys(figures).sort());
    for (const [name, value] of Object.entries(figures)) expect(seen[name], name).toBeCloseTo(value, 3);
  });

  it('name the line they stand in', () => {
    const log =
      'x\nload_tensors: CUDA0 model buffer size = 10.00 MiB\nload_tensors: CUDA1 model buffer size = 20.00 MiB\n';

    const { figures } = readEngine(anInput({ declared: 'llama.cpp', log }));

    expect(figures.weightsBytes).toMatchObject({ value: 30 * MIB, from: { line: 3 } });
  });

  it('are those of the last load where a server loads again', () => {
    const load = (mib: string) => `load_tensors: CUDA0 model buffer size = ${mib} MiB\n`;

    const { figures } = readEngine(anInput({ declared: 'ollama', log: load('10.00') + load('70.00') }));

    expect(figures.weightsBytes?.value).toBe(70 * MIB);
  });
});
