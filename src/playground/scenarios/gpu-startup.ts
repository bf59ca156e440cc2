import { atStartup, KV_ROOM, LARGE_MODEL, SMALL_CHAT, USUAL_FLAGS } from './common-incidents.ts';
import { CHAT, DONE, flags, SERVER, SGLANG, triageAndApprove, triageOnly } from './parts.ts';
import type { Scenario } from './scenario.ts';

/** GPU memory runs out before the engine is ready. */
export const GPU_STARTUP: readonly Scenario[] = [
  {
    name: 'vllm-kv-room',
    says: 'The KV cache has no space for one sequence of max-model-len: vLLM refuses to start.',
    ...KV_ROOM,
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'gpu.startup.kv-room', ending: 'survives' },
  },
  {
    name: 'vllm-graph-capture',
    says: 'CUDA graphs find no memory outside gpu-memory-utilization.',
    ...atStartup({
      ...SERVER,
      gpu: 'L40S',
      args: flags({
        '--max-model-len': 32_768,
        '--gpu-memory-utilization': 0.99,
        '--max-num-seqs': 256,
        '--max-num-batched-tokens': 1024,
      }),
    }),
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'gpu.startup.graph-capture', ending: 'survives' },
  },
  {
    name: 'vllm-profiling',
    says: 'The warmup of the sampler for max-num-seqs sequences does not fit next to the weights.',
    ...atStartup(
      {
        ...SERVER,
        model: 'Qwen/Qwen2.5-7B-Instruct',
        gpu: 'A10',
        args: flags({
          '--max-model-len': 16_384,
          '--gpu-memory-utilization': 0.95,
          '--max-num-seqs': 8192,
          '--max-num-batched-tokens': 8192,
        }),
      },
      { ...CHAT, requestsPerSecond: 0.3 },
    ),
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'gpu.startup.profiling', ending: 'survives' },
  },
  {
    name: 'vllm-utilization',
    says: 'Less of the GPU is free at startup than gpu-memory-utilization asks for.',
    ...atStartup(
      {
        ...SERVER,
        gpu: 'A10',
        args: flags({
          '--max-model-len': 16_384,
          '--gpu-memory-utilization': 0.95,
          '--max-num-seqs': 64,
          '--enforce-eager': '',
        }),
        otherProcess: { gib: 1.5, fromMinute: 0 },
      },
      SMALL_CHAT,
    ),
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'gpu.startup.utilization', ending: 'survives' },
  },
  {
    name: 'vllm-shared-gpu',
    says: 'Another process holds half of the GPU before the engine starts.',
    ...atStartup({
      ...SERVER,
      args: flags(USUAL_FLAGS),
      otherProcess: { gib: 41, fromMinute: 0 },
    }),
    steps: triageOnly('vllm-server'),
    expect: { cause: 'gpu.startup.shared-gpu', ending: 'none' },
  },
  {
    name: 'vllm-weights',
    says: 'A 32B model in 16 bit is loaded onto a GPU of 48 GB.',
    ...atStartup(LARGE_MODEL),
    steps: triageOnly('vllm-server'),
    expect: { cause: 'gpu.startup.weights', ending: 'none' },
  },
  {
    name: 'vllm-one-gpu',
    says: 'The container has two GPUs, but without tensor-parallel-size the whole model is loaded onto one.',
    ...atStartup({ ...LARGE_MODEL, gpus: 2, sharedMemory: '8Gi' }),
    steps: triageOnly('vllm-server'),
    expect: { cause: 'gpu.startup.parallelism', ending: 'none' },
  },
  {
    name: 'sglang-kv-room',
    says: 'mem-fraction-static leaves nothing for the KV cache after the weights: it has to go up.',
    ...atStartup(
      { ...SGLANG, gpu: 'A10', args: flags({ '--mem-fraction-static': 0.68, '--context-length': 8192 }) },
      { ...CHAT, requestsPerSecond: 0.1 },
    ),
    steps: triageAndApprove('sglang-server', DONE),
    expect: { cause: 'gpu.startup.kv-room', ending: 'survives' },
  },
  {
    name: 'sglang-graph-capture',
    says: 'CUDA graphs find no memory outside mem-fraction-static.',
    ...atStartup({
      ...SGLANG,
      gpu: 'L40S',
      args: flags({ '--mem-fraction-static': 0.99, '--context-length': 32_768 }),
    }),
    steps: triageAndApprove('sglang-server', DONE),
    expect: { cause: 'gpu.startup.graph-capture', ending: 'survives' },
  },
];
