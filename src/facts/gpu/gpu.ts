import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { gpuByProduct } from '../../model/gpu-table.ts';
import { MIB, parseSize } from '../../model/quantity.ts';
import type { MemoryAccount } from '../../read/engine/memory-account.ts';
import { computed, fact, factOf, type Group, ratio } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { notedField } from '../evidence/snapshot-files.ts';
import { citeHit } from '../evidence/weigh.ts';
import { readIdleGrowth } from '../load/idle-growth.ts';
import { clearedBy } from '../ram/ram.ts';
import { shapeFact, valueBefore } from '../when/series-figures.ts';
import { gpuTotal, isUnifiedBySize, UNIFIED } from './card.ts';
import { nameInLog } from './card-of-log.ts';
import { readHardwareFault } from './hardware-fault.ts';
import { onlyRank, usedGpus } from './idle-gpus.ts';
import { foreignListed, neighbourShare, siblingsListed } from './neighbour-listed.ts';
import { ofSlack } from './slack.ts';
import { deriveStartChecks, totalAtStart } from './start-checks.ts';
import { visibleCards } from './visible.ts';

/** GPU memory: the card, the account of the line that reports the failure, and the checks of the start. */
export function deriveGpu(evidence: Evidence): Group {
  return {
    ...ofCard(evidence),
    ...ofUse(evidence),
    ...ofFailure(evidence),
    ...ofAccount(evidence),
    ...deriveStartChecks(evidence),
    'gpu.hardware-fault': readHardwareFault(evidence),
  };
}

function ofCard(evidence: Evidence): Group {
  const { node, smi, incident } = evidence;
  const product = node?.product.kind === 'known' ? node.product : factOf(smi?.gpus[0]?.name);
  const told = product ?? factOf(notedField(incident?.gpu?.model, '/gpu/model'));
  const cards = visibleCards(evidence);
  const totals = new Set(cards.flatMap(({ total }) => total?.value ?? []));
  return {
    'gpu.product': told ?? factOf(nameInLog(evidence)),
    'gpu.count': countOf(evidence),
    'gpu.unified': unifiedFact(told) ?? unifiedInLog(evidence) ?? unifiedBySize(evidence),
    'gpu.uneven': fact(
      totals.size > 0 ? totals.size > 1 : undefined,
      cards.flatMap(({ total }) => total?.from ?? []),
    ),
    'gpu.neighbour-listed-share': neighbourShare(evidence),
  };
}

// What the container was given goes before what its node has, and that before what somebody noted. One row of nvidia-smi may be
// all that was pasted of many.
function countOf({ node, spec, smi, incident }: Evidence): Fact | undefined {
  const known = [spec.gpuCount, node?.count].find((count) => count?.kind === 'known');
  const listed = smi?.gpus.flatMap(({ total, name }) => total?.from ?? name?.from ?? []) ?? [];
  return (
    known ??
    factOf(notedField(incident?.gpu?.count, '/gpu/count')) ??
    fact(listed.length > 1 ? listed.length : undefined, listed) ??
    spec.gpuCount
  );
}

function unifiedFact(product: Fact | undefined): Fact | undefined {
  if (product?.kind !== 'known' || typeof product.value !== 'string') return undefined;
  return fact(UNIFIED.test(product.value), product.from);
}

// The name that a driver gives an integrated GPU often tells nothing.
function unifiedInLog(evidence: Evidence): Fact | undefined {
  const name = nameInLog(evidence);
  const tells = name !== undefined && (UNIFIED.test(name.value) || gpuByProduct(name.value) !== undefined);
  return tells ? unifiedFact(factOf(name)) : undefined;
}

function unifiedBySize(evidence: Evidence): Fact | undefined {
  const total = totalAtStart(evidence) ?? gpuTotal(evidence);
  return total && fact(isUnifiedBySize(total), [total.from]);
}

function ofUse(evidence: Evidence): Group {
  const total = gpuTotal(evidence);
  const smiUsed = (evidence.smi?.gpus ?? []).flatMap(({ used }) => used ?? []).toSorted((a, b) => b.value - a.value)[0];
  const used = valueBefore(evidence, 'gpu.framebuffer.used') ?? smiUsed;
  return {
    'gpu.total': factOf(total),
    'gpu.used-share': computed([used, total], ratio),
    'gpu.shape': shapeFact(evidence, 'gpu.framebuffer.used', total?.value),
    'gpu.grows-idle': readIdleGrowth(evidence, 'gpu.framebuffer.used'),
  };
}

// Phrases that say "out of memory" without the figures of PyTorch's allocator.
const BARE = /^(?:cuda\.(?:error|oom|runtime|cublas)|torch\.oom\.class\.bare)/;

function ofFailure({ weighing, log, account }: Evidence): Group {
  const proof = weighing.proofs.find(({ phrase }) => phrase.plane === 'gpu');
  const oom = proof ?? (weighing.decisive?.phrase.plane === 'gpu' ? weighing.decisive : undefined);
  const at = oom?.hit.at;
  return {
    'gpu.oom-logged': proof ? fact(true, [citeHit(proof)]) : log.main && clearedBy(weighing.decisive, 'gpu'),
    'gpu.oom-bare': oom && fact(account?.want === undefined && BARE.test(oom.phrase.id), [citeHit(oom)]),
    'gpu.oom-at': oom && fact(at, [citeHit(oom)]),
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

// A fraction of one holds nobody back.
function isPart(allowed: number, total: number | undefined): boolean {
  return total === undefined || allowed < total;
}

function ofAccount(evidence: Evidence): Group {
  const { account } = evidence;
  if (account === undefined) return ofOther(evidence);
  const { free, total, allocated, reservedUnallocated: slack, unmanaged } = account;
  // An account that is torch's summary alone does not tell what was asked for.
  const want = account.want ?? wantInLine(evidence.weighing);
  const { foreign, ranks } = othersOf(account, usedGpus(evidence)?.value);
  return {
    'gpu.capped':
      factOf(account.allowed && { value: isPart(account.allowed.value, total?.value), from: account.allowed.from }) ??
      fact(false, total ? [total.from] : []),
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
    ...ofSlack({ ...account, want }, total ?? gpuTotal(evidence)),
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

// MLC LLM counts tokens in 32 bits: what is left of a large card for a model of few or no KV bytes overflows, and the
// refusal then prints figures that fit.
