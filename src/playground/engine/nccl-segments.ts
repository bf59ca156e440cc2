import type { EngineState } from './engine-state.ts';

/** What NCCL's shared memory transport takes for one channel of a rank. */
export const SEGMENT_BYTES = 33_030_532;
const PER_RANK = 2;

/** Ranks without peer access between their GPUs talk through files in /dev/shm; answers the path of the one that did not fit. */
export function shareMemory({ host, settings, sharedLimit }: EngineState): string | undefined {
  for (let i = 0; i < settings.ranks * PER_RANK; i += 1) {
    if (host.shared + SEGMENT_BYTES > sharedLimit) return `/dev/shm/nccl-dZ1a2${String.fromCharCode(98 + i)}`;
    host.shared += SEGMENT_BYTES;
  }
  return undefined;
}
