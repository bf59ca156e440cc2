import type { FigureName } from '../../model/engine-figures.ts';
import type { Cited } from '../../model/engine-reader.ts';
import { GIB, MIB, parseSize } from '../../model/quantity.ts';
import { hasRole } from '../../model/signature-roles.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { ranksShown } from '../evidence/ranks.ts';
import { citeHit, type Weighed, withSignatures } from '../evidence/weigh.ts';

const HOST_BUFFER = /^(?:CPU(?!_Mapped)\w*|\w+_Host)$/;

// The largest embedding of a public checkpoint (262k rows of 16384 in 16 bits) stays on the CPU in any case; what is
// mapped from a file can be released.
const EMBEDDING = 8 * GIB;

/** What is kept in RAM from the load on and does not grow, by the lines of the log. */
export function readKept(evidence: Evidence): readonly Cited<number>[] {
  const weights = buffersOf(evidence, 'weightsBytes').filter(({ isOfHost }) => isOfHost);
  const pools = buffersOf(evidence, 'kvBytes');
  // Layers that are not on the GPU have their part of the pool in RAM; without a GPU all of it is there as a matter of course.
  const inHostMemory = pools.some(({ isOfHost }) => !isOfHost) ? pools.filter(({ isOfHost }) => isOfHost) : [];
  const large = [...weights, ...inHostMemory].filter(({ size }) => size.value >= EMBEDDING);
  return [...large.map(({ size }) => size), ...readOffloaded(evidence)];
}

// llama.cpp prints each buffer: weights outside the GPU are taken in RAM, experts above all.
function buffersOf({ weighing }: Evidence, name: FigureName) {
  return weighing.all
    .filter(({ signature, hit }) => hit.captures.buf !== undefined && signature.figures?.some(({ is }) => is === name))
    .map((weighed) => ({
      isOfHost: HOST_BUFFER.test(weighed.hit.captures.buf ?? ''),
      size: { value: Number(weighed.hit.captures.mib) * MIB, from: citeHit(weighed) },
    }));
}

// Each worker of vLLM prints what it left in pinned RAM, and nothing where that is none (model_executor/offloader/uva.py).
function readOffloaded(evidence: Evidence): readonly Cited<number>[] {
  return toldOffloaded(evidence)
    .map((weighed) => sizeInLine(weighed, ranksShown(evidence)))
    .filter(({ value }) => value >= GIB);
}

/** The lines of workers about weights that they left in RAM. */
export function toldOffloaded({ weighing }: Pick<Evidence, 'weighing'>): readonly Weighed[] {
  return weighing.all.filter(({ signature }) => hasRole(signature, 'weights-in-ram'));
}

/** What engines say that they allocate for a cache, all ranks together. */
export function readAllocated(evidence: Evidence): readonly Cited<number>[] {
  const { weighing, log } = evidence;
  const allocates = ({ signature }: Weighed) => hasRole(signature, 'host-cache-size');
  // KAITO counts it before vLLM prints its banner, with which a run begins.
  const above = withSignatures(log.whole === undefined ? [] : [log.whole]).filter(
    (one) => one.signature.engine === 'kaito' && allocates(one),
  );
  const told = [...above, ...weighing.all.filter(allocates)];
  return told.map((weighed) => sizeInLine(weighed, ranksShown(evidence)));
}

/** What a line tells, times the ranks where each prints its own. */
export function sizeInLine(weighed: Weighed, ranks: number): Cited<number> {
  const { gb, size, swap, free, share } = weighed.hit.captures;
  const gib = free === undefined ? Number(gb ?? swap) : Number(free) * Number(share);
  const bytes = size !== undefined ? parseSize(size) : gib * GIB;
  const perRank = hasRole(weighed.signature, 'per-rank') ? ranks : 1;
  return { value: (bytes ?? Number.NaN) * perRank, from: citeHit(weighed) };
}

/** The largest of the sizes that are numbers. */
export function largest(sizes: readonly Cited<number>[]): Cited<number> | undefined {
  return sizes.filter(({ value }) => Number.isFinite(value)).toSorted((a, b) => b.value - a.value)[0];
}
