import { hasRole } from '../../model/signature-roles.ts';
import { isWeighty } from '../../read/log/signs-of-work.ts';
import type { LogChoice } from '../log/choose-logs.ts';
import { asksTheImpossible } from '../log/memory-wording.ts';
import { asContext, isBelow, isBeside, type Weighed } from './weigh.ts';

// mm/page_alloc.c, PAGE_ALLOC_COSTLY_ORDER: up to here the kernel frees pages until it has some, so that a failure means that
// there are none; larger pieces fail for want of a contiguous one, however much is free.
const COSTLY_ORDER = 3;

/**
 * The hits, where a device that is lost is weighed by what stands beside it: a driver that could not place its buffers gives
 * the device up with the same word as one whose kernel hung (Mesa src/amd/vulkan/radv_queue.c). Where a lack is hinted at it
 * decides nothing; where only large pieces were missing it is the likelier reason still, and no proof.
 */
export function withLossDoubted(all: readonly Weighed[], noted: readonly Weighed[]): Weighed[] {
  return all.map((told) => {
    if (!hasRole(told.signature, 'device-lost')) return told;
    const ofKernel = noted.filter(({ file }) => file === 'kernel.txt');
    const lacks = [...all.filter((one) => isBeside(one, told)), ...ofKernel].filter(isLack);
    if (lacks.length === 0) return told;
    return lacks.every(isOfLargePieces)
      ? { ...told, signature: { ...told.signature, weight: 'hint' } }
      : asContext(told);
  });
}

/** Whether a line that a device was lost is one that something beside it put in doubt. */
export function isDoubtedLoss({ signature }: Weighed): boolean {
  return hasRole(signature, 'device-lost') && signature.weight !== 'rules-out';
}

function isLack({ signature }: Weighed): boolean {
  const ofMemory = signature.plane === 'gpu' || signature.plane === 'host';
  return ofMemory && signature.weight !== 'context' && !hasRole(signature, 'step');
}

function isOfLargePieces({ hit }: Weighed): boolean {
  return Number(hit.captures.order ?? 0) > COSTLY_ORDER;
}

/** The hits, where a refusal of a size that no machine has is not a shortage of memory. */
export function withoutImpossible(all: readonly Weighed[]): Weighed[] {
  return all.map((told) => {
    const { signature, hit } = told;
    const isOfMemory = signature.plane === 'gpu' || signature.plane === 'host';
    if (!isOfMemory || signature.weight === 'context' || !asksTheImpossible(hit.clean)) return told;
    const weight = signature.weight === 'hint' ? 'hint' : 'rules-out';
    return { ...told, signature: { ...signature, plane: 'none', phase: 'n/a', causes: ['none.other'], weight } };
  });
}

/**
 * The hits, where the shell's word for signal 9 counts for nothing below a line in which the engine says that it ends itself:
 * vLLM's server does once a worker has reported an error of its own, SGLang's once a step has hung.
 */
export function withoutOwnKill(all: readonly Weighed[]): Weighed[] {
  const ended = all.find(({ signature }) => hasRole(signature, 'ends-itself'));
  if (ended === undefined) return [...all];
  return all.map((weighed) =>
    isBelow(weighed, ended) && hasRole(weighed.signature, 'shell-killed') ? asContext(weighed) : weighed,
  );
}

/** A line that may be another's, as the hint that it is. */
export function asHint(weighed: Weighed, { unsure }: LogChoice): Weighed {
  const { signature, hit, file } = weighed;
  if (unsure?.get(file)?.has(hit.line) !== true) return weighed;
  if (signature.weight === 'rules-out') return asContext(weighed);
  return isWeighty(signature) ? { ...weighed, signature: { ...signature, weight: 'hint' } } : weighed;
}
