import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { HIGHEST_FRACTION, LENGTH_SHARE, VLLM_BLOCK_TOKENS } from '../../model/safe-values.ts';
import { citedNumber, computed, type Group } from './draft.ts';

type Facts = Readonly<Record<string, Fact | undefined>>;

const GIB = 1024 ** 3;
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
  if (estimated !== undefined) return computed([estimated], (length) => wholeBlocks(length * LENGTH_SHARE));
  const length = of('engine.max-model-len');
  const byRatio = computed([length, of('engine.kv-available'), of('engine.kv-needed')], (l, available, needed) =>
    needed > available && available > 0 ? wholeBlocks(((l * available) / needed) * LENGTH_SHARE) : undefined,
  );
  return (
    byRatio ??
    computed([of('engine.kv-tokens'), length], (tokens, l) =>
      tokens < l ? wholeBlocks(tokens * LENGTH_SHARE) : undefined,
    )
  );
}

// Lengths are rounded down to whole KV blocks of vLLM's default size.
function wholeBlocks(tokens: number): number | undefined {
  const whole = Math.floor(tokens / VLLM_BLOCK_TOKENS) * VLLM_BLOCK_TOKENS;
  return whole > 0 ? whole : undefined;
}

function raised(of: Lookup): Fact | undefined {
  const parts = [of('engine.utilization'), of('engine.kv-needed'), of('engine.kv-available'), of('gpu.total')];
  return computed(parts, (fraction, needed, available, total) => {
    const next = Math.ceil((fraction + (needed - available) / total) * 100) / 100;
    const room = (1 - next) * total;
    return next > fraction && next <= HIGHEST_FRACTION && room >= GIB ? round(next) : undefined;
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
