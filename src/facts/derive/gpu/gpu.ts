import type { Cited } from '../../../model/engine-reader.ts';
import type { Fact } from '../../../model/fact.ts';
import { GIB, MIB, parseSize } from '../../../model/quantity.ts';
import type { MemoryAccount } from '../../memory-account.ts';
import { readCourseGrowth } from '../course/course-growth.ts';
import { readSleepGrowth } from '../course/sleep-growth.ts';
import { citedNumber, computed, fact, factOf, type Group, ratio } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { shapeFact, valueBefore } from '../figures.ts';
import { notedField } from '../noted-field.ts';
import { clearedBy, growthNoted } from '../ram/ram.ts';
import { lastLine } from '../weigh/tail-lines.ts';
import { citeHit, type Weighed } from '../weigh/weigh.ts';
import { onlyRank, usedGpus } from './idle-gpus.ts';
import { foreignListed, neighbourShare, siblingsListed } from './neighbour-listed.ts';
import { profileBalance } from './profile-balance.ts';
import { readRanksSpin } from './ranks-spin.ts';
import { sharedGpu } from './shared-card.ts';
import { ofSlack } from './slack.ts';

/** GPU memory: the card, the account of the line that reports the failure, and the checks of the start. */
export function deriveGpu(evidence: Evidence): Group {
  return {
    ...ofCard(evidence),
    ...ofUse(evidence),
    ...ofFailure(evidence),
    ...ofAccount(evidence),
    ...ofStart(evidence),
  };
}

function ofCard(evidence: Evidence): Group {
  const { node, spec, smi, incident } = evidence;
  const product = node?.product.kind === 'known' ? node.product : factOf(smi?.gpus[0]?.name);
  const noted = notedField(incident?.gpu?.model, '/gpu/model');
  const totals = new Set((smi?.gpus ?? []).flatMap(({ total }) => total?.value ?? []));
  return {
    'gpu.product': product ?? factOf(noted),
    'gpu.count': spec.gpuCount.kind === 'known' ? spec.gpuCount : (node?.count ?? spec.gpuCount),
    'gpu.unified': unifiedFact(product ?? factOf(noted)),
    'gpu.uneven': fact(
      totals.size > 0 ? totals.size > 1 : undefined,
      (smi?.gpus ?? []).flatMap(({ total }) => total?.from ?? []),
    ),
    'gpu.shared-by-plugin': sharedGpu(evidence),
    'gpu.neighbour-listed-share': neighbourShare(evidence),
  };
}

// One memory for CPU and GPU: Grace Blackwell desktop, Jetson, Apple, and AMD's large integrated GPUs.
const UNIFIED =
  /GB10|DGX[ -]?Spark|Jetson|Orin|\bThor\b|Apple|\bM[1-9] (?:Max|Pro|Ultra)|Strix|Ryzen AI|8060S|unified/i;

function unifiedFact(product: Fact | undefined): Fact | undefined {
  if (product?.kind !== 'known' || typeof product.value !== 'string') return undefined;
  return fact(UNIFIED.test(product.value), product.from);
}

function ofUse(evidence: Evidence): Group {
  const total = gpuTotal(evidence);
  const smiUsed = (evidence.smi?.gpus ?? []).flatMap(({ used }) => used ?? []).toSorted((a, b) => b.value - a.value)[0];
  const used = valueBefore(evidence, 'gpu.framebuffer.used') ?? smiUsed;
  return {
    'gpu.total': factOf(total),
    'gpu.used': factOf(used),
    'gpu.used-share': computed([used, total], ratio),
    'gpu.shape': shapeFact(evidence, 'gpu.framebuffer.used', total?.value),
    'gpu.growth-noted': readCourseGrowth(evidence, 'gpu') ?? readSleepGrowth(evidence) ?? growthNoted(evidence, 'gpu'),
    'gpu.ranks-spin': readRanksSpin(evidence),
    'gpu.busy-share': factOf(valueBefore(evidence, 'gpu.utilization') ?? evidence.smi?.gpus[0]?.busyShare),
  };
}

