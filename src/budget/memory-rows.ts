import type { BudgetRow, KvBudget } from '../model/budget.ts';
import { overheadBytes } from './engine-overhead.ts';
import { type Figures, weightsOf } from './figures.ts';
import { stepTokensOf } from './fit-context.ts';
import { graphsInsideFraction, roomOf, wholeName, wholeOf } from './fraction-room.ts';
import type { Reckoned } from './known-amount.ts';
import { amountOf, lacking, pick, reckon } from './known-amount.ts';
import { type EngineState, fractionOf } from './outcome.ts';
import { type FigureName, lineOf } from './printed-lines.ts';

/** What there is of one GPU, and what takes it. */
export function rowsOf(state: EngineState, pool: Reckoned, basis: KvBudget['basis']): readonly BudgetRow[] {
  const { figures, knobs } = state;
  const fraction = fractionOf(state);
  const rows: BudgetRow[] = [{ name: 'memory of the GPU', bytes: sized(state, 'totalBytes') }, ...freeRow(state)];
  if (knobs.fractionOf === 'total') rows.push(shareRow(state, fraction));
  const counted = weightsOf(state);
  const weights = counted.kind === 'known' ? counted : sized(state, 'weightsBytes');
  const guess =
    figures.weightsBytes === undefined && weights.kind === 'known' ? { note: 'from the parameter count' } : {};
  rows.push({ name: 'weights', bytes: weights, ...guess, ...layersNote(state) });
  rows.push(...besideRows(state, basis));
  const printed = sized(state, 'kvAvailableBytes');
  const cache = printed.kind === 'known' ? printed : pool.kind === 'known' ? pool : printed;
  const isGuess = printed.kind === 'unknown' && basis === 'estimated';
  rows.push({ name: 'KV cache', bytes: cache, ...(isGuess ? { note: 'estimated' } : {}) });
  rows.push(...restRow(state, fraction, cache));
  rows.push({ name: 'CUDA graphs', bytes: sized(state, 'graphBytes'), note: graphNote(state) });
  if (knobs.fractionOf === 'total') rows.push(reserveRow(state, fraction));
  return rows;
}

// What the fraction of such an engine is one of, and all that one without a fraction has room for.
function freeRow({ knobs, figures }: EngineState): readonly BudgetRow[] {
  const { loadFreeBytes, devices = 1 } = figures;
  const counts = knobs.ofFreeBeforeLoad === true || (knobs.fractionOf === 'none' && devices === 1);
  if (!counts || loadFreeBytes === undefined) return [];
  return [{ name: 'free before loading', bytes: { kind: 'known', value: loadFreeBytes } }];
}

function shareRow(state: EngineState, fraction: number | undefined): BudgetRow {
  const bytes = fraction === undefined ? lacking('the engine arguments') : shareOf(state, fraction);
  if (fraction === undefined) return { name: 'engine share', bytes };
  const { ofCard } = roomOf(state);
  const kept = ofCard === 1 ? '' : ` x ${state.knobs.keepsBack?.variable} ${ofCard}`;
  return { name: 'engine share', bytes, note: `${state.knobs.fraction} ${fraction}${kept}` };
}

// What the fraction gives, less what the engine keeps back of it.
function shareOf(state: EngineState, fraction: number | undefined): Reckoned {
  const { ofCard } = roomOf(state);
  const whole = lineOf(state.engine, wholeName(state.knobs));
  return reckon(
    { [whole]: wholeOf(state), 'the engine arguments': fraction },
    (of) => pick(of, whole) * pick(of, 'the engine arguments') * ofCard,
  );
}

// Printed one by one, or estimated together.
function besideRows(state: EngineState, basis: KvBudget['basis']): readonly BudgetRow[] {
  const { figures, knobs } = state;
  const weights = amountOf(weightsOf(state));
  const isPrinted = figures.activationBytes !== undefined && figures.nonTorchBytes !== undefined;
  if (basis !== 'estimated' || isPrinted || weights === undefined || knobs.fractionOf === 'none') {
    return [passRow(state), { name: 'context, communication, libraries', bytes: sized(state, 'nonTorchBytes') }];
  }
  const value = overheadBytes({ ...state, batchedTokens: stepTokensOf(state) }, weights);
  return [{ name: 'activations, context, libraries', bytes: { kind: 'known', value }, note: 'estimated' }];
}

// llama.cpp and Ollama set the buffers of a pass aside at the load.
function passRow(state: EngineState): BudgetRow {
  const bytes = sized(state, 'activationBytes');
  if (state.knobs.fractionOf !== 'none') return { name: 'peak activations', bytes };
  const refused = state.figures.failedBuffer === 'compute' ? 'refused; ' : '';
  return { name: 'compute buffer', bytes, note: `${refused}grows with tokens per step and context` };
}

function layersNote({ figures }: EngineState): Pick<BudgetRow, 'note'> {
  const { gpuLayers, modelLayers } = figures;
  if (gpuLayers === undefined || modelLayers === undefined) return {};
  return { note: `${gpuLayers} of ${modelLayers} layers${figures.failedBuffer === 'weights' ? ', refused' : ''}` };
}

// Where the engine does not print them separately: all that is neither weights nor cache, as far as it lies inside the fraction.
function restRow(state: EngineState, fraction: number | undefined, cache: Reckoned): readonly BudgetRow[] {
  const { figures, knobs } = state;
  const { weightsBytes, kvAvailableBytes, activationBytes, nonTorchBytes } = figures;
  const hasOwnRows = activationBytes !== undefined && nonTorchBytes !== undefined;
  if (knobs.fractionOf !== 'total' || !knobs.activationsInside || hasOwnRows || kvAvailableBytes === undefined)
    return [];
  const bytes = reckon(
    { share: amountOf(shareOf(state, fraction)), weightsBytes, cache: amountOf(cache) },
    (of) => of.share - of.weightsBytes - of.cache,
  );
  if (bytes.kind === 'unknown' || bytes.value < 0) return [];
  return [{ name: 'other, inside the engine share', bytes, note: 'the rest: activations, context, libraries' }];
}

function sized(state: EngineState, figure: FigureName & keyof Figures): Reckoned {
  const value = state.figures[figure];
  return typeof value === 'number' ? { kind: 'known', value } : lacking(lineOf(state.engine, figure));
}

function graphNote({ engine, version }: EngineState): string {
  const inside = graphsInsideFraction(engine, version);
  if (inside === undefined) return 'inside or outside the engine share, by version and model';
  return inside ? 'inside the engine share' : 'outside the engine share';
}

function reserveRow(state: EngineState, fraction: number | undefined): BudgetRow {
  const { figures, engine, version } = state;
  const graphs = graphsInsideFraction(engine, version) === false ? figures.graphBytes : 0;
  const share = shareOf(state, fraction);
  if (share.kind === 'unknown') return { name: 'reserve outside', bytes: share };
  const value = (wholeOf(state) ?? Number.NaN) - share.value - (graphs ?? 0);
  return {
    name: 'reserve outside',
    bytes: { kind: 'known', value },
    ...(graphs !== undefined && graphs > 0 ? { note: 'after the graphs' } : {}),
  };
}
