import { asContext, isBeside, type Weighed } from './weighed.ts';

const LOST = 'device.lost';

// mm/page_alloc.c, PAGE_ALLOC_COSTLY_ORDER: up to here the kernel frees pages until it has some, so that a failure means that
// there are none; larger pieces fail for want of a contiguous one, however much is free.
const COSTLY_ORDER = 3;
const PAGES = 'kernel.page-allocation';
// What tells a step of the work and no lack.
const STEP = /\.frame|\.graph-failed$|\.kv-config$/;

/**
 * The hits, where a device that is lost is weighed by what stands beside it: a driver that could not place its buffers gives
 * the device up with the same word as one whose kernel hung (Mesa src/amd/vulkan/radv_queue.c). Where a lack is hinted at it
 * decides nothing; where only large pieces were missing it is the likelier reason still, and no proof.
 */
export function withLossDoubted(all: readonly Weighed[], noted: readonly Weighed[]): Weighed[] {
  return all.map((told) => {
    if (told.phrase.id !== LOST) return told;
    const lacks = [...all.filter((one) => isBeside(one, told)), ...noted.filter(ofKernel)].filter(isLack);
    if (lacks.length === 0) return told;
    return lacks.every(isOfLargePieces) ? { ...told, phrase: { ...told.phrase, weight: 'hint' } } : asContext(told);
  });
}

/** Whether a line that a device was lost is one that something beside it put in doubt. */
export function isDoubtedLoss({ phrase }: Weighed): boolean {
  return phrase.id === LOST && phrase.weight !== 'rules-out';
}

function ofKernel({ file }: Weighed): boolean {
  return file === 'kernel.txt';
}

function isLack({ phrase }: Weighed): boolean {
  const ofMemory = phrase.plane === 'gpu' || phrase.plane === 'host';
  return ofMemory && phrase.weight !== 'context' && !STEP.test(phrase.id);
}

function isOfLargePieces({ phrase, hit }: Weighed): boolean {
  return phrase.id === PAGES && Number(hit.captures.order ?? 0) > COSTLY_ORDER;
}