/** Memory of one card: by the failure's own account, else by who knows it. */
export function gpuTotal({ account, node, smi, incident }: Evidence): Cited<number> | undefined {
  const ofNode = node === undefined ? undefined : citedNumber(node.gpuMemory);
  const nominal = notedField(incident?.gpu?.memory_gib, '/gpu/memory_gib');
  const ofIncident = nominal && { value: nominal.value * GIB, from: nominal.from };
  return account?.total ?? smi?.gpus[0]?.total ?? ofNode ?? ofIncident;
}

// Phrases that say "out of memory" without the figures of PyTorch's allocator.
const BARE = /^(?:cuda\.(?:error|oom|runtime|cublas)|torch\.oom\.class\.bare)/;

function ofFailure({ weighing, log, account, death }: Evidence): Group {
  const proof = weighing.proofs.find(({ phrase }) => phrase.plane === 'gpu');
  const oom = proof ?? (weighing.decisive?.phrase.plane === 'gpu' ? weighing.decisive : undefined);
  const at = oom?.hit.at;
  const startedAt = death.kind === 'death' ? death.death.end.startedAt : undefined;
  const uptime = at !== undefined && startedAt !== undefined ? (at - startedAt.value) / 1000 : undefined;
  return {
    'gpu.oom-logged': proof ? fact(true, [citeHit(proof)]) : log.main && clearedBy(weighing.decisive, 'gpu'),
    'gpu.oom-bare': oom && fact(account?.want === undefined && BARE.test(oom.phrase.id), [citeHit(oom)]),
    'gpu.oom-at': oom && fact(at, [citeHit(oom)]),
    'gpu.oom-uptime':
      oom &&
      startedAt &&
      fact(uptime !== undefined && uptime >= 0 ? uptime : undefined, [startedAt.from, citeHit(oom)]),
  };
}

// What other allocators print of their request stands in the line of the refusal itself.
function wantInLine({ decisive }: Evidence['weighing']): Cited<number> | undefined {
  if (decisive?.phrase.plane !== 'gpu') return undefined;
  const { mib, bytes, want } = decisive.hit.captures;
  if (mib !== undefined) return { value: Number(mib) * MIB, from: citeHit(decisive) };
  const value = bytes === undefined ? want && parseSize(want) : Number(bytes.replaceAll(',', ''));
  return typeof value === 'number' && value > 0 ? { value, from: citeHit(decisive) } : undefined;
}

function ofOther(evidence: Evidence): Group {
  const want = wantInLine(evidence.weighing);
  return {
    'gpu.want': factOf(want),
    'gpu.want-share': computed([want, gpuTotal(evidence)], ratio),
    'gpu.foreign': factOf(siblingsListed(evidence)),
    'gpu.taken-by-ranks': noRanks(evidence),
  };
}

function ofAccount(evidence: Evidence): Group {
  const { account } = evidence;
  if (account === undefined) return ofOther(evidence);
  const { want, free, total, allocated, reservedUnallocated: slack, unmanaged } = account;
  const { foreign, ranks } = othersOf(account, usedGpus(evidence)?.value);
  return {
    'gpu.capped':
      factOf(account.allowed && { value: true, from: account.allowed.from }) ?? fact(false, total ? [total.from] : []),
    'gpu.want': factOf(want),
    'gpu.want-share': computed([want, total ?? gpuTotal(evidence)], ratio),
    'gpu.free': factOf(free),
    'gpu.free-per-want': computed([free, want], ratio),
    'gpu.allocated': factOf(allocated),
    'gpu.reserved-unallocated': factOf(slack),
    'gpu.private-pools': factOf(account.privatePools),
    'gpu.unmanaged': factOf(unmanaged),
    'gpu.unmanaged-share': computed([unmanaged, total], ratio),
    'gpu.foreign': factOf(foreign ?? foreignListed(evidence) ?? siblingsListed(evidence)),
    'gpu.taken-by-ranks': factOf(ranks) ?? noRanks(evidence),
    'gpu.allocated-share': computed([allocated, total], ratio),
    ...ofSlack(account),
  };
}

function noRanks(evidence: Evidence): Fact | undefined {
  const only = onlyRank(evidence);
  return only && fact(0, [only]);
}

// An engine of one rank has no others: what was started beside it, from one script, is another engine.
function othersOf(
  { foreign, ranks }: MemoryAccount,
  used: number | undefined,
): Pick<MemoryAccount, 'foreign' | 'ranks'> {
  if (used !== 1 || foreign === undefined || ranks === undefined) return { foreign, ranks };
  return { foreign: { ...foreign, value: foreign.value + ranks.value }, ranks: { ...ranks, value: 0 } };
}

