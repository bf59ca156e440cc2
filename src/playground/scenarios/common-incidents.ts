import type { EngineService } from '../engine/engine-service.ts';
import type { TrafficShape } from '../engine/traffic.ts';
import { CHAT, flags, SERVER } from './parts.ts';
import type { Scenario } from './scenario.ts';

/** A service that fails at its startup, or soon after it, under the same requests from the first minute on. */
export function atStartup(service: EngineService, traffic: TrafficShape = CHAT) {
  const services: readonly [EngineService] = [service];
  return { services, traffic: { [service.name]: traffic }, historyMinutes: 12, happens: [] };
}

/** A model that takes two GPUs of 48 GB. */
export const LARGE_MODEL: EngineService = {
  ...SERVER,
  model: 'Qwen/Qwen2.5-32B-Instruct',
  gpu: 'L40S',
  memory: '96Gi',
  args: flags({ '--max-model-len': 8192, '--gpu-memory-utilization': 0.95 }),
};

/** Half of the usual requests: the KV pool of an A10 has 32,000 tokens, and twice as many requests preempt each other. */
export const SMALL_CHAT: TrafficShape = { ...CHAT, requestsPerSecond: 1 };

export const USUAL_FLAGS = { '--max-model-len': 32_768, '--gpu-memory-utilization': 0.9, '--max-num-seqs': 256 };

/** Refuses to start, and starts with the planned length. */
export const KV_ROOM = atStartup(
  {
    ...SERVER,
    gpu: 'A10',
    args: flags({ '--max-model-len': 65_536, '--gpu-memory-utilization': 0.9, '--max-num-seqs': 128 }),
  },
  SMALL_CHAT,
);

const BURST_FLAGS = {
  '--max-model-len': 131_072,
  '--gpu-memory-utilization': 0.98,
  '--max-num-seqs': 256,
  '--max-num-batched-tokens': 4096,
};

/** Long prompts arrive at minute 38, and the engine dies of each. */
export const BURST = {
  services: [{ ...SERVER, args: flags(BURST_FLAGS) }],
  traffic: { [SERVER.name]: CHAT },
  historyMinutes: 45,
  happens: [{ atMinute: 38, kind: 'traffic', service: SERVER.name, shape: { ...CHAT, longPromptTokens: 125_000 } }],
} as const satisfies Partial<Scenario>;

/** With LMCache, which keeps KV blocks in RAM, up to so many GiB. */
export function withLmcache(service: EngineService, gib: number): EngineService {
  const connector = ['--kv-transfer-config', '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}'];
  const env = { LMCACHE_LOCAL_CPU: 'True', LMCACHE_MAX_LOCAL_CPU_SIZE: String(gib) };
  return { ...service, args: [...service.args, ...connector], env };
}
