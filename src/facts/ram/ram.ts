import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { type Finding, known } from '../../read/cluster/reading.ts';
import { peakOf } from '../../read/metrics/series.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { citedNumber, computed, fact, factOf, type Group, ratio } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit, listedFull, type Weighed } from '../evidence/weigh.ts';
import { readIdleGrowth } from '../load/idle-growth.ts';
import { lastLine } from '../log/tail-lines.ts';
import { seriesBefore, shapeFact, textSeriesOf, valueBefore } from '../when/series-figures.ts';
import { deriveLeftOnCpu } from './cpu-layers.ts';
import { readHookKilled } from './hook-killed.ts';
import { deriveLoweredLimit } from './lowered-limit.ts';
import { readCacheKept, readOffload } from './offload.ts';
import { readPromptCachePresses } from './prompt-cache.ts';
import { readShmSize } from './shm-size.ts';
import { readSlurmLimit } from './slurm-limit.ts';

const WORKING_SET = 'container.memory.working-set';

/** Container RAM: limits, use, and what was meant to live there. */
export function deriveRam(evidence: Evidence): Group {
  const { spec, kubernetes } = evidence;
  const limit =
    citedNumber(spec.memoryLimit) ??
    valueBefore(evidence, 'container.memory.limit') ??
    evidence.kernel?.limit ??
    readSlurmLimit(evidence);
  // Where nothing was measured: the kernel prints the use at a kill by the limit, the kubelet as it evicts.
  const used = valueBefore(evidence, WORKING_SET) ?? evidence.kernel?.usage ?? citedNumber(kubernetes.evictedUse);
  const peak = highestUse(evidence);
  const offload = readOffload(evidence);
  // Readings that came to a rest weigh more than words.
  return {
    'ram.limit': factOf(limit) ?? spec.memoryLimit,
    ...deriveLoweredLimit(evidence),
    ...deriveLeftOnCpu(evidence),
    'ram.limit-of-node': computed([limit, citedNumber(evidence.node?.allocatableMemory)], ratio),
    'ram.limited': limited(evidence, factOf(limit)),
    'ram.request': orElse(spec.memoryRequest, kubernetes.evictedRequest),
    'ram.used': factOf(used),
    'ram.used-share': computed([used, limit], ratio),
    'ram.peak': factOf(peak),
    'ram.shape': shapeFact(evidence, WORKING_SET, limit?.value),
    'ram.grows-idle': readIdleGrowth(evidence, WORKING_SET),
    'ram.oom-logged': oomLogged(evidence),
    'ram.monitor-killed': monitorKilled(evidence),
    'ram.hook-killed': readHookKilled(evidence),
    'ram.cache-kept': readCacheKept(evidence),
    'ram.prompt-cache-presses': readPromptCachePresses(evidence),
    'ram.shm-full': shmFull(evidence),
    'ram.shm-size': factOf(readShmSize(evidence)),
    'ram.shm-left-behind': noted(evidence, 'note.shm-left-behind'),
    'ram.swap-blocks': swapBlocks(evidence),
    'ram.offload-configured': offload.configured,
    'ram.offload-static': offload.static,
    'ram.offload-bytes': factOf(offload.bytes),
    'ram.offload-share': computed([offload.bytes, limit ?? citedNumber(evidence.node?.allocatableMemory)], ratio),
  };
}

function orElse(one: Finding<number>, other: Finding<number>): Finding<number> {
  return one.kind === 'unknown' && other.kind === 'known' ? other : one;
}

// No limit is a fact only where the spec is there to show it.
function limited({ spec }: Evidence, limit: Fact | undefined): Fact | undefined {
  if (limit?.kind === 'known') return fact(true, limit.from);
  const { memoryLimit, memoryRequest } = spec;
  if (memoryLimit.kind === 'unknown' && memoryLimit.reason === 'empty' && memoryRequest.kind === 'known') {
    return fact(false, memoryRequest.from);
  }
  return undefined;
}

function highestUse(evidence: Evidence): Cited<number> | undefined {
  const measured = seriesBefore(evidence, WORKING_SET).flatMap((series) => peakOf(series) ?? []);
  const written = textSeriesOf(evidence, WORKING_SET).flatMap(({ points }) => points);
  return (measured.length > 0 ? measured : written).toSorted((a, b) => b.value - a.value)[0];
}

// Ollama counts all that a model is to keep in RAM before it loads it; other refusals name one buffer.

/** Whether a phrase of people's notes stands in the log or in a text file. */
function noted({ weighing, log }: Evidence, id: string): Fact | undefined {
  const hits = [...weighing.all, ...weighing.noted].filter(({ phrase }) => phrase.id === id);
  const last = lastLine(log.main);
  return hits.length > 0 ? fact(true, hits.map(citeHit)) : last && fact(false, [last]);
}

function oomLogged({ weighing, log }: Evidence): Fact | undefined {
  const proof = weighing.proofs.find(({ phrase }) => phrase.plane === 'host');
  if (proof !== undefined) return fact(true, [citeHit(proof)]);
  return log.main === undefined ? undefined : clearedBy(weighing.decisive, 'host');
}

/** A line that decides for something else is the only proof that a log does not tell of this; its absence is none. */
export function clearedBy(decisive: Weighed | undefined, memory: 'gpu' | 'host'): Fact | undefined {
  return decisive === undefined || decisive.phrase.plane === memory ? undefined : fact(false, [citeHit(decisive)]);
}

function swapBlocks({ weighing }: Evidence): Fact | undefined {
  const sized = weighing.all.find(({ hit }) => hit.captures.cpuBlocks !== undefined);
  return sized && known(Number(sized.hit.captures.cpuBlocks), citeHit(sized));
}

function monitorKilled({ weighing, log }: Evidence): Fact | undefined {
  const hits = weighing.all.filter(({ phrase }) => /^ray\.(?:workers-killed-oom|oom-(?!boilerplate))/.test(phrase.id));
  const last = lastLine(log.main);
  return hits.length > 0 ? fact(true, hits.map(citeHit)) : last && fact(false, [last]);
}

// ENOSPC, a page that can not be backed, or the engine's own word for it (a region that is open fails to grow for want of
// nothing else); permissions and names that exist are another matter.
const SPACE = anyOf(
  '',
  /No space left on device|EmptyDir volume "[^"]*" exceeds the limit|[Bb]us error|signal 7\b/,
  /failed to extend \/dev\/shm\/nccl-\S{1,40} to \d{1,20} bytes$|insufficient shared memory/,
  /out of shared memory|\d MiB required, \d{1,12} MiB\b|Failed to increase the shared memory pool size/,
);
const OTHER = /Permission denied|File exists|Operation not permitted|Function not implemented|Invalid argument/;

function shmFull({ weighing, kubernetes }: Evidence): Fact | undefined {
  const { evictedFor } = kubernetes;
  if (evictedFor.kind === 'known' && evictedFor.value === 'empty-dir') return fact(true, evictedFor.from);
  const hits = weighing.all.filter(({ phrase }) => phrase.causes[0] === 'host.shm' && phrase.weight !== 'hint');
  const full = hits.find(({ hit }) => SPACE.test(hit.text)) ?? listedFull(weighing);
  if (full !== undefined) return fact(true, [citeHit(full)]);
  const other = hits.find(({ hit }) => OTHER.test(hit.text));
  return other && fact(false, [citeHit(other)]);
}

// Slurm reports the kill of a memory cgroup, and where it is told to it kills itself (see the phrases).
