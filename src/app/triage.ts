import type { Actor } from '../model/authorise.ts';
import { toOomError } from '../model/errors.ts';
import type { Message } from '../model/message.ts';
import { alreadyReading, notStored, unresolved } from '../report/notices.ts';
import { refusal } from '../report/refusal.ts';
import { type InvestigateDeps, investigate, type Unresolved } from './investigate.ts';
import { findPodInText, formatPodQuery, parsePodQuery } from './pod-query.ts';
import type { Asker, Chat, Log, PodQuery, Store } from './ports.ts';
import { publishFinding } from './publish-finding.ts';
import { type RecordedFinding, recordFinding } from './record-finding.ts';
import { createTriagePlace, type TriagePlace } from './triage-place.ts';

export type TriageRequest = {
  readonly text: string;
  readonly asker: Asker;
  readonly actor: Actor;
  /** `message` looks for a pod name in a text that was written for people. */
  readonly from: 'command' | 'message';
};

export type TriageDeps = {
  readonly investigate: InvestigateDeps;
  readonly chat: Chat;
  readonly store: Store;
  readonly log: Log;
  readonly commandName: string;
  readonly windowMs: number;
};

export type TriageDesk = {
  /** Never rejects: every outcome is answered where it was asked. */
  ask(request: TriageRequest): Promise<void>;
  /** Runs a triage again that a restart cut off. */
  again(runId: string, query: PodQuery, request: Pick<TriageRequest, 'asker' | 'actor'>): Promise<void>;
  /** Ends when all that is under way has ended. */
  settle(): Promise<void>;
};

type UnderWay = { readonly place: TriagePlace; joined: number };

/** The one place where triages begin: it joins requests for pods of one workload and knows what is under way. */
export function createTriageDesk(deps: TriageDeps): TriageDesk {
  const underWay = new Map<string, UnderWay>();
  const running = new Set<Promise<void>>();

  const track = async (work: Promise<void>): Promise<void> => {
    const guarded = work.catch((thrown) => deps.log.error('triage failed outside its own handling', { error: thrown }));
    running.add(guarded);
    await guarded;
    running.delete(guarded);
  };

  const start = async (
    runId: string,
    query: PodQuery,
    request: Pick<TriageRequest, 'asker' | 'actor'>,
  ): Promise<void> => {
    const key = joinKey(request.asker, query);
    const other = underWay.get(key);
    if (other !== undefined) {
      other.joined += 1;
      const standing = other.place.standing();
      const link = 'ref' in standing ? await deps.chat.permalink(standing.ref) : undefined;
      await deps.chat.whisper(request.asker, alreadyReading(formatPodQuery(query), link));
      return;
    }
    const place = createTriagePlace(
      { chat: deps.chat, store: deps.store, now: () => deps.investigate.clock.now(), windowMs: deps.windowMs },
      { runId, asker: request.asker, query },
    );
    underWay.set(key, { place, joined: 0 });
    try {
      await runTriage(deps, { runId, query, ...request, place });
    } finally {
      underWay.delete(key);
    }
  };

  return {
    async ask(request) {
      const parsed = request.from === 'message' ? findPodInText(request.text) : parsePodQuery(request.text);
      if (parsed.kind === 'query') return track(start(deps.investigate.ids.next('tri'), parsed.query, request));
      await deps.chat.whisper(request.asker, unresolved({ kind: parsed.kind, from: request.from }, deps.commandName));
    },
    again: (runId, query, request) => track(start(runId, query, request)),
    async settle() {
      await Promise.all(running);
    },
  };
}

// The name without what Kubernetes appends, so that 200 pods of one workload that die at once are one reading.
function joinKey(asker: Asker, query: PodQuery): string {
  const workload = query.pod
    .replace(/-[bcdfghjklmnpqrstvwxz2456789]{1,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$/, '')
    .replace(/-\d+(-\d+)?$/, '');
  return [asker.conversation, query.cluster ?? '', query.namespace ?? '', workload, query.container ?? ''].join('\n');
}

type Triage = {
  readonly runId: string;
  readonly query: PodQuery;
  readonly asker: Asker;
  readonly actor: Actor;
  readonly place: TriagePlace;
};

async function runTriage(deps: TriageDeps, triage: Triage): Promise<void> {
  const { clock } = deps.investigate;
  const tolerate = (event: string) => (error: unknown) => deps.log.error(event, { error, triage: triage.runId });
  const end = (state: 'done' | 'failed', outcome: string, incidentId: string | null = null) =>
    deps.store
      .endTriage(triage.runId, { state, outcome, incidentId, at: clock.now() })
      .catch(tolerate('triage end not stored'));
  try {
    await startRun(deps, triage).catch(tolerate('triage start not stored'));
    const found = await investigate(deps.investigate, {
      query: triage.query,
      actor: triage.actor,
      progress: triage.place.progress,
      onFound: (target) => triage.place.open(target),
    });
    if (found.kind !== 'done') {
      await deps.chat.whisper(triage.asker, unresolved(found, deps.commandName));
      return await end('done', found.kind);
    }
    const recorded = await record(deps, triage, found);
    await publishFinding(deps, { asker: triage.asker, standing: triage.place.standing(), found, recorded });
    await end('done', found.finding.diagnosis.verdict.finding, recorded?.incident.id ?? null);
  } catch (thrown) {
    await fail(deps, triage, thrown);
    await end('failed', toOomError(thrown).code);
  }
}

async function startRun(deps: TriageDeps, triage: Triage): Promise<void> {
  await deps.store.startTriage({
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
    startedAt: deps.investigate.clock.now(),
    endedAt: null,
  });
}

// A finding that can not be stored is still shown: the person needs it more than the archive does.
async function record(
  deps: TriageDeps,
  triage: Triage,
  found: Exclude<Awaited<ReturnType<typeof investigate>>, Unresolved>,
): Promise<RecordedFinding | undefined> {
  const { target, snapshot, finding } = found;
  try {
    return await recordFinding(
      { store: deps.store, clock: deps.investigate.clock, windowMs: deps.windowMs },
      { target, snapshot, finding, actor: triage.asker.user },
    );
  } catch (thrown) {
    deps.log.error('finding not stored', { error: thrown, triage: triage.runId });
    await deps.chat.whisper(triage.asker, notStored());
    return undefined;
  }
}

async function fail(deps: TriageDeps, triage: Triage, thrown: unknown): Promise<void> {
  const error = toOomError(thrown);
  deps.log.error('triage failed', { error, code: error.code, triage: triage.runId });
  const message: Message = refusal(error, formatPodQuery(triage.query));
  const standing = triage.place.standing();
  if ('ref' in standing) await deps.chat.update(standing.ref, message);
  else await deps.chat.whisper(triage.asker, message);
}
