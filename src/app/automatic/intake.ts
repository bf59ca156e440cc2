import type { TakenAlert } from '../../model/alert.ts';
import type { Rights } from '../../model/authorise.ts';
import type { TriageRun } from '../../model/incident.ts';
import { type Silence, silenceOf } from '../../model/silence.ts';
import { type AutomaticUser, QUIET_USER } from '../../model/started-by.ts';
import type { AlertStore, OfferedAlert } from '../alert-ports.ts';
import type { IncidentStore } from '../incident-ports.ts';
import { formatPodQuery, parsePodQuery } from '../pod-query.ts';
import type { Clock, Ids, Log, PodQuery, Store } from '../ports.ts';
import { createQueue } from '../queue-by-workload.ts';
import { guessWorkload, type TriageStarter } from '../triage/triage.ts';
import type { WorkQueue } from '../work-queue.ts';
import { owningChannel } from './owning-channel.ts';

export type IntakeDeps = {
  readonly store: AlertStore & Pick<IncidentStore, 'silences'> & Pick<Store, 'unfinishedTriages'>;
  readonly triage: Pick<TriageStarter, 'again' | 'drop'>;
  readonly queue: Pick<WorkQueue, 'add'>;
  readonly rights: Rights;
  readonly isShared: (channel: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/** An alert or a death, for which nobody has typed anything. What it names is text of others. */
export type Occurrence = {
  readonly key: string;
  readonly name: string;
  readonly cluster: string;
  readonly namespace: string;
  /** A pod, or a workload. */
  readonly subject: string;
  /** Epoch ms. */
  readonly at: number;
  /** An alert fires until it is resolved; a death is over. */
  readonly isOver: boolean;
  readonly user: AutomaticUser;
  /** Of one node one triage runs at a time. */
  readonly node?: string | undefined;
  /** The channel for a namespace that none owns. */
  readonly fallback: string | undefined;
};

/** What became of an occurrence; `quiet` is a triage whose finding is not posted. */
export type Taken = 'triaged' | 'quiet' | 'joined' | 'replayed' | 'silenced' | 'no-target' | 'no-channel' | 'dropped';

export type Intake = {
  /**
   * Ends once all are stored; their triages run meanwhile. Answers what became of each, in order. Rejects where the store
   * fails: whoever sends them again finds those that it had stored.
   */
  take(occurrences: readonly Occurrence[], by: AutomaticUser): Promise<readonly Taken[]>;
};

/** Takes up alerts and deaths: one triage for all that are about one workload, in the channel that owns its namespace. */
export function createIntake(deps: IntakeDeps): Intake {
  const oneByOne = createQueue();
  const doubtful = new Map<string, Placed>();
  // In turn, or an alert and the death behind it would each see no triage of the other.
  return {
    async take(occurrences, by) {
      if (occurrences.length === 0) return [];
      const taken: Taken[] = [];
      const silences = await deps.store.silences(deps.clock.now());
      const delivery = { by, silences, isShared: rememberShared(deps), doubtful };
      for (let i = 0; i < occurrences.length; i += AT_ONCE) {
        await deps.clock.breathe();
        const part = occurrences.slice(i, i + AT_ONCE);
        taken.push(...(await oneByOne('take', () => takePart(deps, part, delivery))));
      }
      return taken;
    },
  };
}

/** What holds for all that came at once. */
type Delivery = {
  readonly by: AutomaticUser;
  readonly silences: readonly Silence[];
  readonly isShared: IntakeDeps['isShared'];
  /** Those of which nobody knows whether the store took them: it went away during a commit. */
  readonly doubtful: Map<string, Placed>;
};

// While Slack is away each question takes seconds.
function rememberShared({ isShared }: IntakeDeps): Delivery['isShared'] {
  const known = new Map<string, Promise<boolean>>();
  return (channel) => {
    const answer = known.get(channel) ?? isShared(channel);
    known.set(channel, answer);
    return answer;
  };
}

// SQLite takes them without a pause: more at a time keeps others waiting for longer than they should.
const AT_ONCE = 3;

async function takePart(
  deps: IntakeDeps,
  occurrences: readonly Occurrence[],
  delivery: Delivery,
): Promise<readonly Taken[]> {
  await beginStored(deps, delivery);
  const placed = await placeAll(deps, occurrences, delivery);
  const offered = placed.filter((one) => typeof one !== 'string');
  const answers = await offer(deps, offered, delivery);
  const answerTo = new Map(offered.map((one, i) => [one, answers[i] ?? 'seen']));
  const taken: Taken[] = [];
  for (const one of placed) {
    const answer = typeof one === 'string' ? undefined : answerTo.get(one);
    if (typeof one === 'string') taken.push(one);
    else if (answer === 'started') taken.push(await begin(deps, one));
    else taken.push(answer === 'joined' ? 'joined' : 'replayed');
  }
  return taken;
}

const MOST_DOUBTFUL = 1000;

async function offer({ store }: IntakeDeps, offered: readonly Placed[], { by, doubtful }: Delivery) {
  try {
    return await store.takeAlerts(offered, by);
  } catch (error) {
    for (const one of offered) doubtful.set(one.run.id, one);
    for (const id of [...doubtful.keys()].slice(0, -MOST_DOUBTFUL)) doubtful.delete(id);
    throw error;
  }
}

// Who sends them again is told that they are known.
async function beginStored(deps: IntakeDeps, { doubtful }: Delivery): Promise<void> {
  if (doubtful.size === 0) return;
  const stored = new Set((await deps.store.unfinishedTriages()).map(({ id }) => id));
  for (const [id, one] of [...doubtful]) {
    doubtful.delete(id);
    if (stored.has(id)) await begin(deps, one);
  }
}

async function begin(deps: IntakeDeps, { run, node }: Placed): Promise<Taken> {
  const isQueued = deps.queue.add({ group: run.cluster ?? '', lane: node, run: () => carryOut(deps, run) });
  if (isQueued) return run.asker === QUIET_USER ? 'quiet' : 'triaged';
  deps.log.warn('triage dropped: too many are waiting', { query: run.query, triage: run.id });
  await deps.triage.drop(run.id);
  return 'dropped';
}

type Placed = OfferedAlert & Pick<Occurrence, 'node'>;

async function placeAll(
  deps: IntakeDeps,
  occurrences: readonly Occurrence[],
  delivery: Delivery,
): Promise<readonly (Placed | Taken)[]> {
  const now = deps.clock.now();
  const placed: (Placed | Taken)[] = [];
  for (const one of occurrences) {
    const target = targetOf(deps, one, delivery.silences);
    if (typeof target === 'string') {
      placed.push(target);
      deps.log.info('not taken up', { name: one.name, why: target });
      continue;
    }
    const { query, conversation, ...place } = target;
    const triageId = deps.ids.next('tri');
    const over = one.isOver ? one.at : null;
    const shared = await delivery.isShared(conversation);
    placed.push({
      alert: {
        ...{ key: one.key, name: one.name, firedAt: one.at, ...place, conversation, triageId },
        ...{ seenAt: now, resolvedAt: over, toldAt: over },
      },
      run: runOf({ triageId, conversation, query, user: one.user, shared, now }),
      node: one.node,
    });
  }
  return placed;
}

type Goal = Pick<TakenAlert, 'cluster' | 'namespace' | 'subject' | 'workload' | 'conversation'> & {
  readonly query: PodQuery;
};

// Only what would pass as a typed name is used.
function targetOf(
  deps: IntakeDeps,
  { cluster, namespace, subject, fallback }: Occurrence,
  silences: readonly Silence[],
): Goal | Taken {
  const parsed = parsePodQuery(`${cluster}/${namespace}/${subject}`);
  if (parsed.kind !== 'query' || parsed.query.pod !== subject || parsed.query.namespace !== namespace)
    return 'no-target';
  const place = { cluster, namespace, workload: guessWorkload(subject) };
  if (silenceOf(silences, place) !== undefined) return 'silenced';
  const conversation = owningChannel(deps.rights.channels, place, fallback);
  if (conversation === undefined) return 'no-channel';
  return { ...place, subject, conversation, query: parsed.query };
}

type NewRun = {
  readonly triageId: string;
  readonly conversation: string;
  readonly query: PodQuery;
  readonly user: AutomaticUser;
  readonly shared: boolean;
  readonly now: number;
};

function runOf({ triageId, conversation, query, user, shared, now }: NewRun): TriageRun {
  return {
    id: triageId,
    incidentId: null,
    query: formatPodQuery(query),
    cluster: query.cluster ?? null,
    asker: user,
    externallyShared: shared,
    conversation,
    ts: null,
    state: 'running',
    outcome: null,
    startedAt: now,
    endedAt: null,
  };
}

function carryOut({ triage }: IntakeDeps, run: TriageRun): Promise<void> {
  const channel = run.conversation ?? '';
  const parsed = parsePodQuery(run.query);
  if (parsed.kind !== 'query') return Promise.resolve();
  const asker = { user: run.asker, conversation: channel, responseUrl: undefined };
  const { externallyShared } = run;
  const actor = { place: 'slack' as const, user: run.asker, groups: [], channel, externallyShared };
  return triage.again(run.id, parsed.query, { asker, actor });
}
