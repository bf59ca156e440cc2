import type { MessageRef } from '../model/incident.ts';
import { card, type ReportInput } from '../report/card.ts';
import { cannotPost, movedTo, seenAgain } from '../report/notices.ts';
import { thread } from '../report/thread.ts';
import type { Investigation } from './investigate.ts';
import type { Asker, Chat, Log, Store } from './ports.ts';
import type { RecordedFinding } from './record-finding.ts';
import { cardIn, type Standing } from './triage-place.ts';

export type PublishDeps = {
  readonly chat: Chat;
  readonly store: Store;
  readonly log: Log;
  readonly commandName: string;
};

export type FindingToPublish = {
  readonly asker: Asker;
  readonly standing: Standing;
  readonly found: Extract<Investigation, { kind: 'done' }>;
  readonly recorded: RecordedFinding | undefined;
};

/** Puts a finding where it belongs: one card and one thread per incident and channel; to the asker alone where the bot may not post. */
export async function publishFinding(deps: PublishDeps, input: FindingToPublish): Promise<void> {
  const report: ReportInput = {
    diagnosis: input.found.finding.diagnosis,
    facts: input.found.finding.facts,
    capture: input.found.finding.capture,
    series: input.found.finding.series,
    incident: input.recorded?.incident,
    snapshot: input.found.snapshot,
    evidence: input.found.evidence,
  };
  const message = card(report);
  const { standing } = input;
  if (standing.kind === 'refused' || standing.kind === 'none') {
    const next = standing.kind === 'refused' ? standing.next : undefined;
    await deps.chat.whisper(input.asker, cannotPost(message, next));
    return;
  }
  const placed = await placeCard(deps, input, standing, message);
  if (placed === undefined) {
    await deps.chat.whisper(input.asker, cannotPost(message, undefined));
    return;
  }
  await fillThread(deps, placed, report);
}

type Placed = { readonly ref: MessageRef; readonly repeat: boolean };

async function placeCard(
  deps: PublishDeps,
  input: FindingToPublish,
  standing: Extract<Standing, { kind: 'card' | 'thread' }>,
  message: ReturnType<typeof card>,
): Promise<Placed | undefined> {
  const { recorded, asker } = input;
  const old =
    recorded === undefined
      ? undefined
      : cardIn(await deps.store.messages(recorded.incident.id, 'card'), asker.conversation);
  if (recorded !== undefined && old !== undefined) {
    await deps.chat.update(old, message);
    const link = standing.kind === 'card' ? await deps.chat.permalink(old) : undefined;
    await deps.chat.update(standing.ref, seenAgain(recorded.incident, link));
    return { ref: old, repeat: true };
  }
  const posted =
    standing.kind === 'card'
      ? await deps.chat.update(standing.ref, message)
      : await deps.chat.post(asker.conversation, message);
  if (posted.kind === 'refused') return undefined;
  if (standing.kind === 'thread') await deps.chat.update(standing.ref, movedTo(await deps.chat.permalink(posted.ref)));
  if (recorded !== undefined) await deps.store.saveMessage(recorded.incident.id, 'card', posted.ref);
  return { ref: posted.ref, repeat: false };
}

// A repeat brings its files but not the whole proof again: the thread would drown the first one.
async function fillThread(deps: PublishDeps, placed: Placed, report: ReportInput): Promise<void> {
  const { messages, files } = thread(report);
  for (const message of placed.repeat ? messages.slice(0, 1) : messages) {
    const posted = await deps.chat.post(placed.ref.conversation, message, placed.ref);
    if (posted.kind === 'refused') deps.log.warn('thread message refused', { code: posted.code });
  }
  if (files.length === 0) return;
  const attached = await deps.chat.attach(placed.ref, files);
  if (attached.kind === 'refused') deps.log.warn('files refused', { code: attached.code });
}
