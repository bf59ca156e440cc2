import { atStartup, LARGE_MODEL, USUAL_FLAGS, withLmcache } from './common-incidents.ts';
import { CHAT, DONE, flags, SERVER, SGLANG, triageAndApprove, triageApproveAndCut, triageOnly } from './parts.ts';
import type { Scenario } from './scenario.ts';

/** RAM of the container runs out. */
export const HOST: readonly Scenario[] = [
  {
    name: 'ram-startup-limit',
    says: 'The memory limit is lower than what the processes of the engine take at startup.',
    ...atStartup({ ...SERVER, memory: '8Gi', args: flags({ ...USUAL_FLAGS, '--api-server-count': 4 }) }),
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'host.startup.limit', ending: 'survives' },
  },
  {
    name: 'ram-weight-staging',
    says: 'A .pt checkpoint is read into RAM whole before it reaches the GPU.',
    ...atStartup({ ...SERVER, memory: '16Gi', args: flags({ ...USUAL_FLAGS, '--load-format': 'pt' }) }),
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'host.startup.weight-staging', ending: 'survives' },
  },
  {
    name: 'ram-offload',
    says: 'LMCache keeps KV blocks in RAM, more than the memory limit has space for.',
    services: [withLmcache({ ...SERVER, memory: '32Gi', args: flags(USUAL_FLAGS) }, 40)],
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
        args: flags({ ...USUAL_FLAGS, '--gpu-memory-utilization': 0.8 }),
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
    services: [{ ...SERVER, replicas: 2, memory: '16Gi', args: flags(USUAL_FLAGS), faults: { ramLeakGibPerHour: 4 } }],
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
        args: flags({ ...USUAL_FLAGS, '--gpu-memory-utilization': 0.8, '--api-server-count': 4 }),
        faults: { payloadMib: 160 },
      },
    ],
    traffic: { 'vllm-server': { ...CHAT, images: 1 } },
    historyMinutes: 90,
    happens: [{ atMinute: 40, kind: 'rollout', service: 'vllm-server', by: 'helm', set: { memory: '10Gi' } }],
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'host.startup.limit', ending: 'survives' },
  },
  {
    name: 'ram-compilers',
    says: 'Ten compilers build FlashInfer kernels at startup, each with 1.8 GiB of RAM: the kernel kills one of them.',
    ...atStartup({
      ...SGLANG,
      memory: '16Gi',
      args: flags({ '--mem-fraction-static': 0.85, '--context-length': 32_768 }),
      faults: { compilerGib: 1.8 },
    }),
    steps: triageAndApprove('sglang-server', DONE),
    expect: { cause: 'host.startup.workers', ending: 'survives' },
  },
  {
    name: 'ram-shared-memory',
    says: 'Two ranks talk through /dev/shm, which has 64 MiB without a volume: the pod template needs one.',
    ...atStartup({
      ...LARGE_MODEL,
      gpus: 2,
      args: [...LARGE_MODEL.args, '--tensor-parallel-size', '2'],
      env: { NCCL_DEBUG: 'WARN' },
    }),
    steps: triageOnly('vllm-server'),
    expect: { cause: 'host.shm', ending: 'none' },
  },
  {
    name: 'ram-node-full',
    says: 'Another pod without a memory limit fills the node: the kernel kills the engine far below its own limit.',
    ...atStartup({
      ...SERVER,
      args: flags(USUAL_FLAGS),
      node: { ramGib: 128, othersGib: 125.5, fromMinute: 20 },
    }),
    historyMinutes: 30,
    steps: triageOnly('vllm-server'),
    expect: { cause: 'host.node-pressure', ending: 'none' },
  },
];
