import type { EngineReader } from '../../model/engine-reader.ts';

/** vLLM, V0 and V1. */
export const vllmReader: EngineReader = {
  engine: 'vllm',
  detect: () => 0,
  read: () => ({ engine: 'vllm', version: undefined, args: [], milestones: [], figures: {} }),
};
