import { CHAT, DONE, flags, SERVER, triageAndApprove, triageApproveAndCut } from './parts.ts';
import type { Scenario } from './scenario.ts';

const USUAL = { '--max-model-len': 32_768, '--gpu-memory-utilization': 0.9, '--max-num-seqs': 256 };

/** RAM of the container runs out. */
export const HOST: readonly Scenario[] = [
  {
    name: 'ram-startup-limit',
    says: 'The memory limit is lower than what the processes of the engine take at startup.',
    services: [{ ...SERVER, memory: '8Gi', args: flags({ ...USUAL, '--api-server-count': 4 }) }],
    traffic: { 'vllm-server': CHAT },
    historyMinutes: 10,
    happens: [],
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'host.startup.limit', ending: 'survives' },
  },
  {
    name: 'ram-weight-staging',
    says: 'A .pt checkpoint is read into RAM whole before it reaches the GPU.',
    services: [{ ...SERVER, memory: '16Gi', args: flags({ ...USUAL, '--load-format': 'pt' }) }],
    traffic: { 'vllm-server': CHAT },
    historyMinutes: 10,
    happens: [],
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'host.startup.weight-staging', ending: 'survives' },
  },
  {
    name: 'ram-offload',
    says: 'LMCache keeps KV blocks in RAM, more than the memory limit has space for.',
    services: [
      {
        ...SERVER,
        memory: '32Gi',
        args: flags({ ...USUAL, '--kv-transfer-config': '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}' }),
        env: { LMCACHE_LOCAL_CPU: 'True', LMCACHE_MAX_LOCAL_CPU_SIZE: '40' },
      },
    ],
    traffic: { 'vllm-server': CHAT },
    historyMinutes: 30,
    happens: [],
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'host.offload', ending: 'survives' },
  },
  {
    name: 'ram-payload',
    says: 'Requests with large images are decoded in the container, hundreds at once.',
    services: [
      {
        ...SERVER,
        model: 'Qwen/Qwen2.5-VL-7B-Instruct',
        memory: '20Gi',
        args: flags({ ...USUAL, '--gpu-memory-utilization': 0.8 }),
        faults: { payloadMib: 60 },
      },
    ],
    traffic: { 'vllm-server': { ...CHAT, images: 1, requestsPerSecond: 0.5 } },
    historyMinutes: 40,
    happens: [
      {
        atMinute: 38.5,
        kind: 'traffic',
        service: 'vllm-server',
        shape: { ...CHAT, images: 2, requestsPerSecond: 4.5, outputTokens: 1500 },
      },
    ],
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'host.burst.payload', ending: 'survives' },
  },
  {
    name: 'ram-leak',
    says: 'RAM of the container grows by the hour, with and without requests.',
    services: [{ ...SERVER, replicas: 2, memory: '16Gi', args: flags(USUAL), faults: { ramLeakGibPerHour: 4 } }],
    traffic: { 'vllm-server': { ...CHAT, requestsPerSecond: 1 } },
    historyMinutes: 200,
    happens: [],
    steps: triageApproveAndCut('vllm-server', DONE),
    expect: { cause: 'host.chronic.leak', ending: 'survives' },
  },
  {
    name: 'ram-limit-cut',
    says: 'A rollout cut the memory limit from 64Gi to 10Gi, less than the engine takes under its usual traffic.',
    services: [
      {
        ...SERVER,
        model: 'Qwen/Qwen2.5-VL-7B-Instruct',
        memory: '64Gi',
        args: flags({ ...USUAL, '--gpu-memory-utilization': 0.8, '--api-server-count': 4 }),
        faults: { payloadMib: 160 },
      },
    ],
    traffic: { 'vllm-server': { ...CHAT, images: 1 } },
    historyMinutes: 90,
    happens: [{ atMinute: 40, kind: 'rollout', service: 'vllm-server', by: 'helm', set: { memory: '10Gi' } }],
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'host.startup.limit', ending: 'survives' },
  },
];
