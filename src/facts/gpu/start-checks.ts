import type { Fact } from '../../model/fact.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { capturedSize, difference, findFreeCheck, findRole, totalAtStart } from '../evidence/free-check.ts';
import { ranksOf } from '../evidence/ranks.ts';
import { citeHit, type Weighed } from '../evidence/weigh.ts';
import { citedNumber, computed, fact, ratio } from '../log/draft.ts';
import { LOG } from '../log/needs.ts';
import { gpuTotal, UNIFIED } from './gpu-total.ts';
import { namedWeights } from './weights-size.ts';

const FREE_CHECK = 'the line of the free-memory check at the start of the engine';

/** What engines measure and compare when they start. */
export const GPU_START = defineFacts(
  {
    'gpu.taken-before-start': { unit: 'bytes', says: 'in use on the GPU before the engine started', needs: FREE_CHECK },
    'gpu.taken-before-start-share': {
      unit: 'share',
      says: 'in use on the GPU before the engine started, as a share of its memory',
      needs: FREE_CHECK,
    },
    'gpu.free-at-start-share': {
      unit: 'share',
      says: 'free on the GPU when the engine started, as a share of its memory',
      needs: FREE_CHECK,
    },
    'gpu.short-of-fraction': {
      unit: 'bytes',
      says: 'shortage against the share of GPU memory that the engine was told to take',
      needs: FREE_CHECK,
    },
    'gpu.profile-balance': {
      unit: 'choice',
      values: ['freed', 'unmoved'],
      says: 'what the check of the memory profile complains of',
      needs: LOG,
    },
  },
  (evidence) => {
    const { weighing, log } = evidence;
    const check = findFreeCheck(evidence);
    const balance = findRole(weighing.all, 'profile-error');
    const listed = freestListed(weighing.all);
    const taken = takenBefore(evidence, listed);
    const total = listed ? capturedSize(listed, 'total') : gpuTotal(evidence);
    return {
      'gpu.taken-before-start': taken,
      'gpu.taken-before-start-share': computed([citedNumber(taken), total], ratio),
      'gpu.free-at-start-share': computed([capturedSize(check, 'free'), totalAtStart(evidence)], ratio),
      'gpu.short-of-fraction': difference(check, 'requested', 'free'),
      'gpu.profile-balance': balance && profileBalance(balance, log.main?.tail ?? ''),
    };
  },
);

function takenBefore(evidence: Evidence, listed: Weighed | undefined): Fact | undefined {
  const { all } = evidence.weighing;
  const check = findFreeCheck(evidence);
  if (check !== undefined) return difference(check, 'total', 'free');
  return (
    usedOverWeights(evidence) ??
    difference(listed, 'total', 'free') ??
    // Less is free than when the same engine was started on this GPU before (vLLM v1/worker/startup_plan.py).
    difference(
      all.find(({ hit }) => hit.captures.base !== undefined),
      'base',
      'free',
    ) ??
    usedOverBudget(all.find(({ hit }) => hit.captures.util !== undefined && hit.captures.budget !== undefined))
  );
}

// A name rounds the size, and of a quantized model it leaves out what keeps 16 bits.
const NAME_UNDERSTATES = 1.25;

// V0 measures before its profile run, when its own weights are on the GPU already.
function usedOverWeights({ engine, weighing, args }: Evidence): Fact | undefined {
  const named = namedWeights(args);
  const weights =
    engine.figures.weightsBytes ?? (named && { ...named, value: (named.value / ranksOf(args)) * NAME_UNDERSTATES });
  const used = capturedSize(findRole(weighing.all, 'initial-usage'), 'initial');
  return weights && used && fact(Math.max(0, used.value - weights.value), [used.from, weights.from]);
}

// The budget is the fraction of the GPU less the weights that another process keeps there for this engine: what is in use
// beyond these is another process's (vLLM v1/worker/utils.py, request_memory).
function usedOverBudget(refused: Weighed | undefined): Fact | undefined {
  const fraction = Number(refused?.hit.captures.util ?? Number.NaN);
  const sizes = ['total', 'free', 'budget'].map((name) => capturedSize(refused, name));
  return computed(sizes, (total = 0, free = 0, budget = 0) => {
    const external = total * fraction - budget;
    return Math.max(0, total - free - Math.max(0, external));
  });
}

// Ollama lists the GPUs before it has loaded anything, and places a model where most is free (ollama/ollama discover/types.go).
// A GPU that shares its memory with the CPU is never empty.
function freestListed(all: readonly Weighed[]): Weighed | undefined {
  const gpus = all.filter(
    ({ hit }) =>
      /^(?:cuda|rocm)$/i.test(hit.captures.library ?? '') &&
      !/ type=iGPU\b/i.test(hit.clean) &&
      !UNIFIED.test(hit.clean),
  );
  const free = (gpu: Weighed) => capturedSize(gpu, 'free')?.value ?? 0;
  return gpus.toSorted((a, b) => free(b) - free(a))[0];
}

// V0 compared what was free, its later versions what was used (vllm/worker/worker.py v0.6.6, v0.10.2).
const BALANCE = /Initial (free|used) memory ([\d.]+)(?: GiB)?,? current(?:ly)? (?:free|used) memory ([\d.]+)/;

// Whether memory was freed, or did not move, while the engine measured its profile run; the sentence may be wrapped.
function profileBalance(weighed: Weighed, tail: string): Fact | undefined {
  const match = BALANCE.exec(weighed.hit.clean) ?? BALANCE.exec(tail.replaceAll(/\s+/g, ' '));
  if (match === null) return undefined;
  const grown = Number(match[3]) - Number(match[2]);
  const freed = match[1] === 'free' ? grown : -grown;
  return fact(freed < 0 ? undefined : freed > 0 ? 'freed' : 'unmoved', [citeHit(weighed)]);
}
