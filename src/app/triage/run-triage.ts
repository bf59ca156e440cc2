import type { Actor } from '../../model/authorise.ts';
import { toOomError } from '../../model/errors.ts';
import type { TriageRun } from '../../model/incident.ts';
import type { Message } from '../../model/message.ts';
import { startedBy } from '../../model/started-by.ts';
import { interrupted, notStored, refusal, unresolved } from '../../report/notices.ts';
import { answerAsker } from '../answer-asker.ts';
import type { Meters } from '../meter-ports.ts';
import type { Outbox } from '../outbox.ts';
import { formatPodQuery } from '../pod-query.ts';
import type { Asker, Chat, Log, PodQuery, PodTarget, RecordedFinding, Store } from '../ports.ts';
import type { Queue } from '../queue-by-workload.ts';
import { type InvestigateDeps, type Investigation, investigate } from './investigate.ts';
import { type PublishDeps, publishFinding } from './publish-finding.ts';
import { recordFindingOf } from './record-finding.ts';
import type { TriagePlace } from './triage-place.ts';

export type TriageDeps = {
  readonly investigate: InvestigateDeps;
  readonly chat: Chat;
  readonly store: Store;
  readonly outbox: Outbox;
  readonly log: Log;
  readonly commandName: string;
  readonly mayPlan?: PublishDeps['mayPlan'];
  readonly grafana?: PublishDeps['grafana'];
  readonly windowMs: number;
  readonly meters?: Meters | undefined;
};

type Triage = {
  readonly runId: string;
  readonly query: PodQuery;
  readonly asker: Asker;
  readonly actor: Actor;
  readonly place: TriagePlace;
  readonly queue: Queue;
  readonly onFound: (target: PodTarget) => void;
};

/** Where the answer went: where all in the channel see it, or to the asker alone with these words; nowhere where another process has taken the triage over. */
export type TriageOutcome =
  | { readonly kind: 'shown' | 'dropped' }
  | { readonly kind: 'told'; readonly message: Message; readonly concerns: 'who-asked-the-same' | 'everyone' };

type Done = Extract<Investigation, { kind: 'done' }>;

/** One triage from the request to its answer. Never rejects for what cluster, store or chat do: each fault is answered, or logged where nobody can be answered. */
export async function runTriage(deps: TriageDeps, triage: Triage): Promise<TriageOutcome> {
  const { clock } = deps.investigate;
  const began = clock.monotonic();
  const tally = (outcome: string): void => {
    deps.meters?.count('oombot_triages_total', { outcome, started_by: startedBy(triage.asker.user) });
    deps.meters?.observe('oombot_triage_duration_seconds', (clock.monotonic() - began) / 1000);
  };
  try {
    if (!(await holds(deps, triage))) return drop(deps, triage);
    const found = await read(deps, triage);
    if (found.kind !== 'done') {
      if (!(await holds(deps, triage))) return drop(deps, triage);
      const message = unresolved(found, deps.commandName);
      await answerAsker(deps, triage.asker, message, { triage: triage.runId });
      await endRun(deps, triage, { state: 'done', outcome: found.kind });
      tally(found.kind);
      return { kind: 'told', message, concerns: 'who-asked-the-same' };
    }
    // In turn, or two readings of one failure would each see no card of the other.
    const { cluster, namespace } = found.target;
    const workload = found.finding.capture?.workload ?? found.target.workload;
    const key = [triage.asker.conversation, cluster, namespace, workload].join('\n');
    const answered = await triage.queue(key, () => answer(deps, triage, found));
    tally('done');
    return answered;
  } catch (thrown) {
    if (!(await holds(deps, triage))) return drop(deps, triage);
    tally('failed');
    const outcome = await fail(deps, triage, thrown);
    await endRun(deps, triage, { state: 'failed', outcome: toOomError(thrown).code });
    return outcome;
  }
}

async function answer(deps: TriageDeps, triage: Triage, found: Done): Promise<TriageOutcome> {
  const recorded = await record(deps, triage, found);
  if (recorded === 'taken-over') return drop(deps, triage);
  const { runId, asker, place } = triage;
  const outcome = await publishFinding(deps, { runId, asker, standing: place.standing(), found, recorded });
  if (outcome.kind === 'dropped') return drop(deps, triage, recorded?.incident.id);
  const verdict = found.finding.diagnosis.verdict.finding;
  await endRun(deps, triage, { state: 'done', outcome: verdict, incidentId: recorded?.incident.id });
  return outcome;
}

