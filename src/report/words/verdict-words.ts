import type { Facts } from '../../model/fact.ts';
import type { Mark } from '../../model/message.ts';
import type { Bucket, Cause, Phase, Plane } from '../../model/taxonomy.ts';
import type { Diagnosis, Verdict } from '../../model/verdict.ts';
import { type WhoseRam, whoseRam } from './ram-owner.ts';
import { knownNumber, knownValue } from './report-input.ts';
import { timeOf } from './span-words.ts';

// Of a node that ran out, `container RAM` would be wrong.
const RAM: Readonly<Record<WhoseRam, string>> = {
  container: 'container RAM',
  node: 'RAM of the node',
  unstated: 'RAM',
};

const PLANES: Readonly<Record<Exclude<Plane, 'host' | 'both'>, string>> = {
  gpu: 'GPU memory ran out',
  none: 'not a memory failure',
  unknown: 'no data on which memory failed',
};
const PHASES: Readonly<Record<Phase, string>> = {
  startup: ' at startup',
  burst: ' under load',
  chronic: ' over time',
  'prefix-cache': ' through the prefix cache',
  'n/a': '',
};

/** Causes in words of one breath, without jargon that is not explained. */
export const CAUSES: Readonly<Record<Cause, string>> = {
  'gpu.startup.weights': 'the weights do not fit on the GPU',
  'gpu.startup.kv-room': 'too little space for the KV cache',
  'gpu.startup.profiling': 'the profile run at startup needs too much memory',
  'gpu.startup.graph-capture': 'capturing CUDA graphs needs more memory than is left',
  'gpu.startup.shared-gpu': 'another process holds GPU memory',
  'gpu.startup.utilization': 'too little GPU memory is left outside the KV pool',
  'gpu.startup.parallelism': 'the model is spread over the GPUs in a way that does not fit',
  'gpu.burst.long-context': 'long prompts',
  'gpu.burst.concurrency': 'too many sequences at once',
  'gpu.burst.batched-tokens': 'too many tokens in one step',
  'gpu.burst.multimodal': 'images, video or audio in requests',
  'gpu.burst.logits': 'sampling or log-probabilities',
  'gpu.burst.headroom': 'no free GPU memory outside the KV pool',
  'gpu.chronic.fragmentation': 'GPU memory is fragmented',
  'gpu.chronic.leak': 'GPU memory leak',
  'gpu.prefix-cache': 'the prefix cache holds the pool',
  'host.startup.weight-staging': 'weights pass through RAM on load',
  'host.startup.workers': 'every worker loads its own copy',
  'host.startup.limit': 'the memory limit is too low',
  'host.burst.payload': 'large requests in RAM',
  'host.chronic.leak': 'RAM leak',
  'host.offload': 'caches or weights kept in RAM exceed the limit',
  'host.shm': 'shared memory (/dev/shm) is full',
  'host.node-pressure': 'the node ran short of memory',
  'none.gpu-fault': 'GPU hardware fault',
  'none.probe-kill': 'a probe killed it',
  'none.comm': 'communication between processes failed',
  'none.driver': 'driver or device',
  'none.config': 'a wrong setting',
  'none.request-rejected': 'one request was refused, the engine runs on',
  'none.preemption-warning': 'a full KV cache, no failure',
  'none.scheduling': 'the pod was never scheduled',
  'none.other': 'something that is not memory',
  unknown: 'no best guess',
};

/** Certain that nothing failed, and nothing to do: two lines tell it. */
export function isHealthy({ verdict, next }: Pick<Diagnosis, 'verdict' | 'next'>): boolean {
  return verdict.plane === 'none' && verdict.certain && verdict.remedies.length === 0 && next.length === 0;
}

/** The engine failed while it served, and the container that wrote so is still Ready: it gets traffic and answers with errors. */
export function isDeadButReady({ plane, phase, certain, evidence }: Verdict, facts: Facts): boolean {
  if (knownValue(facts, 'pod.restarting') !== false) return false;
  const isProven = certain && (plane === 'gpu' || plane === 'both') && phase !== 'startup' && phase !== 'n/a';
  const isEcho = plane === 'unknown' && knownValue(facts, 'log.error-seen') === true;
  return (isProven || isEcho) && evidence.some(({ from }) => from.some(({ file }) => /(^|\.)current\.log$/.test(file)));
}

