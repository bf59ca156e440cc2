import type { EngineService } from '../engine/engine-service.ts';
import type { TrafficShape } from '../engine/traffic.ts';
import type { Step } from './scenario.ts';

/** The service of most scenarios: Llama 3.1 8B by vLLM on one A100. */
export const SERVER: EngineService = {
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

/** The same model by SGLang. */
export const SGLANG: EngineService = {
  ...SERVER,
  name: 'sglang-server',
  engine: 'sglang',
  version: '0.5.5',
};

export const CHAT: TrafficShape = {
  requestsPerSecond: 2,
  promptTokens: 1200,
  longPromptTokens: 6000,
  outputTokens: 250,
};

export const IDLE: TrafficShape = { ...CHAT, requestsPerSecond: 0.05 };

/** `--flag value` pairs as arguments; the empty text is a flag without a value. */
export function flags(values: Readonly<Record<string, string | number>>): readonly string[] {
  return Object.entries(values).flatMap(([flag, value]) => (value === '' ? [flag] : [flag, String(value)]));
}

/** On-call triages and asks for the plan. */
export function triageAndPlan(workload: string): readonly Step[] {
  return [...triageOnly(workload), { kind: 'click', as: 'U_ONCALL', button: 'plan' }];
}

/** The same; an approver approves, and the run ends. */
export function triageAndApprove(workload: string, ends: RegExp): readonly Step[] {
  return [
    ...triageAndPlan(workload),
    { kind: 'click', as: 'U_APPROVER', button: 'approve' },
    { kind: 'until', says: ends },
  ];
}

/** The same where the plan restarts an engine that always has requests in flight: somebody has to cut them. */
export function triageApproveAndCut(workload: string, ends: RegExp): readonly Step[] {
  const steps = triageAndApprove(workload, ends);
  const cut: Step = { kind: 'click', as: 'U_APPROVER', button: 'go-on' };
  return [...steps.slice(0, -1), cut, ...steps.slice(-1)];
}

/** A triage whose finding offers no change. */
export function triageOnly(workload: string): readonly Step[] {
  return [{ kind: 'type', as: 'U_ONCALL', text: `triage llm/${workload}` }];
}

export const DONE = /^(?:Done|Applied, not verified)/;
