import type { MessageRef } from '../../model/incident.ts';
import type { Message } from '../../model/message.ts';
import { QUIET_USER } from '../../model/started-by.ts';
import { progressCard, requestedCard, type StepState } from '../../report/progress-card.ts';
import type { Asker, Chat, Log, PodQuery, PodTarget, Progress, ProgressStep, Store } from '../ports.ts';

const STEPS: readonly ProgressStep[] = ['find-pod', 'read-status', 'read-logs', 'read-metrics', 'judge'];

/** Where the progress of one triage is shown: a new card, the thread of the workload's open card, or nowhere that others can see. */
export type Standing =
  | { readonly kind: 'none' }
  | { readonly kind: 'card'; readonly ref: MessageRef }
  | { readonly kind: 'thread'; readonly ref: MessageRef; readonly card: MessageRef }
  /** `isPassing`: the chat may take a message later. */
  | { readonly kind: 'refused'; readonly next: string; readonly isPassing: boolean };

export type TriagePlace = {
  readonly progress: Progress;
  /** Called once the pod is known and may be read: from here on the channel sees the progress. */
  open(target: PodTarget): Promise<void>;
  /** From here on progress is no longer drawn: the answer takes its place. */
  close(): void;
  standing(): Standing;
};

type PlaceDeps = {
  readonly chat: Chat;
  readonly store: Store;
  readonly log: Log;
  readonly now: () => number;
  /** A card that was seen last before this has scrolled away: the progress gets its own message. */
  readonly windowMs: number;
};

/** Makes the place for one triage. `runId` ties the message to the stored request, so that a restart can find it again. */
export function createTriagePlace(
  deps: PlaceDeps,
  triage: { runId: string; asker: Asker; query: PodQuery },
): TriagePlace {
  const steps = new Map<ProgressStep, StepState>(STEPS.map((step) => [step, { step, status: 'pending' }]));
  let standing: Standing = { kind: 'none' };
  let shown = triage.query;
  let closed = false;
  const draw = (): Message => progressCard(shown, [...steps.values()]);
  const show = (): void => {
    if (closed || !('ref' in standing)) return;
    // The edge gathers quick updates; the last state wins.
    deps.chat.update(standing.ref, draw()).catch((error) => deps.log.warn('progress not shown', { error }));
  };

  return {
    standing: () => standing,
    progress(step, status, detail) {
      steps.set(step, { step, status, detail });
      show();
    },
    async open(target) {
      // A reading that was given up may still find its pod.
      if (closed || triage.asker.user === QUIET_USER) return;
      shown = { ...triage.query, cluster: target.cluster, namespace: target.namespace, pod: target.pod };
      standing = await post(deps, triage.asker, target, requestedCard(shown, triage.asker.user));
      if (!('ref' in standing)) return;
      try {
        await deps.store.placeTriage(triage.runId, standing.ref);
      } catch (error) {
        deps.log.error('place of a triage not stored', { error, triage: triage.runId });
      }
      // Not before: progress that a restart leaves behind could never be changed.
      show();
    },
    close() {
      closed = true;
    },
  };
}

async function post(deps: PlaceDeps, asker: Asker, target: PodTarget, message: Message): Promise<Standing> {
  const card = await openCard(deps, asker, target);
  if (card !== undefined) {
    const reply = await deps.chat.post(asker.conversation, message, card);
    if (reply.kind === 'posted') return { kind: 'thread', ref: reply.ref, card };
  }
  // No open card, or one that was deleted and takes no more replies.
  const posted = await deps.chat.post(asker.conversation, message);
  if (posted.kind === 'posted') return { kind: 'card', ref: posted.ref };
  return { kind: 'refused', next: posted.next, isPassing: posted.retryMs !== undefined };
}

async function openCard(deps: PlaceDeps, asker: Asker, target: PodTarget): Promise<MessageRef | undefined> {
  try {
    const incident = await deps.store.openIncidentOf(target, deps.now() - deps.windowMs);
    if (incident === undefined) return undefined;
    return cardIn(await deps.store.messages(incident.id, 'card'), asker.conversation);
  } catch (error) {
    // Whoever asks needs the finding more than its being in one thread with the last one.
    deps.log.error('open card not looked up', { error });
    return undefined;
  }
}

/** The card of an incident in one conversation, the newest first. */
export function cardIn(cards: readonly MessageRef[], conversation: string): MessageRef | undefined {
  return cards.findLast((card) => card.conversation === conversation);
}
