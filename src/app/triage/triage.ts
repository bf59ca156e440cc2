import type { Actor } from '../../model/authorise.ts';
import { toOomError } from '../../model/errors.ts';
import { QUIET_USER } from '../../model/started-by.ts';
import { alreadyReading, refusal, unresolved } from '../../report/notices.ts';
import { answerAsker } from '../answer-asker.ts';
import { findPodInText, formatPodQuery, parsePodQuery } from '../pod-query.ts';
import type { Asker, PodQuery, PodTarget } from '../ports.ts';
import { createQueue } from '../queue-by-workload.ts';
import { endRun, runTriage, startRun, type TriageDeps, type TriageOutcome } from './run-triage.ts';
import { createTriagePlace, type TriagePlace } from './triage-place.ts';

export type { TriageDeps } from './run-triage.ts';

export type TriageRequest = {
  readonly text: string;
  readonly asker: Asker;
  readonly actor: Actor;
  /** `message` looks for a pod name in a text that was written for people. */
  readonly from: 'command' | 'message';
  /** The kept request that it answers. */
  readonly kept?: string | undefined;
};

export type TriageStarter = {
  /** Never rejects: every outcome is answered where it was asked. */
  ask(request: TriageRequest): Promise<void>;
  /** Runs a triage again that a restart cut off. */
  again(runId: string, query: PodQuery, request: Pick<TriageRequest, 'asker' | 'actor'>): Promise<void>;
  /** Ends a stored triage that is not run: too many wait already. Never rejects. */
  drop(runId: string): Promise<void>;
  /** Ends when all active triages are done. */
  settle(): Promise<void>;
};

// Longer ago, the card has scrolled away.
const NEAR_MS = 6 * 60 * 60_000;

type Asked = { readonly runId: string; readonly query: PodQuery; readonly asker: Asker; readonly actor: Actor };

type UnderWay = {
  readonly asked: string;
  readonly place: TriagePlace;
  /** The pod, once it is found; undefined where none was. Neither promise rejects. */
  readonly found: Promise<PodTarget | undefined>;
  readonly ended: Promise<TriageOutcome>;
};

