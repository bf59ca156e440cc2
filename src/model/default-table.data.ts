import { GIB } from './quantity.ts';

/**
 * One default. Of the rows of a flag the first that fits is in force. Versions are inclusive (`to: '0.20'` holds for all of
 * 0.20.x). `value` undefined: from here on it is computed at start, and no table can tell it.
 */
export type DefaultRow = {
  readonly engine: string;
  readonly flag: string;
  readonly value: string | undefined;
  readonly from?: string;
  readonly to?: string;
  readonly generation?: 'V0' | 'V1';
  /** What sums take it for where `value` is undefined: the least that it comes to. */
  readonly reckoned?: string;
  /** Words of which the card's name has one. */
  readonly gpuIs?: readonly string[];
  /** Bytes of the card from which on the row holds. */
  readonly gpuFrom?: number;
  /** A word in the card's name for which it does not hold all the same. */
  readonly gpuNot?: string;
  readonly source: string;
};

type Row = readonly [
  flag: string,
  value: string | undefined,
  when?: Omit<DefaultRow, 'engine' | 'flag' | 'value' | 'source'>,
];

function of(engine: string, source: string, rows: readonly Row[]): readonly DefaultRow[] {
  return rows.map(([flag, value, when = {}]) => ({ engine, flag, value, ...when, source }));
}

const V1 = { generation: 'V1', from: '0.8' } as const;
// From 70 GiB on the card decides; A100 is excepted because large batches made it slower (vllm-project/vllm#17885, in 0.9).
// 0.8 went by the name of the card.
const BY_CARD = { generation: 'V1', from: '0.9' } as const;
const BY_NAME = { generation: 'V1', from: '0.8', to: '0.8' } as const;
const LARGE = { ...BY_CARD, gpuFrom: 70 * GIB, gpuNot: 'a100' } as const;
const V0 = { generation: 'V0', to: '0.10' } as const;

