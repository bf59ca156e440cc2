import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { GIB, MIB, parseSize } from '../../model/quantity.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { computed, fact, factOf, ratio, uniqueProof } from '../log/draft.ts';
import { OOM_LINE } from '../log/needs.ts';
import { gpuTotal } from './gpu-total.ts';

/** The account of the line that reports the failure: what was asked for, and what PyTorch holds. */
export const GPU_ACCOUNT = defineFacts(
  {
    'gpu.want': { unit: 'bytes', says: 'the allocation that failed', needs: OOM_LINE },
    'gpu.want-share': { unit: 'ratio', says: 'that allocation as a share of GPU memory', needs: OOM_LINE },
    'gpu.free': { unit: 'bytes', says: 'free on the GPU at that moment', needs: OOM_LINE },
    'gpu.free-per-want': {
      unit: 'ratio',
      says: 'free on the GPU against the failed allocation (far above 1, the accounting is wrong)',
      needs: OOM_LINE,
    },
    'gpu.allocated': { unit: 'bytes', says: 'live tensors of PyTorch', needs: OOM_LINE },
    'gpu.allocated-share': { unit: 'share', says: 'live tensors as a share of GPU memory', needs: OOM_LINE },
    'gpu.reserved-unallocated': { unit: 'bytes', says: 'reserved by PyTorch, not in use', needs: OOM_LINE },
    'gpu.private-pools': { unit: 'bytes', says: 'live tensors in pools of CUDA graphs', needs: OOM_LINE },
    'gpu.fragmented': {
      unit: 'yes-no',
      says: 'PyTorch holds as much unused memory as the failed allocation needed',
      needs: OOM_LINE,
    },
    'gpu.slack-per-want': {
      unit: 'ratio',
      says: 'reserved by PyTorch and unused, against the failed allocation',
      needs: OOM_LINE,
    },
    'gpu.slack-share': {
      unit: 'share',
      says: 'reserved by PyTorch and unused, as a share of GPU memory',
      needs: OOM_LINE,
    },
    'gpu.capped': { unit: 'yes-no', says: 'the process may use only a part of the GPU', needs: OOM_LINE },
  },
  (evidence) => {
    const { account } = evidence;
    const want = account?.want ?? wantInLine(evidence.weighing);
    const whole = gpuTotal(evidence);
    const free = account?.free ?? freeBefore(evidence.weighing);
    const asked = {
      'gpu.want': factOf(want),
      'gpu.want-share': computed([want, whole], ratio),
      'gpu.free': factOf(free),
    };
    if (account === undefined) return asked;
    const { total, allocated, reservedUnallocated: slack } = account;
    return {
      ...asked,
      'gpu.free-per-want': computed([free, want], ratio),
      'gpu.allocated': factOf(allocated),
      'gpu.allocated-share': computed([allocated, total], ratio),
      'gpu.reserved-unallocated': factOf(slack),
      'gpu.private-pools': factOf(account.privatePools),
      'gpu.fragmented': isFragmented(want, slack),
      'gpu.slack-per-want': computed([slack, want], ratio),
      'gpu.slack-share': computed([slack, whole], ratio),
      'gpu.capped': isCapped(account),
    };
  },
);

// What other allocators print of their request stands in the line of the refusal itself, and so does what torch's summary lacks.
function wantInLine({ decisive }: Evidence['weighing']): Cited<number> | undefined {
  if (decisive?.signature.plane !== 'gpu') return undefined;
  const { mib, bytes, want } = decisive.hit.captures;
  if (mib !== undefined) return { value: Number(mib) * MIB, from: citeHit(decisive) };
  const value = bytes === undefined ? want && parseSize(want) : Number(bytes.replaceAll(',', ''));
  return typeof value === 'number' && value > 0 ? { value, from: citeHit(decisive) } : undefined;
}

// What an engine prints of the device before it creates the part that failed.
function freeBefore({ all }: Evidence['weighing']): Cited<number> | undefined {
  const told = all.findLast(({ hit }) => hit.captures.freeBefore !== undefined);
  return told && { value: Number(told.hit.captures.freeBefore) * GIB, from: citeHit(told) };
}

// Before PyTorch gives up it returns every segment that is wholly unused (c10/cuda/CUDACachingAllocator.cpp,
// release_cached_blocks): what is left lies between live tensors.
function isFragmented(want: Cited<number> | undefined, slack: Cited<number> | undefined): Fact | undefined {
  return want && slack && fact(slack.value >= want.value, uniqueProof([want.from, slack.from]));
}

// A fraction of one holds nobody back.
function isCapped({ allowed, total }: NonNullable<Evidence['account']>): Fact | undefined {
  if (allowed === undefined) return fact(false, total ? [total.from] : []);
  return fact(total === undefined || allowed.value < total.value, [allowed.from]);
}
