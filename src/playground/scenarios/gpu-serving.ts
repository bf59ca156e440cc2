import { BURST } from './common-incidents.ts';
import { CHAT, DONE, flags, SERVER, SGLANG, triageAndApprove, triageApproveAndCut, triageOnly } from './parts.ts';
import type { Scenario } from './scenario.ts';

const QWEN = 'Qwen/Qwen2.5-7B-Instruct';

/** GPU memory runs out while the engine serves. */
export const GPU_SERVING: readonly Scenario[] = [
  {
    name: 'vllm-burst',
    says: 'Long prompts arrive, and gpu-memory-utilization leaves too little of the GPU for their step.',
    ...BURST,
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'gpu.burst.headroom', ending: 'survives' },
  },
  {
    name: 'vllm-long-context',
    says: 'Prompts of 80,000 tokens need a buffer that was never profiled.',
    services: [
      {
        ...SERVER,
        model: QWEN,
        gpu: 'A10',
        args: flags({ '--max-model-len': 81_920, '--gpu-memory-utilization': 0.94, '--max-num-seqs': 256 }),
      },
    ],
    traffic: { 'vllm-server': { ...CHAT, requestsPerSecond: 0.5 } },
    historyMinutes: 45,
    happens: [
      {
        atMinute: 30,
        kind: 'traffic',
        service: 'vllm-server',
        shape: { ...CHAT, requestsPerSecond: 0.5, longPromptTokens: 81_000 },
      },
    ],
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'gpu.burst.long-context', ending: 'survives' },
  },
  {
    name: 'vllm-batched-tokens',
    says: 'Full steps of max-num-batched-tokens hit the experts of the model unevenly, and take more than the profile run.',
    services: [
      {
        ...SERVER,
        model: 'Qwen/Qwen3-30B-A3B',
        args: flags({
          '--max-model-len': 32_768,
          '--gpu-memory-utilization': 0.975,
          '--max-num-seqs': 256,
          '--max-num-batched-tokens': 32_768,
        }),
      },
    ],
    traffic: { 'vllm-server': CHAT },
    historyMinutes: 45,
    happens: [
      {
        atMinute: 35,
        kind: 'traffic',
        service: 'vllm-server',
        shape: { ...CHAT, requestsPerSecond: 6, promptTokens: 9000, longPromptTokens: 24_000, outputTokens: 40 },
      },
    ],
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'gpu.burst.batched-tokens', ending: 'survives' },
  },
  {
    name: 'vllm-logits',
    says: 'Requests ask for log-probabilities of the prompt: one row of logits for each of its tokens.',
    services: [
      {
        ...SERVER,
        model: QWEN,
        args: flags({
          '--max-model-len': 32_768,
          '--gpu-memory-utilization': 0.92,
          '--max-num-seqs': 128,
          '--max-num-batched-tokens': 8192,
        }),
      },
    ],
    traffic: { 'vllm-server': CHAT },
    historyMinutes: 45,
    happens: [
      {
        atMinute: 38,
        kind: 'traffic',
        service: 'vllm-server',
        shape: { ...CHAT, promptTokens: 9000, longPromptTokens: 20_000, outputTokens: 1, promptLogprobs: true },
      },
    ],
    steps: triageOnly('vllm-server'),
    expect: { cause: 'gpu.burst.logits', ending: 'none' },
  },
  {
    name: 'vllm-images',
    says: 'A request brings more images than the profile run had.',
    services: [
      {
        ...SERVER,
        model: 'Qwen/Qwen2.5-VL-7B-Instruct',
        args: flags({ '--max-model-len': 32_768, '--gpu-memory-utilization': 0.93, '--max-num-seqs': 128 }),
      },
    ],
    traffic: { 'vllm-server': { ...CHAT, images: 1 } },
    historyMinutes: 45,
    happens: [{ atMinute: 38, kind: 'traffic', service: 'vllm-server', shape: { ...CHAT, images: 8 } }],
    steps: triageOnly('vllm-server'),
    expect: { cause: 'gpu.burst.multimodal', ending: 'none' },
  },
  {
    name: 'sglang-concurrency',
    says: 'More requests run than the KV pool holds, and this version dies of it.',
    services: [
      {
        ...SGLANG,
        gpu: 'A10',
        args: flags({ '--mem-fraction-static': 0.86, '--context-length': 8192, '--max-running-requests': 24 }),
        faults: { miscountsBlocks: true },
      },
    ],
    traffic: { 'sglang-server': { ...CHAT, requestsPerSecond: 0.5, outputTokens: 300 } },
    historyMinutes: 30,
    happens: [
      {
        atMinute: 22,
        kind: 'traffic',
        service: 'sglang-server',
        shape: { ...CHAT, requestsPerSecond: 2, longPromptTokens: 1500, outputTokens: 900 },
      },
      { atMinute: 29, kind: 'traffic', service: 'sglang-server', shape: { ...CHAT, requestsPerSecond: 0.2 } },
    ],
    steps: triageAndApprove('sglang-server', DONE),
    expect: { cause: 'gpu.burst.concurrency', ending: 'survives' },
  },
  {
    name: 'sglang-one-long-request',
    says: 'One request outgrows the whole KV pool, which SGLang does not check against context-length.',
    services: [
      {
        ...SGLANG,
        gpu: 'A10',
        args: flags({ '--mem-fraction-static': 0.86, '--context-length': 65_536, '--max-running-requests': 16 }),
      },
    ],
    traffic: { 'sglang-server': { ...CHAT, requestsPerSecond: 0.2 } },
    historyMinutes: 45,
    happens: [
      {
        atMinute: 30,
        kind: 'traffic',
        service: 'sglang-server',
        shape: { ...CHAT, requestsPerSecond: 0.2, promptTokens: 20_000, longPromptTokens: 24_000, outputTokens: 6000 },
      },
      { atMinute: 36, kind: 'traffic', service: 'sglang-server', shape: { ...CHAT, requestsPerSecond: 0.2 } },
    ],
    steps: triageAndApprove('sglang-server', DONE),
    expect: { cause: 'gpu.burst.long-context', ending: 'survives' },
  },
  {
    name: 'vllm-fragmentation',
    says: 'For hours the allocator keeps pieces that nothing fits into, until a step fails.',
    services: [
      {
        ...SERVER,
        gpu: 'L40S',
        args: flags({
          '--max-model-len': 131_072,
          '--gpu-memory-utilization': 0.85,
          '--max-num-seqs': 128,
          '--max-num-batched-tokens': 8192,
        }),
        faults: { fragmentsGibPerHour: 1.6 },
      },
    ],
    traffic: { 'vllm-server': { ...CHAT, longPromptTokens: 90_000 } },
    historyMinutes: 250,
    happens: [],
    steps: triageApproveAndCut('vllm-server', DONE),
    expect: { cause: 'gpu.chronic.fragmentation', ending: 'survives' },
  },
  {
    name: 'vllm-gpu-leak',
    says: 'GPU memory grows by the hour, with and without requests, since a rollout enabled LoRA.',
    services: [
      {
        ...SERVER,
        gpu: 'L40S',
        args: flags({
          '--max-model-len': 32_768,
          '--gpu-memory-utilization': 0.75,
          '--max-num-seqs': 128,
        }),
        faults: { gpuLeakGibPerHour: 7, whileFlag: '--enable-lora' },
      },
    ],
    traffic: { 'vllm-server': { ...CHAT, requestsPerSecond: 0.5 } },
    historyMinutes: 125,
    happens: [
      { atMinute: 20, kind: 'rollout', service: 'vllm-server', by: 'helm', set: { flags: { '--enable-lora': '' } } },
    ],
    steps: triageApproveAndCut('vllm-server', DONE),
    expect: { cause: 'gpu.chronic.leak', ending: 'survives' },
  },
  {
    name: 'vllm-prefix-cache',
    says: 'The prefix cache never frees its blocks: the KV pool is full with nothing running, and a watchdog restarts the engine.',
    services: [
      {
        ...SERVER,
        gpu: 'L40S',
        args: flags({ '--max-model-len': 16_384, '--gpu-memory-utilization': 0.92, '--max-num-seqs': 64 }),
        faults: { pinnedCacheShare: 0.3, watchdogSeconds: 900 },
      },
    ],
    traffic: { 'vllm-server': { ...CHAT, requestsPerSecond: 0.5 } },
    historyMinutes: 42,
    happens: [{ atMinute: 24, kind: 'traffic', service: 'vllm-server', shape: { ...CHAT, requestsPerSecond: 0 } }],
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'gpu.prefix-cache', ending: 'survives' },
  },
];
