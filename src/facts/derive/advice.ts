import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import {
  ABOVE_LEAST_FRACTION,
  HIGHEST_FRACTION,
  LENGTH_SHARE,
  ROOM_OUTSIDE_BYTES,
  wholeBlocks,
} from '../../model/safe-values.ts';
import { citedNumber, computed, type Group } from './draft.ts';

type Facts = Readonly<Record<string, Fact | undefined>>;

// A fraction below this leaves too little for any model that filled the card before.
const LOWEST_FRACTION = 0.3;

/** Arguments computed from the numbers that the engine printed: pure sums over facts that are known already. */
export function deriveAdvice(facts: Facts): Group {
  const of = (id: string): Cited<number> | undefined => citedNumber(facts[id]);
  return {
    'advice.max-model-len': below(maxModelLen(of), of('engine.max-model-len')),
    'advice.utilization-raise': raised(of),
    'advice.utilization-lower': lowered(of),
    'advice.utilization-fit': below(fitting(of), of('engine.utilization')),
    'advice.max-num-seqs': halved(of('engine.max-num-seqs'), 1),
    'advice.max-batched-tokens': halved(of('engine.max-batched-tokens'), 2 * 1024),
  };
}

// What is meant to lower a value says nothing where the value in force, as it is known, is no higher.
function below(advice: Fact | undefined, inForce: Cited<number> | undefined): Fact | undefined {
  const next = citedNumber(advice);
  return next !== undefined && inForce !== undefined && next.value >= inForce.value ? undefined : advice;
}

type Lookup = (id: string) => Cited<number> | undefined;

// The engine's own estimate where it prints one, else length times available over needed.
function maxModelLen(of: Lookup): Fact | undefined {
  const estimated = of('engine.estimated-max-len');
  if (estimated !== undefined) return computed([estimated], toSet);
  const length = of('engine.max-model-len');
  const byRatio = computed([length, of('engine.kv-available'), of('engine.kv-needed')], (l, available, needed) =>
    needed > available && available > 0 ? toSet((l * available) / needed) : undefined,
  );
  return byRatio ?? computed([of('engine.kv-tokens'), length], (tokens, l) => (tokens < l ? toSet(tokens) : undefined));
}

function toSet(longest: number): number | undefined {
  return wholeBlocks(longest * LENGTH_SHARE) || undefined;
}

// The least that the engine names where it does, else what is missing for one sequence of the maximum length.
function raised(of: Lookup): Fact | undefined {
  const least = of('engine.least-fraction');
  if (least !== undefined) {
    return computed([of('engine.utilization'), least], (fraction, edge) => {
      const next = Math.ceil((edge + ABOVE_LEAST_FRACTION) * 100 - 1e-6) / 100;
      return next > fraction && next <= HIGHEST_FRACTION ? round(next) : undefined;
    });
  }
  const parts = [of('engine.utilization'), of('engine.kv-needed'), of('engine.kv-available'), of('gpu.total')];
  return computed(parts, (fraction, needed, available, total) => {
    const next = Math.ceil((fraction + (needed - available) / total) * 100) / 100;
    const room = (1 - next) * total;
    return next > fraction && next <= HIGHEST_FRACTION && room >= ROOM_OUTSIDE_BYTES ? round(next) : undefined;
  });
}

function lowered(of: Lookup): Fact | undefined {
  const parts = [of('engine.utilization'), of('gpu.want'), of('gpu.free'), of('gpu.total')];
  return computed(parts, (fraction, want, free, total) => {
    const missing = Math.max(0, want - free);
    const next = Math.floor((fraction - Math.max(0.03, (2 * missing) / total)) * 100 + 1e-6) / 100;
    return next >= LOWEST_FRACTION ? round(next) : undefined;
  });
}

function fitting(of: Lookup): Fact | undefined {
  return computed([of('gpu.free-at-start'), of('gpu.total-at-start')], (free, total) => {
    const next = Math.floor((free / total) * 100 - 1 + 1e-6) / 100;
    return next >= LOWEST_FRACTION ? round(next) : undefined;
  });
}

function halved(value: Cited<number> | undefined, least: number): Fact | undefined {
  return computed([value], (number) => (number >= 2 * least ? Math.floor(number / 2) : undefined));
}

function round(share: number): number {
  return Math.round(share * 100) / 100;
}