// A process that froze for a minute finds its triages with another one, which answers them.
async function holds({ store, log }: TriageDeps, { runId }: Pick<Triage, 'runId'>): Promise<boolean> {
  return store.holdsTriage(runId).catch((error: unknown) => {
    log.error('holder of a triage not looked up', { error, triage: runId });
    return true;
  });
}

// Progress that was drawn since must not stay, but where the finding has taken its place.
async function drop(deps: TriageDeps, { runId, query, place }: Triage, incidentId?: string): Promise<TriageOutcome> {
  deps.log.info('triage dropped: another replica has taken it over', { triage: runId });
  const standing = place.standing();
  const cards = incidentId === undefined ? [] : await deps.store.messages(incidentId, 'card').catch(() => undefined);
  if ('ref' in standing && cards?.every(({ ts }) => ts !== standing.ref.ts)) {
    const closed = await deps.chat.update(standing.ref, interrupted(formatPodQuery(query), true, deps.commandName));
    if (closed.kind === 'refused') deps.log.warn('interrupted card not updated', { triage: runId, code: closed.code });
  }
  return { kind: 'dropped' };
}

// A chat that makes us wait takes no time from the reading: the card is posted meanwhile. What an edge still tells after
// the reading has ended must not be drawn over the answer.
async function read(deps: TriageDeps, { runId, query, actor, place, onFound }: Triage): Promise<Investigation> {
  let opened = Promise.resolve();
  const open = async (target: PodTarget): Promise<void> => {
    try {
      await place.open(target);
    } catch (error) {
      deps.log.error('progress card not posted', { error, triage: runId });
    }
    onFound(target);
  };
  try {
    return await investigate(deps.investigate, {
      query,
      actor,
      progress: place.progress,
      onFound: (target) => {
        opened = open(target);
      },
    });
  } finally {
    await opened;
    place.close();
  }
}

/** Stores that a triage is running, in the place of the request that asked for it. False where another process has that request. */
export async function startRun(
  { store, log, investigate: { clock } }: TriageDeps,
  triage: Pick<Triage, 'runId' | 'query' | 'asker' | 'actor'>,
  request: string | undefined,
): Promise<boolean> {
  const run: TriageRun = {
    id: triage.runId,
    incidentId: null,
    query: formatPodQuery(triage.query),
    cluster: triage.query.cluster ?? null,
    asker: triage.asker.user,
    externallyShared: triage.actor.place === 'slack' && triage.actor.externallyShared,
    conversation: triage.asker.conversation,
    ts: null,
    state: 'running',
    outcome: null,
    startedAt: clock.now(),
    endedAt: null,
  };
  try {
    const isStarted = await store.startTriage(run, request);
    if (!isStarted) log.info('request dropped: another replica has taken it over', { request });
    return isStarted;
  } catch (error) {
    log.error('triage start not stored', { error, triage: triage.runId });
    return true;
  }
}

export async function endRun(
  { store, log, investigate: { clock } }: TriageDeps,
  { runId }: Pick<Triage, 'runId'>,
  {
    state,
    outcome,
    incidentId,
  }: Pick<Parameters<Store['endTriage']>[1], 'state' | 'outcome'> & { incidentId?: string | undefined },
): Promise<void> {
  try {
    await store.endTriage(runId, { state, outcome, incidentId: incidentId ?? null, at: clock.now() });
  } catch (error) {
    log.error('triage end not stored', { error, triage: runId });
  }
}

// A finding that cannot be stored is still shown: the person needs it more than the archive does.
async function record(
  { store, log, chat, windowMs, investigate: { clock } }: TriageDeps,
  { runId, asker }: Triage,
  found: Done,
): Promise<RecordedFinding | 'taken-over' | undefined> {
  try {
    const recorded = await recordFindingOf({ store, clock, windowMs }, runId, { ...found, actor: asker.user });
    return recorded ?? 'taken-over';
  } catch (thrown) {
    log.error('finding not stored', { error: thrown, triage: runId });
    await answerAsker({ chat, log }, asker, notStored());
    return undefined;
  }
}

async function fail(deps: TriageDeps, triage: Triage, thrown: unknown): Promise<TriageOutcome> {
  const error = toOomError(thrown);
  deps.log.error('triage failed', { error, code: error.code, triage: triage.runId });
  const message = refusal(error, formatPodQuery(triage.query));
  const standing = triage.place.standing();
  if ('ref' in standing) {
    const updated = await deps.chat.update(standing.ref, message).catch(() => undefined);
    if (updated?.kind === 'posted') return { kind: 'shown' };
  }
  await answerAsker(deps, triage.asker, message, { triage: triage.runId });
  return { kind: 'told', message, concerns: 'everyone' };
}
