import { stepTokensOf } from '../../budget/fit-context.ts';
import { amountOf } from '../../budget/known-amount.ts';
import { poolAt } from '../../budget/kv-pool.ts';
import { type EngineState, fractionOf } from '../../budget/outcome.ts';
import type { MeasuredStart } from '../../model/measured-start.ts';

/** How far the estimate is off the pool that an engine printed at its start; undefined where it printed none, or there is no estimate. */
export function measureStart(state: EngineState): Omit<MeasuredStart, 'id' | 'cluster' | 'at'> | undefined {
  const { engine, version = null, product = null, figures } = state;
  if (figures.kvAvailableBytes === undefined && figures.kvTokens === undefined) return undefined;
  const unprinted = {
    ...figures,
    kvAvailableBytes: undefined,
    kvTokens: undefined,
    activationBytes: undefined,
    nonTorchBytes: undefined,
    ownStarts: undefined,
  };
  const [printed, estimated] = [state, { ...state, figures: unprinted }].map((of) => {
    const pool = poolAt({ ...of, fraction: fractionOf(of), batchedTokens: stepTokensOf(of) });
    return amountOf(pool.at(fractionOf(of)));
  });
  if (printed === undefined || estimated === undefined) return undefined;
  return { engine, version, product, model: figures.model ?? null, errorBytes: estimated - printed };
}
