import type { Alert, TakenAlert } from '../../model/alert.ts';
import type { Rights } from '../../model/authorise.ts';
import type { TriageRun } from '../../model/incident.ts';
import { type Silence, silenceOf } from '../../model/silence.ts';
import type { AutomaticUser } from '../../model/started-by.ts';
import type { AlertStore } from '../alert-ports.ts';
import type { IncidentStore } from '../incident-ports.ts';
import type { Meters } from '../meter-ports.ts';
import { formatPodQuery, parsePodQuery } from '../pod-query.ts';
import type { Clock, Ids, Log, PodQuery } from '../ports.ts';
import { guessWorkload, type TriageStarter } from '../triage/triage.ts';
import { owningChannel } from './owning-channel.ts';
import { createWorkQueue } from './work-queue.ts';

export type AlertDeps = {
  readonly store: AlertStore & Pick<IncidentStore, 'silences'>;
  readonly triage: Pick<TriageStarter, 'again'>;
  readonly rights: Rights;
  /** The names of the configured clusters, and the one that an alert without one is about. */
  readonly clusters: readonly string[];
  readonly defaultCluster: string | undefined;
  /** Where findings of a namespace go that no channel owns. */
  readonly channel: string | undefined;
  readonly isShared: (channel: string) => Promise<boolean>;
  readonly meters: Meters;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/** What became of an alert, as `oombot_alerts_total` counts it. */
type Result =
  | 'triaged'
  | 'joined'
  | 'replayed'
  | 'resolved'
  | 'not-firing'
  | 'silenced'
  | 'no-target'
  | 'unknown-cluster'
  | 'no-channel';

export type AlertIntake = {
  /** Ends once all alerts are stored; their triages run meanwhile. Rejects where the store fails: nothing is taken up then. */
  take(alerts: readonly Alert[]): Promise<void>;
  /** Ends what runs. Triages that have not begun are in the store, and begin at the next start. */
  stop(): Promise<void>;
};

const USER: AutomaticUser = 'oombot/alert';
// Replicas that die of one cause die within minutes, and each sends alerts of several kinds.
const JOIN_MS = 10 * 60_000;
const AT_ONCE = 4;

/** Takes up alerts: one triage for all that are about one workload, in the channel that owns its namespace. */
export function createAlertIntake(deps: AlertDeps): AlertIntake {
  const queue = createWorkQueue(AT_ONCE);
  return {
    async take(alerts) {
      const now = deps.clock.now();
      const resolved = alerts.filter(({ status }) => status === 'resolved').map(({ key }) => key);
      const firing = alerts.filter(({ status }) => status === 'firing');
      const placed = await placeAlerts(deps, firing, now);
      const known = new Set(await deps.store.takeAlerts(placed.alerts, placed.runs));
      for (const { key } of placed.alerts) {
        const result = known.has(key) ? (placed.leaders.has(key) ? 'triaged' : 'joined') : 'replayed';
        tally(deps, result);
      }
      const ended = await deps.store.resolveAlerts(resolved, now);
      tally(deps, 'resolved', ended.length);
      tally(deps, 'not-firing', resolved.length - ended.length);
      const started = new Set(placed.alerts.filter(({ key }) => known.has(key)).map(({ triageId }) => triageId));
      for (const run of placed.runs) if (started.has(run.id)) queue.add(() => carryOut(deps, run));
    },
    stop: queue.stop,
  };
}

function tally({ meters }: AlertDeps, result: Result, by = 1): void {
  if (by > 0) meters.count('oombot_alerts_total', { result }, by);
}

type Placed = {
  readonly alerts: readonly TakenAlert[];
  readonly runs: readonly TriageRun[];
  /** Keys of the alerts that start a triage. */
  readonly leaders: ReadonlySet<string>;
};

async function placeAlerts(deps: AlertDeps, firing: readonly Alert[], now: number): Promise<Placed> {
  const silences = firing.length === 0 ? [] : await deps.store.silences(now);
  const alerts: TakenAlert[] = [];
  const runs: TriageRun[] = [];
  const leaders = new Set<string>();
  const triages = new Map<string, string>();
  for (const alert of firing) {
    const target = targetOf(deps, alert, silences);
    if (typeof target === 'string') {
      tally(deps, target);
      deps.log.info('alert not taken up', { alert: alert.name, why: target });
      continue;
    }
    const { query, conversation, ...place } = target;
    const group = [place.cluster, place.namespace, place.workload, conversation].join('\n');
    const recent = triages.get(group) ?? (await deps.store.recentTriage({ ...place, conversation }, now - JOIN_MS));
    const triageId = recent ?? deps.ids.next('tri');
    triages.set(group, triageId);
    const { key, name, startsAt: firedAt } = alert;
    alerts.push({
      ...{ key, name, firedAt, ...place, conversation, triageId },
      ...{ seenAt: now, resolvedAt: null, toldAt: null },
    });
    if (recent !== undefined) continue;
    leaders.add(key);
    runs.push(runOf({ triageId, conversation, query, shared: await deps.isShared(conversation), now }));
  }
  return { alerts, runs, leaders };
}

type Goal = Pick<TakenAlert, 'cluster' | 'namespace' | 'subject' | 'workload' | 'conversation'> & {
  readonly query: PodQuery;
};

// What stands in a label is text of others: only what would pass as a typed name is used.
function targetOf(deps: AlertDeps, { labels }: Alert, silences: readonly Silence[]): Goal | Result {
  const namespace = labels.namespace ?? labels.exported_namespace;
  const subject = labels.pod ?? labels.exported_pod ?? labels.workload;
  const cluster = labels.cluster ?? deps.defaultCluster;
  if (!namespace || !subject) return 'no-target';
  if (cluster === undefined || !deps.clusters.includes(cluster)) return 'unknown-cluster';
  const parsed = parsePodQuery(`${cluster}/${namespace}/${subject}`);
  if (parsed.kind !== 'query' || parsed.query.pod !== subject || parsed.query.namespace !== namespace)
    return 'no-target';
  const workload = guessWorkload(subject);
  const place = { cluster, namespace, workload };
  if (silenceOf(silences, place) !== undefined) return 'silenced';
  const conversation = owningChannel(deps.rights.channels, place, deps.channel);
  if (conversation === undefined) return 'no-channel';
  return { ...place, subject, conversation, query: parsed.query };
}

type NewRun = {
  readonly triageId: string;
  readonly conversation: string;
  readonly query: PodQuery;
  readonly shared: boolean;
  readonly now: number;
};

function runOf({ triageId, conversation, query, shared, now }: NewRun): TriageRun {
  return {
    id: triageId,
    incidentId: null,
    query: formatPodQuery(query),
    cluster: query.cluster ?? null,
    asker: USER,
    externallyShared: shared,
    conversation,
    ts: null,
    state: 'running',
    outcome: null,
    startedAt: now,
    endedAt: null,
  };
}

function carryOut({ triage }: AlertDeps, run: TriageRun): Promise<void> {
  const channel = run.conversation ?? '';
  const parsed = parsePodQuery(run.query);
  if (parsed.kind !== 'query') return Promise.resolve();
  const asker = { user: USER, conversation: channel, responseUrl: undefined };
  const { externallyShared } = run;
  const actor = { place: 'slack' as const, user: USER, groups: [], channel, externallyShared };
  return triage.again(run.id, parsed.query, { asker, actor });
}
