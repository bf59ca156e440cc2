import { QUIET_USER } from '../../model/started-by.ts';
import type { Meters } from '../meter-ports.ts';
import type { Clock, Log, ReadBudget } from '../ports.ts';
import type { LoadReadings } from '../pressure-ports.ts';
import type { WatchedPod } from '../watch-ports.ts';
import type { Occurrence } from './intake.ts';
import { isPosted } from './is-posted.ts';
import type { Term } from './leader.ts';
import { type LoadSignal, loadSignals } from './load-signals.ts';
import type { WatchedScope } from './watch-namespace.ts';

/** The pods that are watched in one scope now. */
export type ScopePods = { readonly scope: WatchedScope; pods(): readonly WatchedPod[] };

export type LoadWatchDeps = {
  readonly cluster: string;
  readonly scopes: readonly ScopePods[];
  /** The channel for namespaces that none owns. */
  readonly channel: string | undefined;
  readonly readings: LoadReadings;
  /** Of one reading. */
  readonly budget: () => ReadBudget;
  readonly push: (occurrences: readonly Occurrence[]) => void;
  readonly term: Term;
  readonly meters: Meters;
  readonly clock: Clock;
  readonly log: Log;
};

const EVERY_MS = 60_000;
// Three readings in five minutes.
const BACK_MS = [300_000, 150_000, 0];
const READ_MS = 20_000;
const MOST_PODS = 200;
const HOUR_MS = 3_600_000;

const NAMES: Readonly<Record<LoadSignal, string>> = {
  pressure: 'KV cache full, requests waiting and preempted',
  hang: 'Requests but no tokens for 5 minutes',
  'child-killed': 'Process OOM-killed without a restart',
};

/** Looks each minute at the load of all watched pods, until the term ends. It starts triages and changes nothing. Never rejects. */
export async function watchLoad(deps: LoadWatchDeps): Promise<void> {
  const { clock, term, log } = deps;
  while (!term.signal.aborted) {
    await clock.sleep(EVERY_MS, term.signal).catch(() => undefined);
    if (!term.leads()) continue;
    for (const scope of deps.scopes) {
      try {
        await lookAt(deps, scope);
      } catch (error) {
        log.error('load not read', { error, namespace: scope.scope.namespace });
      }
    }
  }
}

async function lookAt(deps: LoadWatchDeps, { scope, pods }: ScopePods): Promise<void> {
  const { cluster, readings, budget, term, meters, clock, log, push } = deps;
  const { namespace } = scope;
  const now = clock.now();
  const all = pods().filter(({ leaving, failed }) => !leaving && failed === undefined);
  for (let i = 0; i < all.length; i += MOST_PODS) {
    const part = all.slice(i, i + MOST_PODS);
    const limit = clock.limit(READ_MS);
    const read = await readings
      .read(
        { namespace, pods: part, at: BACK_MS.map((ms) => now - ms) },
        {
          signal: AbortSignal.any([term.signal, limit.signal]),
          budget: budget(),
          progress: () => undefined,
          agent: 'oombot (load)',
        },
      )
      .finally(limit.end);
    if (read.kind === 'unknown') {
      meters.count('oombot_load_unread_total', { cluster, namespace });
      log.warn('load not read', { cluster, namespace, why: read.why });
      return;
    }
    push(
      part.flatMap((pod) =>
        loadSignals(read.pods.get(pod.name) ?? []).map((signal) => occurrenceOf(deps, { scope, pod, signal, all })),
      ),
    );
  }
}

type Seen = {
  readonly scope: WatchedScope;
  readonly pod: WatchedPod;
  readonly signal: LoadSignal;
  readonly all: readonly WatchedPod[];
};

function occurrenceOf({ cluster, channel, clock }: LoadWatchDeps, { scope, pod, signal, all }: Seen): Occurrence {
  const at = clock.now();
  const { uid, namespace, name, node } = pod;
  return {
    // What lasts is taken up once an hour, by whichever replica leads then.
    key: `load/${uid}/${signal}/${Math.floor(at / HOUR_MS)}`,
    ...{ name: NAMES[signal], cluster, namespace, subject: name, at, isOver: true, node, fallback: channel },
    user: isPosted(scope, severityOf(pod, signal, all), at) ? 'oombot/pressure' : QUIET_USER,
  };
}

// Under pressure it still answers; else it is a replica that is lost.
function severityOf({ owner, uid }: WatchedPod, signal: LoadSignal, all: readonly WatchedPod[]) {
  if (signal === 'pressure') return 'low';
  const covered = all.some((other) => other.owner === owner && other.uid !== uid && other.ready);
  return covered ? 'high' : 'critical';
}
