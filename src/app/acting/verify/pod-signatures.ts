import type { FigureId, PodFigures } from '../../../actions/pod-figures.ts';
import type { WorkloadPod } from '../../acting-ports.ts';
import { numberOf } from '../../budget/engine-figures.ts';
import { collectSnapshot, type Diagnosed, type InvestigateDeps } from '../../triage/investigate.ts';
import type { Look } from '../engine-eyes.ts';

/** What was seen of one pod, or why it was not. */
export type Seen =
  | { readonly pod: string; readonly isNew: boolean; readonly finding: Diagnosed }
  | { readonly pod: string; readonly why: string };

// Each is half a dozen calls, and all have to end within the time of one act.
const MOST_PODS = 8;
// So many are asked about at Prometheus as in a triage too, which finds a GPU by its node where no label names the pod.
const MOST_METRICS = 2;

/** Pods of a look: those whose log and usage are read, and those for which there is no time. */
type Chosen = { readonly read: readonly WorkloadPod[]; readonly left: readonly WorkloadPod[] };

/** Those that have died first, then those that came last: they have the change in them. */
export function choosePods(pods: readonly WorkloadPod[], begun: number): Chosen {
  const diedSince = ({ lastDeath, restarts }: WorkloadPod) => (lastDeath?.at ?? (restarts > 0 ? begun : 0)) >= begun;
  const sorted = pods
    .filter(({ terminating }) => !terminating)
    .toSorted((a, b) => Number(diedSince(b)) - Number(diedSince(a)) || b.createdAt - a.createdAt);
  return { read: sorted.slice(0, MOST_PODS), left: sorted.slice(MOST_PODS) };
}

/** Reads them as a triage does, but for what stands around them. */
export function seePods(deps: InvestigateDeps, look: Look): Promise<readonly Seen[]> {
  const { read } = choosePods(look.pods, look.begun);
  return Promise.all(
    read.map((pod, i) => seePod(deps, look, { pod, brief: i < MOST_METRICS ? 'with-metrics' : 'without-metrics' })),
  );
}

// The API server gives times in whole seconds.
const SECOND_MS = 1000;

type How = { readonly pod: WorkloadPod; readonly brief: 'with-metrics' | 'without-metrics' };

/** One pod. */
export async function seePod(deps: InvestigateDeps, look: Look, { pod, brief }: How): Promise<Seen> {
  const { target, signal, begun } = look;
  const { name, createdAt } = pod;
  const query = { cluster: target.cluster, namespace: target.object.namespace, pod: name, container: undefined };
  try {
    const actor = { place: 'terminal', user: 'oombot' } as const;
    const read = await collectSnapshot(deps, { query, actor, signal, brief, progress: () => undefined });
    if (read.kind !== 'collected') return { pod: name, why: `${name} not found` };
    const finding = await deps.diagnose(deps.source(read.snapshot));
    return { pod: name, isNew: createdAt >= begun - SECOND_MS, finding };
  } catch (error) {
    return { pod: name, why: error instanceof Error ? error.message : `${name} not readable` };
  }
}

const FACTS: Readonly<Record<FigureId, string>> = {
  ramShare: 'ram.used-share',
  gpuFreeShare: 'gpu.used-share',
  kvShare: 'kv-cache.used-share',
  waiting: 'requests.waiting',
  running: 'requests.running',
};

/** The figures of a pod's own reading. */
export function figuresSeen(seen: Seen): PodFigures {
  if ('why' in seen) return { pod: seen.pod };
  const known = Object.entries(FACTS).flatMap(([id, fact]) => {
    const value = numberOf(seen.finding.facts, fact);
    return value === undefined ? [] : [[id, id === 'gpuFreeShare' ? 1 - value : value] as const];
  });
  return { pod: seen.pod, ...Object.fromEntries(known) };
}

/** Why a pod's own reading lacks a figure; undefined where it was not read. */
export function whyNotSeen(seen: Seen | undefined, id: FigureId): string | undefined {
  if (seen === undefined || 'why' in seen) return seen?.why;
  const fact = seen.finding.facts.get(FACTS[id]);
  return fact?.kind === 'unknown' ? (fact.detail ?? fact.reason) : undefined;
}
