import type { MessageRef } from '../../model/incident.ts';
import type { Message } from '../../model/message.ts';
import { QUIET_USER } from '../../model/started-by.ts';
import { dashboardLink } from '../../monitoring/dashboard-link.ts';
import { card, type ReportInput } from '../../report/card.ts';
import { reopened } from '../../report/incident-state.ts';
import { cannotPost, movedTo, seenAgain } from '../../report/notices.ts';
import { thread } from '../../report/thread.ts';
import { answerAsker } from '../answer-asker.ts';
import { NOT_OURS } from '../deliver-message.ts';
import type { Outbox } from '../outbox.ts';
import type { Asker, Chat, Log, PostOutcome, RecordedFinding, Store } from '../ports.ts';
import type { Investigation } from './investigate.ts';
import { cardIn, type Standing } from './triage-place.ts';

export type PublishDeps = {
  readonly chat: Chat;
  readonly store: Store;
  readonly outbox: Outbox;
  readonly log: Log;
  /** The Grafana URL, where findings link to the dashboard. */
  readonly grafana?: string | undefined;
  /** Whether changes are allowed there, so that the card may offer a plan; nowhere where it is left out. */
  readonly mayPlan?: ((place: { readonly cluster: string; readonly namespace: string }) => boolean) | undefined;
};

type FindingToPublish = {
  readonly runId: string;
  readonly asker: Asker;
  readonly standing: Standing;
  readonly found: Extract<Investigation, { kind: 'done' }>;
  readonly recorded: RecordedFinding | undefined;
};

/** Where the finding is shown: in the channel, or with the asker alone, in these words; nowhere where another process has taken the triage over. */
type Published =
  | { readonly kind: 'shown' | 'dropped' }
  | { readonly kind: 'told'; readonly message: Message; readonly concerns: 'everyone' };

/** Puts a finding where it belongs: one card and one thread per incident and channel; to the asker alone where the bot may not post. */
export async function publishFinding(deps: PublishDeps, input: FindingToPublish): Promise<Published> {
  const { found, standing } = input;
  // The next shift handover lists its incident.
  if (input.asker.user === QUIET_USER) return { kind: 'shown' };
  const report: ReportInput = {
    ...found.finding,
    incident: input.recorded?.incident,
    snapshot: found.snapshot,
    evidence: found.evidence,
    mayPlan: deps.mayPlan?.(found.target) ?? false,
    dashboard: dashboardOf(deps, found),
  };
  const message = card(report);
  const placed = standing.kind === 'none' ? undefined : await placeCard(deps, input, standing, message);
  // The bot stops while Slack makes it wait: the card is sent at the next start.
  if (placed === 'waits') return { kind: 'shown' };
  if (placed === 'taken-over') return { kind: 'dropped' };
  if (placed === undefined) {
    const alone = cannotPost(message, standing.kind === 'refused' ? standing.next : undefined);
    await answerAsker(deps, input.asker, alone, { triage: input.runId, incident: input.recorded?.incident.id });
    return { kind: 'told', message: alone, concerns: 'everyone' };
  }
  // Files are stored nowhere before they are sent.
  if (!(await deps.store.holdsTriage(input.runId).catch(() => true))) return { kind: 'dropped' };
  await fillThread(deps, placed, input, report);
  return { kind: 'shown' };
}

// A pod belongs to the workload whose name it begins with.
function dashboardOf({ grafana }: PublishDeps, { target, finding }: FindingToPublish['found']): string | undefined {
  if (grafana === undefined) return undefined;
  const workload = (finding.capture?.workload ?? target.workload).replace(/^[^/]*\//, '');
  const shown = { namespace: target.namespace, workload };
  return dashboardLink(grafana, shown);
}

type Shown = Exclude<Standing, { kind: 'none' }>;

async function placeCard(
  deps: PublishDeps,
  input: FindingToPublish,
  standing: Shown,
  message: Message,
): Promise<MessageRef | Unplaced | undefined> {
  const { asker, recorded, runId: triage } = input;
  if (standing.kind === 'refused' && !standing.isPassing) return undefined;
  const old = recorded && (await oldCard(deps, recorded, asker.conversation));
  const repeat = recorded && old && (await updateOld(deps, { old, recorded, standing, triage }, message));
  if (repeat !== undefined) return repeat;
  const ref = standing.kind === 'card' ? standing.ref : undefined;
  const { conversation } = asker;
  const incidentId = recorded?.incident.id;
  const posted = await deps.outbox.send({ incidentId, kind: 'card', conversation, ref, message, triage });
  if (posted.kind === 'refused') return unplaced(posted);
  if (standing.kind === 'thread') {
    logRefused(
      deps,
      'progress not closed',
      await deps.chat.update(standing.ref, movedTo(await deps.chat.permalink(posted.ref))),
    );
  }
  return posted.ref;
}

// Undefined where the old card can be changed no more: the finding then gets its own card.
async function updateOld(
  deps: PublishDeps,
  { old, recorded, standing, triage }: { old: MessageRef; recorded: RecordedFinding; standing: Shown; triage: string },
  message: Message,
): Promise<MessageRef | Unplaced | undefined> {
  const { conversation } = old;
  const incidentId = recorded.incident.id;
  const updated = await deps.outbox.send({ incidentId, kind: 'card', conversation, ref: old, message, triage });
  if (updated.kind === 'refused') return unplaced(updated);
  if (!('ref' in standing)) return updated.ref;
  const below = standing.kind === 'thread' && standing.card.ts === updated.ref.ts;
  const link = below ? undefined : await deps.chat.permalink(updated.ref);
  const again =
    recorded.reopened === undefined ? seenAgain(recorded.incident, link) : reopened(recorded.reopened, link);
  logRefused(deps, 'progress not closed', await deps.chat.update(standing.ref, again));
  return updated.ref;
}

type Unplaced = 'waits' | 'taken-over';

function unplaced({ code, retryMs }: Extract<PostOutcome, { kind: 'refused' }>): Unplaced | undefined {
  if (code === NOT_OURS) return 'taken-over';
  return retryMs === undefined ? undefined : 'waits';
}

async function oldCard(deps: PublishDeps, { incident }: RecordedFinding, conversation: string) {
  try {
    return cardIn(await deps.store.messages(incident.id, 'card'), conversation);
  } catch (error) {
    deps.log.error('old card not looked up', { error, incident: incident.id });
    return undefined;
  }
}

// Whatever goes wrong here, the card stays.
async function fillThread(
  deps: PublishDeps,
  card: MessageRef,
  { runId, recorded }: FindingToPublish,
  report: ReportInput,
): Promise<void> {
  try {
    const { messages, files } = thread(report);
    const { conversation } = card;
    for (const [i, message] of messages.entries()) {
      const kind = `thread/${runId}/${i}` as const;
      const parcel = {
        incidentId: recorded?.incident.id,
        kind,
        conversation,
        thread: card,
        message,
        once: true,
        triage: runId,
      };
      logRefused(deps, 'thread message refused', await deps.outbox.send(parcel));
    }
    if (files.length === 0) return;
    logRefused(deps, 'files refused', await deps.chat.attach(card, files));
  } catch (error) {
    deps.log.error('thread not filled', { error });
  }
}

function logRefused({ log }: PublishDeps, event: string, outcome: PostOutcome): void {
  if (outcome.kind === 'refused') log.warn(event, { code: outcome.code });
}
