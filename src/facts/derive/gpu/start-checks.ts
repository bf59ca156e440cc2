import type { Cited } from '../../../model/engine-reader.ts';
import type { Fact } from '../../../model/fact.ts';
import { GIB } from '../../../model/quantity.ts';
import type { SmiGpu } from '../../text/nvidia-smi.ts';
import { citedNumber, computed, fact, factOf, type Group, ratio } from '../draft.ts';
import { readDraftModel } from '../error/draft-model.ts';
import type { Evidence } from '../evidence.ts';
import { ranksOf } from '../ram/ranks.ts';
import type { Weighed } from '../weigh/weigh.ts';
import { capturedSize, difference, hitWith } from './captured.ts';
import { gpuTotal, UNIFIED } from './card.ts';
import { readLead } from './card-use.ts';
import { heldOn } from './neighbour-listed.ts';
import { profileBalance } from './profile-balance.ts';
import { visibleCards } from './visible.ts';
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
    'gpu.listed-before-start': free && factOf(largestListed(evidence)),
    'gpu.total-at-start': factOf(total),
    'gpu.free-at-start-share': computed([free, total], ratio),
    'gpu.short-of-fraction': difference(check, 'requested', 'free'),
    'gpu.profile-balance': balance && profileBalance(balance, log.main?.tail ?? ''),
    'gpu.smallest-free-share': smallestFree(evidence),
    'gpu.kv-uneven': unevenRoom(weighing.all),
    'gpu.weights-per-room': partOfRoom(weighing.all, 'weights'),
    'gpu.work-per-room': partOfRoom(weighing.all, 'work'),
    'gpu.lead-share': readLead(evidence),
    'engine.draft-model': readDraftModel(evidence),
  };
}

/** The memory of the device as the engine prints it at its start: in vLLM's check of what is free, else in an account of the card. */
export function totalAtStart({ weighing, engine }: Pick<Evidence, 'weighing' | 'engine'>): Cited<number> | undefined {
  return capturedSize(hitWith(weighing.all, 'vllm.start.free-less-than-desired'), 'total') ?? engine.figures.totalBytes;
}

// Who is refused before the start holds nothing yet: whoever nvidia-smi lists is another.
function largestListed({ smi }: Evidence): Cited<number> | undefined {
  const sizes = (smi?.processes ?? []).flatMap(({ used }) => used ?? []);
  return sizes.toSorted((a, b) => b.value - a.value)[0];
}

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

/**
 * What was free of the smallest card, where SGLang compares what is free on the cards of all ranks; undefined where its cards
 * are not known, are alike, or another program is listed on one of them.
 */
function smallestFree(evidence: Evidence): Fact | undefined {
  const least = capturedSize(hitWith(evidence.weighing.all, 'sglang.start.unbalanced'), 'least');
  const cards = ownCards(evidence);
  const totals = cards.flatMap(({ total }) => total ?? []).toSorted((a, b) => a.value - b.value);
  const isTaken = cards.some((card) => (heldOn(card, evidence.smi?.processes ?? [], evidence)?.value ?? 0) >= GIB);
  if (isTaken || totals[0]?.value === totals.at(-1)?.value) return undefined;
  const share = computed([least, totals[0]], ratio);
  // More free than the card has: it is none of the engine's.
  return share?.kind === 'known' && Number(share.value) > 1 ? undefined : share;
}

// nvidia-smi lists all cards of the node. Without a variable the driver does not tell which of them a few ranks take.
function ownCards(evidence: Evidence): readonly SmiGpu[] {
  const seen = visibleCards(evidence);
  const ranks = ranksOf(evidence.args);
  return ranks > 1 && ranks < seen.length ? [] : seen;
}

/** The weights against what MLC LLM has room for, where it adds its work space to them. */
function partOfRoom(all: readonly Weighed[], part: 'weights' | 'work'): Fact | undefined {
  const refused = hitWith(all, 'mlc.insufficient');
  return computed([capturedSize(refused, part), capturedSize(refused, 'room')], ratio);
}

// `Worker_PP1`, `VllmWorker rank=1`, `rank1`.
const RANK = /(?:TP|PP|rank)[ =]?\d/;

/** Whether one rank of the start had room for a KV cache where another had none: each says so for itself. */
function unevenRoom(all: readonly Weighed[]): Fact | undefined {
  const rooms = all.flatMap((one): readonly (Cited<number> & { readonly process: string })[] => {
    const { process } = one.hit;
    if (one.phrase.id !== 'vllm.num.available-kv' || process === undefined || !RANK.test(process)) return [];
    const room = capturedSize(one, 'gib');
    return room === undefined ? [] : [{ ...room, process }];
  });
  const [none, some] = [rooms.find(({ value }) => value <= 0), rooms.find(({ value }) => value > 0)];
  if (rooms.length < 2) return undefined;
  const isUneven = none !== undefined && some !== undefined && none.process !== some.process;
  return fact(isUneven, isUneven ? [none.from, some.from] : rooms.map(({ from }) => from));
}
