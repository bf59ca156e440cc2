import type { BudgetOutcome } from '../model/budget.ts';
import {
  type Advice,
  type AdviceInput,
  type Advised,
  LOWEST_FRACTION,
  lengthToSet,
  outcomeAt,
} from './advice-input.ts';
import { freeFraction, growthOf } from './fraction-room.ts';
import { amountOf, hundredths } from './known-amount.ts';
import { fractionIn } from './profiles.ts';

// For an engine of which the book says nothing.
const STEP = 0.03;
// Below this a server is of no use to anyone.
const LEAST_LENGTH = 1024;

const FROM = ['engine.utilization', 'gpu.want', 'gpu.free', 'gpu.total'];
const POOL = ['engine.kv-available', 'engine.kv-tokens', 'engine.utilization', 'gpu.total'];
const ONE = ['engine.max-model-len', 'engine.kv-needed', 'engine.kv-tokens', 'engine.kv-available'];

/**
 * The fraction after a failure outside the pool: so much less that twice of what was missing stays outside, at least a step.
 * Where the pool would then not hold one sequence, what takes its place: a shorter pass with it, or a shorter length.
 */
export function adviseLower(input: AdviceInput): Advice {
  const wanted = wantedFraction(input);
  if (wanted === undefined) return {};
  const own: Advised = { value: wanted, from: FROM };
  const outcome = outcomeAt(input.state, { fraction: wanted });
  if (outcome.start.kind === 'refuses') {
    return { 'advice.utilization-wanted': own, ...refused(input, wanted, outcome) };
  }
  const fits: Advice = outcome.start.proven ? { 'advice.lowering-fits': { value: true, from: [...POOL, ...ONE] } } : {};
  return { 'advice.utilization-wanted': own, 'advice.utilization-lower': own, ...fits };
}

function wantedFraction({ state, utilization, wantBytes, freeBytes }: AdviceInput): number | undefined {
  const bytes = bytesOfFraction(state);
  if (utilization === undefined || wantBytes === undefined || freeBytes === undefined || bytes === undefined) {
    return undefined;
  }
  const missing = Math.max(0, wantBytes - freeBytes);
  const step = fractionIn(state.book, state.engine)?.step ?? STEP;
  const lower = hundredths(utilization - Math.max(step, (2 * missing) / bytes), 'down');
  const next = Math.min(lower, freeFraction(state) ?? lower);
  return next >= LOWEST_FRACTION ? next : undefined;
}

// What 1.0 of the fraction is: of the GPU, or of what is free after the weights.
function bytesOfFraction(state: AdviceInput['state']): number | undefined {
  const { knobs, utilization } = state;
  const { kvAvailableBytes } = state.figures;
  if (knobs.fractionOf === 'free' && kvAvailableBytes !== undefined && kvAvailableBytes > 0 && utilization) {
    return kvAvailableBytes / utilization;
  }
  return growthOf(state);
}

function refused({ state }: AdviceInput, wanted: number, outcome: BudgetOutcome): Advice {
  const { lengthTokens } = outcome;
  const [pool, each] = [amountOf(outcome.pool), amountOf(outcome.bytesPerToken)];
  const all = [...POOL, ...ONE];
  const shorter = pool === undefined || each === undefined ? undefined : lengthToSet(Math.max(0, pool) / each);
  const holds =
    shorter !== undefined &&
    shorter >= LEAST_LENGTH &&
    shorter < (lengthTokens ?? Number.POSITIVE_INFINITY) &&
    outcomeAt(state, { fraction: wanted, length: shorter }).start.kind === 'starts';
  return {
    'advice.lowering-fits': { value: false, from: all },
    'advice.max-model-len-lowered': holds ? { value: shorter, from: all } : undefined,
  };
}
