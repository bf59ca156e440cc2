import { CHAT, flags, SERVER, triageOnly } from './parts.ts';
import type { Scenario } from './scenario.ts';

const BURST = {
  '--max-model-len': 131_072,
  '--gpu-memory-utilization': 0.98,
  '--max-num-seqs': 256,
  '--max-num-batched-tokens': 4096,
};
const LONG_PROMPTS = { ...CHAT, longPromptTokens: 125_000 };
const LMCACHE = { LMCACHE_LOCAL_CPU: 'True', LMCACHE_MAX_LOCAL_CPU_SIZE: '8' };
const CONNECTOR = { '--kv-transfer-config': '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}' };

/** Both memories run out, one after the other. */
export const BOTH: readonly Scenario[] = [
  {
    name: 'gpu-then-ram',
    says: 'CUDA OOM kills the engine core; it is loaded again in the same container, which takes it over its memory limit.',
    services: [
      {
        ...SERVER,
        memory: '13Gi',
        args: flags({ ...BURST, ...CONNECTOR }),
        env: LMCACHE,
        faults: { reloadsCore: true },
      },
    ],
    traffic: { 'vllm-server': CHAT },
    historyMinutes: 40,
    happens: [{ atMinute: 37, kind: 'traffic', service: 'vllm-server', shape: LONG_PROMPTS }],
    steps: triageOnly('vllm-server'),
    expect: { cause: 'gpu.burst.headroom', ending: 'none' },
  },
  {
    name: 'ram-then-gpu',
    says: 'The container is OOMKilled; the next one finds the GPU still held by the process that was killed.',
    services: [
      {
        ...SERVER,
        memory: '20Gi',
        args: flags({
          '--max-model-len': 32_768,
          '--gpu-memory-utilization': 0.9,
          '--max-num-seqs': 256,
          ...CONNECTOR,
        }),
        env: { ...LMCACHE, LMCACHE_MAX_LOCAL_CPU_SIZE: '40' },
        faults: { gpuHeldSeconds: 600, hangsAfterFailure: true },
      },
    ],
    traffic: { 'vllm-server': CHAT },
    historyMinutes: 10,
    happens: [],
    steps: triageOnly('vllm-server'),
    expect: { cause: 'host.offload', ending: 'none' },
  },
  {
    name: 'gpu-then-ram-restart',
    says: 'CUDA OOM ends the container; what it left in /dev/shm takes the load of the next one over the memory limit.',
    services: [
      {
        ...SERVER,
        memory: '5Gi',
        args: flags(BURST),
        faults: { sharedMemoryLeftGib: 1.5, hangsAfterFailure: true },
      },
    ],
    traffic: { 'vllm-server': CHAT },
    historyMinutes: 42,
    happens: [{ atMinute: 37, kind: 'traffic', service: 'vllm-server', shape: LONG_PROMPTS }],
    steps: triageOnly('vllm-server'),
    expect: { cause: 'gpu.burst.headroom', ending: 'none' },
  },
];
