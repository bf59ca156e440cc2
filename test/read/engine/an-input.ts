import type { EngineInput } from '../../../src/model/engine-reader.ts';
import { scan } from '../log/scan-text.ts';

/** What a reader is given; states only what a test is about. */
export function anInput(over: Partial<EngineInput> & { log?: string } = {}): EngineInput {
  const { log, ...rest } = over;
  return {
    image: undefined,
    command: [],
    labels: {},
    declared: undefined,
    logs: log === undefined ? [] : [scan(log)],
    argumentWords: [],
    ...rest,
  };
}
