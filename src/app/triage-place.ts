import type { MessageRef } from '../model/incident.ts';
import type { Message } from '../model/message.ts';
import { progressCard } from '../report/progress-card.ts';
import type { Asker, Chat, PodQuery, PodTarget, Progress, ProgressStep, Store } from './ports.ts';

export const STEPS: readonly ProgressStep[] = ['find-pod', 'read-status', 'read-logs', 'read-metrics', 'judge'];

export type StepState = {
  readonly step: ProgressStep;
  readonly status: 'pending' | 'running' | 'done' | 'failed' | 'skipped';
  readonly detail?: string;
};

/** Where the progress of one triage stands: a new card, the thread of the workload's open card, or nowhere that others can see. */
export type Standing =
  | { readonly kind: 'none' }
  | { readonly kind: 'card'; readonly ref: MessageRef }
  | { readonly kind: 'thread'; readonly ref: MessageRef; readonly card: MessageRef }
  | { readonly kind: 'refused'; readonly next: string };

export type TriagePlace = {
  readonly progress: Progress;
  /** Called once the pod is known and may be read: from here on the channel sees the progress. */
  open(target: PodTarget): Promise<void>;
  standing(): Standing;
};

export type PlaceDeps = {
  readonly chat: Chat;
  readonly store: Store;
  readonly now: () => number;
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
  const draw = (): Message => progressCard(shown, [...steps.values()]);

  return {
    standing: () => standing,
    progress(step, status, detail) {
      steps.set(step, { step, status, detail });
      // The edge gathers quick updates; the last state wins.
      if (standing.kind === 'card' || standing.kind === 'thread') void deps.chat.update(standing.ref, draw());
    },
    async open(target) {
      shown = { ...triage.query, cluster: target.cluster, namespace: target.namespace, pod: target.pod };
      standing = await post(deps, triage.asker, target, draw());
      if (standing.kind === 'card' || standing.kind === 'thread')
        await deps.store.placeTriage(triage.runId, standing.ref);
    },
  };
}

async function post(deps: PlaceDeps, asker: Asker, target: PodTarget, message: Message): Promise<Standing> {
  const card = await openCard(deps, asker, target);
  const posted = await deps.chat.post(asker.conversation, message, card);
  if (posted.kind === 'refused') return { kind: 'refused', next: posted.next };
  return card === undefined ? { kind: 'card', ref: posted.ref } : { kind: 'thread', ref: posted.ref, card };
}

async function openCard(deps: PlaceDeps, asker: Asker, target: PodTarget): Promise<MessageRef | undefined> {
  const incident = await deps.store.openIncidentOf(target, deps.now() - deps.windowMs);
  if (incident === undefined) return undefined;
  return cardIn(await deps.store.messages(incident.id, 'card'), asker.conversation);
}

/** The card of an incident in one conversation, the newest first. */
export function cardIn(cards: readonly MessageRef[], conversation: string): MessageRef | undefined {
  return cards.findLast((card) => card.conversation === conversation);
}
