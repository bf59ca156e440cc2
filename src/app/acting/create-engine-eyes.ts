import type { Compared, EngineReadings, Reading } from '../../actions/verify-checks.ts';
import type { Facts } from '../../model/fact.ts';
import type { WorkloadPod } from '../acting-ports.ts';
import { collectSnapshot, type Finding, type InvestigateDeps } from '../investigate.ts';
import type { EngineEyes, Look, SignatureLook } from './engine-eyes.ts';

type Seen = { readonly pod: string; readonly finding: Finding } | { readonly pod: string; readonly why: string };

// Each reading is a triage of its own; more would not end within the time of one act.
const MOST_PODS = 2;

/** Eyes of a verification that look as a triage does: the same reads, the same scan, the same facts. */
export function createEngineEyes(deps: InvestigateDeps): EngineEyes {
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
    readings: async (look) => readingsOf(await see(look)),
    signature: async (look) => signatureOf(await see(look)),
    inFlight: (look) => sumInFlight(deps, look),
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

async function readPod(deps: InvestigateDeps, { target, signal }: Look, { name }: WorkloadPod): Promise<Seen> {
  const query = { cluster: target.cluster, namespace: target.object.namespace, pod: name, container: undefined };
  try {
    const actor = { place: 'terminal', user: 'oombot' } as const;
    const read = await collectSnapshot(deps, { query, actor, signal, progress: () => undefined });
    if (read.kind !== 'collected') return { pod: name, why: `${name} was not found` };
    return { pod: name, finding: await deps.diagnose(deps.source(read.snapshot)) };
  } catch (error) {
    return { pod: name, why: error instanceof Error ? error.message : `${name} could not be read` };
  }
}

function signatureOf(seen: readonly Seen[]): SignatureLook {
  if (seen.length === 0) return { kind: 'could-not-tell', why: 'no pod is there to be read' };
  for (const one of seen) {
    const found = 'finding' in one ? memoryFailure(one.finding) : undefined;
    if (found !== undefined) return { kind: 'found', says: `${one.pod}: ${found}` };
  }
  const unread = seen.flatMap((one) => ('why' in one ? [one.why] : []));
  if (unread.length > 0) return { kind: 'could-not-tell', why: unread.join('; ') };
  return { kind: 'none', says: `none in the logs of ${seen.map(({ pod }) => pod).join(', ')}` };
}

function memoryFailure({ facts, diagnosis }: Finding): string | undefined {
  const plane = facts.get('evidence.plane');
  const isMemory = plane?.kind === 'known' && (plane.value === 'gpu' || plane.value === 'host');
  return isMemory ? (diagnosis.headline ?? diagnosis.says) : undefined;
}

function readingsOf(seen: readonly Seen[]): EngineReadings {
  const worst = (id: string, of: 'highest' | 'lowest' = 'highest', change = (value: number) => value): Reading =>
    worstOf(seen, { id, of, change });
  return {
    ramShare: worst('ram.used-share'),
    gpuFreeShare: worst('gpu.used-share', 'lowest', (used) => 1 - used),
    kvShare: worst('kv-cache.used-share'),
    preemptions: worst('preemptions.recent'),
    waiting: worst('requests.waiting'),
    running: worst('requests.running'),
    ttftP99: notCompared('no history of the time to the first token is read'),
    latencyP99: notCompared('no history of latency is read'),
    shortWait: notCompared('the waiting time of short requests is not measured by this engine'),
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

function notCompared(why: string): Compared {
  const unknown = { kind: 'unknown', why } as const;
  return { now: unknown, before: unknown };
}
