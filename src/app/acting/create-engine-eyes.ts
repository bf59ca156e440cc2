import type { EngineReadings, Reading } from '../../actions/verify-checks.ts';
import type { Facts } from '../../model/fact.ts';
import type { WorkloadPod } from '../acting-ports.ts';
import { collectSnapshot, type Finding, type InvestigateDeps } from '../investigate.ts';
import type { EngineEyes, Look, SignatureLook } from './engine-eyes.ts';
import { lookBack, lookForward, type PastDeps } from './look-back.ts';
import { type ProbeDeps, probeEngines } from './probe-engine.ts';
import type { Past } from './read-history.ts';
import { createReplay, type ReplayDeps } from './replay-shape.ts';

type Seen =
  | { readonly pod: string; readonly isNew: boolean; readonly finding: Finding }
  | { readonly pod: string; readonly why: string };

/** What engines may be asked, as configuration allows it. */
export type Asks = { readonly probe?: ProbeDeps | undefined; readonly replay?: ReplayDeps | undefined };

// Each reading is a triage of its own; more would not end within the time of one act.
const MOST_PODS = 2;

/** Eyes of a verification that look as a triage does: the same reads, the same scan, the same facts. */
export function createEngineEyes(deps: InvestigateDeps, past: PastDeps, asks: Asks = {}): EngineEyes {
  const { probe, replay } = asks;
  const looks = new WeakMap<Look, Promise<readonly Seen[]>>();
  // Metrics and signature of one look come from the same reading.
  const see = (look: Look): Promise<readonly Seen[]> => {
    const before = looks.get(look);
    if (before !== undefined) return before;
    const now = Promise.all(newestOf(look.pods).map((pod) => readPod(deps, look, pod)));
    looks.set(look, now);
    return now;
  };
  return {
    readings: async (look) => {
      const [seen, since] = await Promise.all([see(look), lookForward(past, look)]);
      return readingsOf(seen, since);
    },
    lookBack: (look) => lookBack(past, look),
    signature: async (look) => signatureOf(await see(look), look.begun),
    inFlight: (look) => sumInFlight(deps, look),
    ...(probe && { probe: (look: Look) => probeEngines(probe, look) }),
    ...(replay && { replay: createReplay(replay) }),
  };
}

// As many as are read within one look; of more it is not known.
const MOST_DRAINED = 8;

/** Requests in flight in all pods that serve: what is cut when they go. */
async function sumInFlight(deps: InvestigateDeps, look: Look): Promise<Reading> {
  const serving = look.pods.filter(({ ready, terminating }) => ready && !terminating);
  if (serving.length > MOST_DRAINED) {
    return {
      kind: 'unknown',
      why: `${serving.length} pods serve, and the metrics of ${MOST_DRAINED} are read at most`,
    };
  }
  const seen = await Promise.all(serving.map((pod) => readPod(deps, look, pod)));
  const values = seen.map((one) => ('finding' in one ? numberOf(one.finding.facts, 'requests.running') : []));
  const [unread] = seen.filter((_, i) => values[i]?.length === 0);
  if (unread !== undefined) return { kind: 'unknown', why: `${unread.pod}: ${whyNot([unread], 'requests.running')}` };
  return { kind: 'known', value: values.flat().reduce((sum, value) => sum + value, 0) };
}

// Those that came last have the change in them.
function newestOf(pods: readonly WorkloadPod[]): readonly WorkloadPod[] {
  return pods
    .filter(({ terminating }) => !terminating)
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .slice(0, MOST_PODS);
}

// The API server gives times in whole seconds.
const SECOND_MS = 1000;

async function readPod(deps: InvestigateDeps, look: Look, { name, createdAt }: WorkloadPod): Promise<Seen> {
  const { target, signal, begun } = look;
  const query = { cluster: target.cluster, namespace: target.object.namespace, pod: name, container: undefined };
  try {
    const actor = { place: 'terminal', user: 'oombot' } as const;
    const read = await collectSnapshot(deps, { query, actor, signal, progress: () => undefined });
    if (read.kind !== 'collected') return { pod: name, why: `${name} was not found` };
    const finding = await deps.diagnose(deps.source(read.snapshot));
    return { pod: name, isNew: createdAt >= begun - SECOND_MS, finding };
  } catch (error) {
    return { pod: name, why: error instanceof Error ? error.message : `${name} could not be read` };
  }
}

function signatureOf(seen: readonly Seen[], begun: number): SignatureLook {
  if (seen.length === 0) return { kind: 'could-not-tell', why: 'no pod is there to be read' };
  const unsure: string[] = [];
  for (const one of seen) {
    const found = 'finding' in one ? memoryFailure(one.finding) : undefined;
    if (found === undefined || !('finding' in one)) continue;
    const when = one.isNew ? 'new' : ageOf(one.finding.facts, begun);
    if (when === 'new') return { kind: 'found', says: `${one.pod}: ${found}` };
    if (when === 'unknown') unsure.push(`${one.pod}: ${found} It is not known whether that was before the change`);
  }
  const unread = [...seen.flatMap((one) => ('why' in one ? [one.why] : [])), ...unsure];
  if (unread.length > 0) return { kind: 'could-not-tell', why: unread.join('; ') };
  return { kind: 'none', says: `none in the logs of ${seen.map(({ pod }) => pod).join(', ')} since the change` };
}

// A pod that the change left in its place still tells of the death that led to it.
function ageOf(facts: Facts, begun: number): 'old' | 'new' | 'unknown' {
  const times = ['death.at', 'gpu.oom-at'].flatMap((id) => numberOf(facts, id));
  if (times.length === 0) return 'unknown';
  return times.some((at) => at >= begun) ? 'new' : 'old';
}

function memoryFailure({ facts, diagnosis }: Finding): string | undefined {
  const plane = facts.get('evidence.plane');
  const isMemory = plane?.kind === 'known' && (plane.value === 'gpu' || plane.value === 'host');
  return isMemory ? (diagnosis.headline ?? diagnosis.says) : undefined;
}

function readingsOf(seen: readonly Seen[], { times, preemptions }: Past): EngineReadings {
  const worst = (id: string, of: 'highest' | 'lowest' = 'highest', change = (value: number) => value): Reading =>
    worstOf(seen, { id, of, change });
  return {
    ramShare: worst('ram.used-share'),
    gpuFreeShare: worst('gpu.used-share', 'lowest', (used) => 1 - used),
    kvShare: worst('kv-cache.used-share'),
    preemptions,
    waiting: worst('requests.waiting'),
    running: worst('requests.running'),
    times,
  };
}

type Wanted = { readonly id: string; readonly of: 'highest' | 'lowest'; readonly change: (value: number) => number };

function worstOf(seen: readonly Seen[], { id, of, change }: Wanted): Reading {
  const values = seen.flatMap((one) => ('finding' in one ? numberOf(one.finding.facts, id) : []));
  if (values.length === 0) return { kind: 'unknown', why: whyNot(seen, id) };
  const changed = values.map(change);
  return { kind: 'known', value: of === 'highest' ? Math.max(...changed) : Math.min(...changed) };
}

function numberOf(facts: Facts, id: string): number[] {
  const fact = facts.get(id);
  return fact?.kind === 'known' && typeof fact.value === 'number' ? [fact.value] : [];
}

function whyNot(seen: readonly Seen[], id: string): string {
  for (const one of seen) {
    if ('why' in one) return one.why;
    const fact = one.finding.facts.get(id);
    if (fact?.kind === 'unknown') return fact.detail ?? fact.reason;
  }
  return 'no pod is there to be read';
}