/** The one place where triages begin: it joins requests for pods of one workload and knows the active ones. */
export function createTriageStarter(deps: TriageDeps): TriageStarter {
  const underWay = new Map<string, UnderWay>();
  const running = new Set<Promise<void>>();
  const queue = createQueue();

  const track = async (asker: Asker, work: () => Promise<void>): Promise<void> => {
    const guarded = work().catch(async (thrown) => {
      const error = toOomError(thrown);
      deps.log.error('triage failed outside its own handling', { error, code: error.code });
      await answerAsker(deps, asker, refusal(error, 'triage'));
    });
    running.add(guarded);
    await guarded;
    running.delete(guarded);
  };

  const start = async (asked: Asked, key: string): Promise<void> => {
    const other = underWay.get(key);
    if (other !== undefined) return join(asked, key, other);
    const found = Promise.withResolvers<PodTarget | undefined>();
    const ended = Promise.withResolvers<TriageOutcome>();
    const place = createTriagePlace(
      {
        chat: deps.chat,
        store: deps.store,
        log: deps.log,
        now: () => deps.investigate.clock.now(),
        windowMs: Math.min(deps.windowMs, NEAR_MS),
      },
      asked,
    );
    underWay.set(key, { asked: formatPodQuery(asked.query), place, found: found.promise, ended: ended.promise });
    try {
      ended.resolve(await runTriage(deps, { ...asked, place, queue, onFound: found.resolve }));
    } finally {
      underWay.delete(key);
      found.resolve(undefined);
      ended.resolve({ kind: 'shown' });
    }
  };

  // Who joins is answered like the first one: by its card, or with its words where those are for the same pod.
  const join = async (asked: Asked, key: string, other: UnderWay): Promise<void> => {
    const target = await other.found;
    if (target !== undefined) {
      if (!belongsTo(asked.query.pod, target)) return start(asked, exactKey(asked));
      const standing = other.place.standing();
      const link = 'ref' in standing ? await deps.chat.permalink(standing.ref) : undefined;
      await answerAsker(deps, asked.asker, alreadyReading(formatPodQuery({ ...target, container: undefined }), link));
    }
    const outcome = await other.ended;
    if (outcome.kind === 'shown') return;
    const isSame = other.asked === formatPodQuery(asked.query);
    if (outcome.kind === 'told' && (outcome.concerns === 'everyone' || isSame)) {
      return answerAsker(deps, asked.asker, outcome.message, { triage: asked.runId });
    }
    return start(asked, key);
  };

  const carry = async (asked: Asked): Promise<void> => {
    try {
      await start(asked, joinKey(asked));
    } finally {
      // One that was carried out by itself has ended already, and the first end counts.
      await endRun(deps, asked, { state: 'done', outcome: 'joined' });
    }
  };

  return {
    ask: (request) =>
      track(request.asker, async () => {
        const parsed = request.from === 'message' ? findPodInText(request.text) : parsePodQuery(request.text);
        if (parsed.kind !== 'query') {
          return answerAsker(deps, request.asker, unresolved({ ...parsed, from: request.from }, deps.commandName));
        }
        // From here on the triage stands for the request.
        const asker = { ...request.asker, kept: undefined };
        const { actor } = request;
        const asked = { runId: deps.investigate.ids.next('tri'), query: parsed.query, asker, actor };
        return (await startRun(deps, asked, request.kept)) ? carry(asked) : undefined;
      }),
    again: (runId, query, { asker, actor }) => track(asker, () => carry({ runId, query, asker, actor })),
    drop: (runId) => endRun(deps, { runId }, { state: 'interrupted', outcome: 'dropped' }),
    async settle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

// The letters and digits of names that Kubernetes makes up (apimachinery, util/rand).
const MADE_UP = '[bcdfghjklmnpqrstvwxz2456789]';
const OF_REPLICA_SET = new RegExp(`-${MADE_UP}{6,10}-${MADE_UP}{5}$`);
const ORDINALS = /-\d+(-\d+)?$/;

/**
 * Requests with the same key may be about one workload: whether they are is only known once the pod is found. Requests
 * that may see more or less of the evidence never share a key; what is posted never joins what is not.
 */
export function joinKey(request: { readonly asker: Asker; readonly actor: Actor; readonly query: PodQuery }): string {
  return keyOf(request, guessWorkload(request.query.pod));
}

/** The key of those who ask in the very same words. */
function exactKey(request: { readonly asker: Asker; readonly actor: Actor; readonly query: PodQuery }): string {
  return keyOf(request, `=${request.query.pod}`);
}

function keyOf({ asker, actor, query }: { asker: Asker; actor: Actor; query: PodQuery }, name: string): string {
  const shown = actor.place === 'slack' && actor.externallyShared ? 'verdict-only' : 'full';
  const { cluster = '', namespace = '', container = '' } = query;
  const posted = asker.user === QUIET_USER ? 'quiet' : 'posted';
  return [asker.conversation, shown, posted, cluster, namespace, name, container].join('\n');
}

/** The name without what Kubernetes appends. A guess: `vllm-7` may be the seventh pod of `vllm` or a workload so called. */
export function guessWorkload(pod: string): string {
  return OF_REPLICA_SET.test(pod) ? pod.replace(OF_REPLICA_SET, '') : pod.replace(ORDINALS, '');
}

// What each kind of owner appends to its own name.
const APPENDED: Readonly<Record<string, RegExp>> = {
  Deployment: new RegExp(`^-${MADE_UP}{1,10}-${MADE_UP}{5}$`),
  ReplicaSet: new RegExp(`^-${MADE_UP}{5}$`),
  DaemonSet: new RegExp(`^-${MADE_UP}{5}$`),
  Job: new RegExp(`^(-\\d+)?-${MADE_UP}{5}$`),
  StatefulSet: /^-\d+$/,
  LeaderWorkerSet: ORDINALS,
  Pod: /^$/,
};

/** True where this name is one of the pods of the workload that was found, or the workload itself. */
export function belongsTo(name: string, target: PodTarget): boolean {
  if (name === target.pod || name === target.replaced) return true;
  const slash = target.workload.indexOf('/');
  const workload = target.workload.slice(slash + 1);
  if (!name.startsWith(workload)) return false;
  const rest = name.slice(workload.length);
  // Owners of a kind that is not known here append what they like, behind a dash.
  return rest === '' || (APPENDED[target.workload.slice(0, slash)] ?? /^-/).test(rest);
}
