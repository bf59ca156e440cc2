import type { Fact } from '../../../model/fact.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { citeHit, type Weighed } from '../weigh/weigh.ts';
import { keepsPace } from './rises.ts';

const SLEPT = 'vllm.num.sleep';
// A trainer that shares the card sets its optimizer up between the first two; a growth goes on after that.
const LEAST = 4;
const LEAST_GIB = 0.5;

/**
 * Whether what stays in use on the card rises from one sleep of the engine to the next: each stands at the same point of
 * the cycle, with weights and cache given back, so that what rises is held by nobody's work
 * (vllm-project/vllm v1/worker/gpu_worker.py, sleep).
 */
export function readSleepGrowth({ weighing }: Pick<Evidence, 'weighing'>): Fact | undefined {
  const slept = weighing.all.filter(({ phrase }) => phrase.id === SLEPT);
  for (const process of new Set(slept.map(processOf))) {
    const own = slept.filter((weighed) => processOf(weighed) === process);
    if (rises(own)) return fact(true, own.slice(-LEAST).map(citeHit));
  }
  return undefined;
}

// Workers of one name differ in their numbers.
function processOf({ hit }: Weighed): string | undefined {
  return /\b(?:pid|rank)=\d{1,10}/.exec(hit.text)?.[0] ?? hit.process;
}

function rises(slept: readonly Weighed[]): boolean {
  const used = slept.map(({ hit }) => Number(hit.captures.used));
  const steps = used.slice(1).map((gib, at) => gib - (used[at] ?? 0));
  const whole = (used.at(-1) ?? 0) - (used[0] ?? 0);
  if (used.length < LEAST || whole < LEAST_GIB || steps.some((step) => !(step > 0))) return false;
  return keepsPace(steps.at(-1) ?? 0, whole / steps.length);
}
