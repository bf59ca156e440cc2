import type { Bound } from '../model/plan.ts';
import {
  type Asked,
  askedOf,
  contextOf,
  type FitContext,
  type FitInput,
  lengthOf,
  type Now,
  nowOf,
} from './fit-context.ts';
import { highestFraction } from './highest-fraction.ts';

// As far below what a profile asks as a hand may go.
const REACH = 4;

/**
 * Between what each value of a profile may be edited: counts from a quarter of what it asks up to what is in force, the
 * fraction the way the signature moves it. Nothing of a profile raises a count.
 */
export function profileBounds(input: FitInput): readonly Bound[] {
  const context = contextOf(input);
  if (context === undefined) return [];
  const flags = [...new Set(context.profile.set.map(({ flag }) => flag))];
  return flags.flatMap((flag) => boundOf(context, flag) ?? []);
}

function boundOf(context: FitContext, flag: string): Bound | undefined {
  const now = nowOf(context, flag);
  const asked = askedOf(context, flag, now?.high);
  if (asked.kind !== 'asked') return undefined;
  if (flag === context.knobs.fraction) return now && fractionBound(context, asked, now);
  const inForce = flag === context.knobs.length ? lengthInForce(context) : now?.high;
  const max = inForce ?? asked.value;
  return { flag, min: Math.max(1, Math.min(Math.floor(asked.value / REACH), max)), max };
}

// A length that the engine itself says cannot fit is none to go back to, unless more room is being made.
function lengthInForce(context: FitContext): number | undefined {
  const now = lengthOf(context);
  const most = context.direction === 'raise' ? undefined : context.figures.estimatedMaxLen;
  return now === undefined || most === undefined ? now : Math.min(now, most);
}

function fractionBound(context: FitContext, { setting, value }: Extract<Asked, { kind: 'asked' }>, now: Now): Bound {
  const { flag } = setting;
  if (context.direction === 'raise')
    return { flag, min: now.low, max: Math.max(now.high, highestFraction(context) ?? 0) };
  return { flag, min: Math.min(value, now.low), max: now.high };
}
