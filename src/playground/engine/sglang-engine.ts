import type { Moment } from './engine.ts';
import type { EngineState } from './engine-state.ts';

export function* sglangLife(_state: EngineState): Generator<Moment, void> {
  yield { kind: 'exit', reason: 'Error', exitCode: 1 };
}
