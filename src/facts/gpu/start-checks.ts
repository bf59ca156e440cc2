import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { citedNumber, computed, fact, factOf, type Group, ratio } from '../draft.ts';
import { readDraftModel } from '../evidence/draft-model.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Weighed } from '../evidence/weigh.ts';
import { ranksOf } from '../ram/ranks.ts';
import { gpuTotal, UNIFIED } from './card.ts';
import { capturedSize, difference, hitWith } from './graph-memory.ts';
import { profileBalance } from './profile-balance.ts';
import { namedWeights } from './weights-size.ts';

/** What engines measure and compare when they start: what was free, what others held, whether the cards are alike. */
export function deriveStartChecks(evidence: Evidence): Group {
  const { weighing, log } = evidence;
  const check = hitWith(weighing.all, 'vllm.start.free-less-than-desired');
  const balance = hitWith(weighing.all, 'vllm.start.profiling-error');
  const listed = freestListed(weighing.all);
  const taken = takenBefore(evidence, listed);
  const [free, total] = [capturedSize(check, 'free'), totalAtStart(evidence)];
  return {
    'gpu.taken-before-start': taken,
    'gpu.taken-before-start-share': computed(
      [taken && citedNumber(taken), listed ? capturedSize(listed, 'total') : gpuTotal(evidence)],
      ratio,
    ),
    'gpu.free-at-start': factOf(free),
    'gpu.total-at-start': factOf(total),
    'gpu.free-at-start-share': computed([free, total], ratio),
    'gpu.short-of-fraction': difference(check, 'requested', 'free'),
    'gpu.profile-balance': balance && profileBalance(balance, log.main?.tail ?? ''),
    'engine.draft-model': readDraftModel(evidence),
  };
}

/** The memory of the device as the engine prints it at its start: in vLLM's check of what is free, else in an account of the card. */
export function totalAtStart({ weighing, engine }: Pick<Evidence, 'weighing' | 'engine'>): Cited<number> | undefined {
  return capturedSize(hitWith(weighing.all, 'vllm.start.free-less-than-desired'), 'total') ?? engine.figures.totalBytes;
}

// Who is refused before the start holds nothing yet: whoever nvidia-smi lists is another.

function takenBefore(evidence: Evidence, listed: Weighed | undefined): Fact | undefined {
  const { all } = evidence.weighing;
  const check = hitWith(all, 'vllm.start.free-less-than-desired');
  if (check !== undefined) return difference(check, 'total', 'free');
  return (
    besideWeights(evidence) ??
    difference(listed, 'total', 'free') ??
    // Less is free than when the same engine was started on this card before (vLLM v1/worker/startup_plan.py).
    difference(hitWith(all, 'vllm.num.startup-plan'), 'base', 'free') ??
    besideExternal(hitWith(all, 'vllm.start.external-weights'))
  );
}

// A name rounds the size, and of a quantised model it leaves out what keeps 16 bits.
const NAME_UNDERSTATES = 1.25;

// V0 measures before its profile run, when its own weights are on the card already.
function besideWeights({ engine, weighing, args }: Evidence): Fact | undefined {
  const named = namedWeights(args);
  const weights =
    engine.figures.weightsBytes ?? (named && { ...named, value: (named.value / ranksOf(args)) * NAME_UNDERSTATES });
  const used = capturedSize(hitWith(weighing.all, 'vllm.start.initial-usage'), 'initial');
  return weights && used && fact(Math.max(0, used.value - weights.value), [used.from, weights.from]);
}

// The budget is the fraction of the card less the weights that another process keeps there for this engine: what is in use
// beyond these is somebody else's (vLLM v1/worker/utils.py, request_memory).
function besideExternal(refused: Weighed | undefined): Fact | undefined {
  const fraction = Number(refused?.hit.captures.util ?? Number.NaN);
  const sizes = ['total', 'free', 'budget'].map((name) => capturedSize(refused, name));
  return computed(sizes, (total = 0, free = 0, budget = 0) => {
    const external = total * fraction - budget;
    return Math.max(0, total - free - Math.max(0, external));
  });
}

// Ollama lists the cards before it has loaded anything, and places a model where most is free (ollama/ollama discover/types.go).
// A card that shares its memory with the CPU is never empty.
function freestListed(all: readonly Weighed[]): Weighed | undefined {
  const cards = all.filter(
    ({ phrase, hit }) =>
      phrase.id === 'ollama.num.compute' &&
      /^(?:cuda|rocm)$/i.test(hit.captures.library ?? '') &&
      !/ type=iGPU\b/i.test(hit.clean) &&
      !UNIFIED.test(hit.clean),
  );
  const free = (card: Weighed) => capturedSize(card, 'free')?.value ?? 0;
  return cards.toSorted((a, b) => free(b) - free(a))[0];
}

// nvidia-smi lists all cards of the node. Without a variable the driver does not tell which of them a few ranks take.

// `Worker_PP1`, `VllmWorker rank=1`, `rank1`.