/** The sign in front of a headline: bad only where it is proven. */
export function markOf(diagnosis: Pick<Diagnosis, 'verdict' | 'next'>): Mark {
  const { plane, certain } = diagnosis.verdict;
  if (isHealthy(diagnosis)) return 'ok';
  if (plane === 'unknown') return 'unknown';
  if (plane === 'none') return 'info';
  return certain ? 'bad' : 'warn';
}

/** Of two memories that failed in turn: each with its own time; undefined of any other verdict. */
export function endsOf(verdict: Pick<Verdict, 'plane' | 'cause'>, facts: Facts): string | undefined {
  return verdict.plane === 'both' ? twoEnds(facts, ramOf(verdict, facts)) : undefined;
}

function failedOf(verdict: Pick<Verdict, 'plane' | 'cause'>, facts?: Facts): string {
  if (verdict.plane === 'both') return `${ramOf(verdict, facts)} and GPU memory both ran out`;
  return verdict.plane === 'host' ? `${ramOf(verdict, facts)} ran out` : PLANES[verdict.plane];
}

function ramOf(verdict: Pick<Verdict, 'plane' | 'cause'>, facts?: Facts): string {
  const whose = whoseRam(verdict, facts);
  return `${whose === 'node' ? 'the ' : ''}${RAM[whose]}`;
}

/** The verdict in a line: `GPU memory ran out at start-up: the weights do not fit on the GPU`. */
export function headlineOf({ plane, phase, cause }: { plane: Plane; phase: Phase; cause: Cause }): string {
  const when = plane === 'none' ? '' : PHASES[phase];
  // The phase is that of the first of two.
  const what = `${failedOf({ plane, cause })}${plane === 'both' && when !== '' ? `, the first${when}` : when}`;
  const why = cause === 'unknown' ? '' : `: ${CAUSES[cause]}`;
  const text = plane === 'unknown' && cause !== 'unknown' ? `${what} (best guess: ${CAUSES[cause]})` : `${what}${why}`;
  return capital(text);
}

/** A sentence of its own, of words that began in the middle of one. */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const HOLDS: Readonly<Record<Bucket, string>> = {
  static: 'weights and other fixed allocations',
  'kv-cache': 'KV cache',
  overhead: 'activations, buffers, CUDA graphs, fragmentation',
  host: 'RAM',
  scheduling: 'scheduling and evictions',
  other: 'not memory, or unknown',
};

/** The word under which a handover files an incident, with what belongs to it. */
export function bucketWords(bucket: Bucket): string {
  return `category: ${bucket} (${HOLDS[bucket]})`;
}

const LIVES: Readonly<Record<string, string>> = { starting: ' at startup', serving: ' while serving' };
const HOUR_MS = 3_600_000;

/**
 * Two memories that failed in turn, each with its own time of life and its own hour, where they are known: `GPU memory ran out
 * while serving (…), then container RAM while it loaded the weights again (…)`. Undefined where the order is not known.
 */
function twoEnds(facts: Facts, ram: string): string | undefined {
  const order = knownValue(facts, 'sequence.order');
  if (order !== 'gpu-then-host' && order !== 'host-then-gpu') return undefined;
  const memories = ['GPU memory', ram];
  const [first, second] = order === 'gpu-then-host' ? memories : memories.toReversed();
  const [firstAt, secondAt] = timesOf(facts, order);
  const life = LIVES[String(knownValue(facts, 'sequence.first-life'))] ?? '';
  return `${first} ran out${life}${firstAt}, then ${second}${secondAt}`;
}

// A time without its zone, which stands hours off or the wrong way round, tells nobody anything.
function timesOf(facts: Facts, order: 'gpu-then-host' | 'host-then-gpu'): readonly [string, string] {
  const ats = ['sequence.gpu-at', 'sequence.host-at'].map((id) => knownNumber(facts, id));
  const [first, second] = order === 'gpu-then-host' ? ats : ats.toReversed();
  if (first === undefined || second === undefined) return [shown(first), shown(second)];
  const between = second - first;
  return between < 0 || between > HOUR_MS ? ['', ''] : [shown(first), shown(second)];
}

function shown(at: number | undefined): string {
  const words = at === undefined ? undefined : timeOf(at)?.words;
  return words === undefined ? '' : ` (${words})`;
}
