import type { EngineService } from '../engine/engine-service.ts';
import type { TrafficShape } from '../engine/traffic.ts';
import type { Scenario } from './scenario.ts';

const SERVER: EngineService = {
  name: 'vllm-server',
  namespace: 'llm',
  engine: 'vllm',
  version: '0.11.0',
  kind: 'Deployment',
  replicas: 1,
  model: 'meta-llama/Llama-3.1-8B-Instruct',
  gpu: 'A100-80GB',
  args: [],
  memory: '64Gi',
};

const CHAT: TrafficShape = { requestsPerSecond: 2, promptTokens: 1200, longPromptTokens: 6000, outputTokens: 250 };

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'vllm-burst',
    says: 'Long prompts arrive, and gpu-memory-utilization leaves too little of the GPU for their step.',
    services: [
      {
        ...SERVER,
        args: [
          ...['--max-model-len', '131072', '--gpu-memory-utilization', '0.98'],
          ...['--max-num-seqs', '256', '--max-num-batched-tokens', '8192'],
        ],
      },
    ],
    traffic: { 'vllm-server': CHAT },
    historyMinutes: 45,
    happens: [
      {
        atMinute: 38,
        kind: 'traffic',
        service: 'vllm-server',
        shape: { ...CHAT, longPromptTokens: 125_000 },
      },
    ],
    steps: [],
    expect: { cause: 'gpu.burst.headroom', ending: 'survives' },
  },
];
