import { type Incident, isHealthyReading } from '../../model/incident.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { card } from '../../report/card.ts';
import { closedNotice } from '../../report/incident-state.ts';
import type { Outbox } from '../outbox.ts';
import type { OutboxStore } from '../outbox-ports.ts';
import type { Log, SnapshotSource, Store } from '../ports.ts';
import type { Diagnosed } from '../triage/investigate.ts';
import type { PublishDeps } from '../triage/publish-finding.ts';

export type ShowDeps = {
  readonly store: Pick<Store, 'incident' | 'findings' | 'snapshot' | 'messages'> & Pick<OutboxStore, 'hasMessage'>;
  readonly outbox: Pick<Outbox, 'enqueue'>;
  readonly source: (snapshot: Snapshot) => SnapshotSource;
  readonly diagnose: (source: SnapshotSource) => Promise<Diagnosed>;
  readonly mayPlan: PublishDeps['mayPlan'];
  /** Whether a channel is shared with another organization. */
  readonly isShared: (channel: string) => Promise<boolean>;
  readonly log: Log;
};

/**
 * Redraws the card of an incident in each channel from the stored evidence; without evidence the card stays as it is. Ends
 * when the cards are stored: Slack may be away. Never rejects.
 */
export async function redrawCards(deps: ShowDeps, incidentId: string): Promise<void> {
  await drawCards(deps, incidentId).catch((error: unknown) =>
    deps.log.error('cards not redrawn', { error, incident: incidentId }),
  );
}

async function drawCards(deps: ShowDeps, incidentId: string): Promise<void> {
  const { store, outbox, mayPlan } = deps;
  const refs = await store.messages(incidentId, 'card');
  if (refs.length === 0) return;
  const latest = (await store.findings(incidentId)).at(-1);
  const snapshot = latest && (await store.snapshot(latest.snapshotId));
  if (latest === undefined || snapshot === undefined) return;
  const { facts, capture, series } = await deps.diagnose(deps.source(snapshot));
  // A diagnosis takes a while: what is shown is the incident after it.
  const incident = await store.incident(incidentId);
  if (incident === undefined) return;
  const { diagnosis } = latest;
  for (const ref of refs) {
    const { conversation } = ref;
    const evidence = (await deps.isShared(conversation)) ? 'verdict-only' : 'full';
    const report = { diagnosis, facts, capture, series, snapshot, incident, mayPlan: mayPlan?.(incident) ?? false };
    await outbox.enqueue({ incidentId, kind: 'card', conversation, ref, message: card({ ...report, evidence }) });
  }
}

/** Shows that an incident is closed: on its cards, and once in the thread of each. Nothing where it is open. Never rejects. */
export async function showClosed(deps: ShowDeps, incidentId: string): Promise<void> {
  try {
    const incident = await deps.store.incident(incidentId);
    if (incident?.state !== 'closed' || isHealthyReading(incident)) return;
    const refs = await deps.store.messages(incidentId, 'card');
    const untold = await untoldIn(deps, incident, new Set(refs.map(({ conversation }) => conversation)));
    if (untold.length === 0) return;
    await redrawCards(deps, incidentId);
    const message = closedNotice(incident);
    for (const conversation of untold) {
      const kind = kindOf(incident, conversation);
      const thread = refs.findLast((ref) => ref.conversation === conversation);
      await deps.outbox.enqueue({ incidentId, kind, conversation, thread, message, once: true });
    }
  } catch (error) {
    deps.log.error('closed incident not shown', { error, incident: incidentId });
  }
}

/** Shows what a run has made of its incident: closed, or open again where it was rolled back. Never rejects. */
export async function showAfterRun(deps: ShowDeps, incidentId: string): Promise<void> {
  try {
    const incident = await deps.store.incident(incidentId);
    if (incident?.state === 'open' && incident.reopenedAt !== null) await redrawCards(deps, incidentId);
  } catch (error) {
    deps.log.error('reopened incident not shown', { error, incident: incidentId });
  }
  await showClosed(deps, incidentId);
}

async function untoldIn(
  { store }: ShowDeps,
  incident: Incident,
  conversations: ReadonlySet<string>,
): Promise<string[]> {
  const untold: string[] = [];
  for (const conversation of conversations) {
    if (!(await store.hasMessage(incident.id, kindOf(incident, conversation)))) untold.push(conversation);
  }
  return untold;
}

// Each closing is posted once in each channel.
function kindOf({ closedAt }: Incident, conversation: string) {
  return `closed/${closedAt ?? 0}/${conversation}` as const;
}
