import type { Cited } from '../../model/engine-reader.ts';
import type { MemoryAccount } from '../../read/engine/memory-account.ts';
import { computed, fact, type Group, ratio, uniqueProof } from '../draft.ts';

/**
 * What PyTorch reserved and does not use. Before it gives up it returns every segment that is wholly unused
 * (c10/cuda/CUDACachingAllocator.cpp, release_cached_blocks): what is left lies in pieces between tensors that live.
 * `total`: of the card, by whatever tells it.
 */
export function ofSlack({ want, reservedUnallocated: slack }: MemoryAccount, total: Cited<number> | undefined): Group {
  return {
    'gpu.fragmented': want && slack && fact(slack.value >= want.value, uniqueProof([want.from, slack.from])),
    'gpu.slack-per-want': computed([slack, want], ratio),
    'gpu.slack-share': computed([slack, total], ratio),
  };
}
