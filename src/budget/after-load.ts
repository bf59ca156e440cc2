import { ABOVE_LEAST_FRACTION } from '../model/safe-values.ts';
import type { Advised } from './advised.ts';
import { leastAfterLoad } from './fraction-room.ts';
import { highestFraction } from './highest-fraction.ts';
import { type EngineState, lengthOf } from './outcome.ts';
import { perTokenOf } from './per-token.ts';
import { amountOf, hundredths } from './reckoned.ts';

/**
 * The fraction that SGLang's own sum asks for (mem_cache/kv_cache_configurator.py): with room for one sequence, where its
 * size is known and the card allows it, since a shorter pool starts as well.
 */
export function fractionAfterLoad(state: EngineState): Advised | undefined {
  const { loadFreeBytes: before } = state.figures;
  const least = leastAfterLoad(state.figures);
  if (before === undefined || least === undefined) return undefined;
  const start = hundredths(least + ABOVE_LEAST_FRACTION, 'up');
  const whole = hundredths(least + (oneSequence(state) ?? 0) / before, 'up');
  return { value: Math.max(start, Math.min(whole, highestFraction(state) ?? start)), from: FROM };
}

const FROM = ['engine.utilization', 'loadFreeBytes', 'loadLeftBytes', 'engine.max-model-len'];

function oneSequence(state: EngineState): number | undefined {
  const [perToken, length] = [amountOf(perTokenOf(state)), lengthOf(state)];
  return perToken === undefined || length === undefined ? undefined : perToken * length;
}