export const DEFAULT_ROWS: readonly DefaultRow[] = [
  ...of('vllm', 'vllm-project/vllm vllm/config/cache.py (017e9f4448)', [
    ['--gpu-memory-utilization', '0.92', { from: '0.21' }],
    ['--gpu-memory-utilization', '0.9', { to: '0.20' }],
    ['--block-size', '16', { to: '0.10' }],
    ['--swap-space', '4', { to: '0.17' }],
    ['--kv-cache-dtype', 'auto'],
    ['--cpu-offload-gb', '0', { from: '0.5.3' }],
  ]),
  ...of('vllm', 'vllm-project/vllm vllm/engine/arg_utils.py, get_batch_defaults (017e9f4448), server', [
    ['--max-num-seqs', '256', V0],
    ['--max-num-seqs', undefined, { ...BY_NAME, reckoned: '256' }],
    ['--max-num-seqs', '1024', LARGE],
    ['--max-num-seqs', '256', BY_CARD],
    // The longer of the model's length and 2048; 2048 with chunked prefill.
    ['--max-num-batched-tokens', undefined, { ...V0, reckoned: '2048' }],
    ['--max-num-batched-tokens', undefined, { ...BY_NAME, reckoned: '2048' }],
    // vllm-project/vllm#51726, in 0.28.0 and not in 0.27.
    ['--max-num-batched-tokens', '16384', { ...BY_CARD, gpuFrom: 160 * GIB, from: '0.28' }],
    ['--max-num-batched-tokens', '8192', LARGE],
    ['--max-num-batched-tokens', '2048', BY_CARD],
  ]),
  ...of('vllm', 'vllm-project/vllm vllm/engine/arg_utils.py (v0.4.0 to 017e9f4448)', [
    ['--enable-prefix-caching', 'true', V1],
    ['--enable-prefix-caching', 'false', V0],
    ['--enable-chunked-prefill', 'true', V1],
    ['--enforce-eager', 'false'],
    ['--tensor-parallel-size', '1'],
    ['--pipeline-parallel-size', '1'],
    ['--max-logprobs', '20', { from: '0.5.5' }],
    ['--mm-processor-cache-gb', '4', { from: '0.10.1' }],
  ]),
  ...of('sglang', 'sgl-project/sglang python/sglang/srt/server_args.py (v0.2.0 to v0.5.18)', [
    // Computed from the card, the chunk and the graphs.
    ['--mem-fraction-static', undefined],
    ['--tp-size', '1'],
    ['--disable-radix-cache', 'false'],
    ['--cpu-offload-gb', '0', { from: '0.3.6.post1' }],
    ['--hicache-ratio', '2.0', { from: '0.4.5' }],
    ['--schedule-conservativeness', '1.0'],
  ]),
  // What KAITO gives vLLM, unless its ConfigMap says otherwise; versions are KAITO's. Up to 0.6 all but 1.5 GiB of the card.
  ...of('kaito', 'kaito-project/kaito pkg/model/interface.go (v0.4.4, v0.6.2, v0.7.0, v0.12.0)', [
    ['--gpu-memory-utilization', '0.82', { from: '0.12', gpuIs: ['a10'] }],
    ['--gpu-memory-utilization', '0.84', { from: '0.7' }],
    ['--gpu-memory-utilization', '0.95', { from: '0.4.5', to: '0.6', gpuFrom: 30 * GIB }],
    ['--gpu-memory-utilization', '0.93', { from: '0.4.5', to: '0.6', gpuFrom: 20 * GIB }],
    ['--gpu-memory-utilization', '0.9', { from: '0.4.5', to: '0.6' }],
    ['--gpu-memory-utilization', '0.95', { to: '0.4' }],
  ]),
  ...of('tgi', 'huggingface/text-generation-inference launcher/src/main.rs (v0.9.4, v1.4.5, v2.0.4, v2.4.1, v3.3.7)', [
    ['--cuda-memory-fraction', '1.0', { from: '0.9.4' }],
    ['--max-concurrent-requests', '128'],
    ['--max-waiting-tokens', '20'],
    ['--waiting-served-ratio', '0.3', { from: '2.0' }],
    ['--waiting-served-ratio', '1.2', { to: '1.4' }],
    ['--max-total-tokens', '2048', { to: '1.4' }],
    ['--max-total-tokens', undefined],
    ['--max-input-length', '1024', { to: '1.4' }],
    ['--max-batch-prefill-tokens', '4096', { from: '0.9', to: '1.4' }],
    ['--max-batch-prefill-tokens', undefined],
  ]),
  ...of(
    'tgi',
    'huggingface/text-generation-inference server/text_generation_server/models/globals.py (v2.3.0 to v3.3.7)',
    [
      ['TGI_WIGGLE_ROOM', '0.90', { from: '3.3' }],
      ['TGI_WIGGLE_ROOM', '0.93', { from: '3.1' }],
      ['TGI_WIGGLE_ROOM', '0.95', { from: '3.0' }],
      ['TGI_WIGGLE_ROOM', '0.90', { from: '2.4' }],
      ['TGI_WIGGLE_ROOM', '0.95', { from: '2.3.0' }],
    ],
  ),
  ...of('lmdeploy', 'InternLM/lmdeploy lmdeploy/utils.py, get_max_batch_size (v0.16.0)', [
    ['--max-batch-size', undefined, { to: '0.15', reckoned: '128' }],
    ['--max-batch-size', '384', { gpuIs: ['a100', 'a800'] }],
    ['--max-batch-size', '1024', { gpuIs: ['h100', 'h800', 'l20y', 'h200'] }],
    ['--max-batch-size', '128'],
  ]),
  ...of('lmdeploy', 'InternLM/lmdeploy lmdeploy/messages.py, lmdeploy/cli/utils.py (v0.9.2, v0.16.0)', [
    ['--cache-max-entry-count', '0.8'],
    ['--max-prefill-token-num', '8192'],
    ['--cache-block-seq-len', '64'],
    ['--quant-policy', '0'],
    ['--enable-prefix-caching', 'false'],
    ['--tp', '1'],
  ]),
  ...of('tensorrt-llm', 'NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py', [
    ['--kv-cache-free-gpu-memory-fraction', '0.9'],
    ['--max-num-tokens', '8192'],
    // Of an engine that was built it is the build's.
    ['--max-batch-size', undefined, { reckoned: '2048' }],
  ]),
  ...of('llama.cpp', 'ggml-org/llama.cpp common/arg.cpp', [
    ['--ubatch-size', '512'],
    ['--batch-size', '2048'],
    ['--cache-ram', '8192'],
  ]),
  ...of('ollama', 'ollama/ollama envconfig/config.go (v0.32.15)', [
    ['OLLAMA_KV_CACHE_TYPE', 'f16'],
    ['OLLAMA_GPU_OVERHEAD', '0'],
    ['OLLAMA_KEEP_ALIVE', '5m'],
    ['OLLAMA_MAX_QUEUE', '512'],
  ]),
];