function ofStart(evidence: Evidence): Group {
  const { weighing, log } = evidence;
  const check = hitWith(weighing.all, 'vllm.start.free-less-than-desired');
  const initial = hitWith(weighing.all, 'vllm.start.initial-usage');
  const balance = hitWith(weighing.all, 'vllm.start.profiling-error');
  const listed = freestListed(weighing.all);
  const taken = check
    ? difference(check, 'total', 'free')
    : ((initial && besideWeights(evidence, initial)) ?? (listed && difference(listed, 'total', 'free')));
  return {
    'gpu.taken-before-start': taken,
    'gpu.taken-before-start-share': computed(
      [taken && citedNumber(taken), listed ? citedSize(listed, 'total') : gpuTotal(evidence)],
      ratio,
    ),
    'gpu.free-at-start': check && fact(capturedBytes(check, 'free'), [citeHit(check)]),
    'gpu.total-at-start': check && fact(capturedBytes(check, 'total'), [citeHit(check)]),
    'gpu.short-of-fraction': check && difference(check, 'requested', 'free'),
    'gpu.driver-failed': driverFailed(evidence),
    'gpu.refusal-contradicted': contradicted(weighing.all) ?? (log.main && noRefusal(evidence)),
    'gpu.profile-balance': balance && profileBalance(balance, log.main?.tail ?? ''),
  };
}

// V0 measures before its profile run, when its own weights are on the card already.
function besideWeights({ engine }: Evidence, initial: Weighed): Fact | undefined {
  const weights = engine.figures.weightsBytes;
  const used = capturedBytes(initial, 'initial');
  if (weights === undefined || used === undefined) return undefined;
  return fact(Math.max(0, used - weights.value), [citeHit(initial), weights.from]);
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
  return cards.toSorted((a, b) => (capturedBytes(b, 'free') ?? 0) - (capturedBytes(a, 'free') ?? 0))[0];
}

function citedSize(weighed: Weighed, name: string): Cited<number> | undefined {
  const value = capturedBytes(weighed, name);
  return value === undefined ? undefined : { value, from: citeHit(weighed) };
}

function hitWith(weighed: readonly Weighed[], id: string): Weighed | undefined {
  return weighed.find(({ phrase }) => phrase.id === id);
}

/** A size in a capture: with its unit, or a bare number in GiB as vLLM prints it. */
function capturedBytes({ hit }: Weighed, name: string): number | undefined {
  const text = hit.captures[name];
  if (text === undefined) return undefined;
  const bytes = parseSize(text) ?? Number(text) * GIB;
  return Number.isFinite(bytes) ? bytes : undefined;
}

function difference(weighed: Weighed, minuend: string, subtrahend: string): Fact | undefined {
  const [a, b] = [capturedBytes(weighed, minuend), capturedBytes(weighed, subtrahend)];
  return fact(a === undefined || b === undefined ? undefined : Math.max(0, a - b), [citeHit(weighed)]);
}

// MLC LLM counts tokens in 32 bits: what is left of a large card for a model of few or no KV bytes overflows, and the
// refusal then prints figures that fit.
function contradicted(all: readonly Weighed[]): Fact | undefined {
  const refusal = hitWith(all, 'mlc.insufficient');
  if (refusal === undefined) return undefined;
  const [room, weights, work] = ['room', 'weights', 'work'].map((name) => Number(refusal.hit.captures[name]));
  if (room === undefined || weights === undefined || work === undefined) return undefined;
  return fact(Number.isFinite(room + weights + work) ? weights + work < room : undefined, [citeHit(refusal)]);
}

function driverFailed({ weighing, log }: Evidence): Fact | undefined {
  const failed = hitWith(weighing.all, 'ollama.driver-failed');
  const last = lastLine(log.main);
  return failed === undefined ? last && fact(false, [last]) : fact(true, [citeHit(failed)]);
}

function noRefusal({ weighing, log }: Evidence): Fact | undefined {
  const last = lastLine(log.main);
  return hitWith(weighing.all, 'mlc.insufficient') === undefined && last !== undefined
    ? fact(false, [last])
    : undefined;
}
