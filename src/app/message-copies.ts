import type { MessageRef } from '../model/incident.ts';
import { shownAt } from '../report/notices.ts';
import type { OutboxStore } from './outbox-ports.ts';
import type { Chat, Log, MessageKind } from './ports.ts';

type CopyDeps = {
  readonly store: Pick<OutboxStore, 'adoptMessage'>;
  readonly chat: Pick<Chat, 'update' | 'permalink'>;
  readonly log: Log;
};

/** Makes a clicked copy the current one; the others point to it. */
export async function adoptCopy(
  deps: CopyDeps,
  incidentId: string,
  kind: MessageKind,
  ref: MessageRef | undefined,
): Promise<void> {
  if (ref === undefined) return;
  const { isNew, others } = await deps.store.adoptMessage(incidentId, kind, ref);
  if (!isNew) return;
  deps.log.info('clicked copy adopted', { incident: incidentId, kind });
  // A click does not wait for copies elsewhere.
  for (const other of others) void pointTo(deps, other, ref);
}

export async function pointTo({ chat, log }: CopyDeps, copy: MessageRef, current: MessageRef): Promise<void> {
  try {
    const told = await chat.update(copy, shownAt(await chat.permalink(current)), 'leave');
    if (told.kind === 'refused') log.warn('copy of a message not updated', { code: told.code });
  } catch (error) {
    log.warn('copy of a message not updated', { error });
  }
}
