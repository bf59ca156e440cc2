import { randomUUID } from 'node:crypto';
import type { OutboxStore } from '../../src/app/outbox-ports.ts';
import type { MessageKind } from '../../src/app/ports.ts';
import type { MessageRef } from '../../src/model/incident.ts';

/** Stores a message of an incident as posted: here it stands. */
export async function storePlace(
  store: Pick<OutboxStore, 'queueMessage' | 'placeMessage'>,
  incidentId: string,
  kind: MessageKind,
  ref: MessageRef,
): Promise<void> {
  const id = `msg_${randomUUID()}`;
  const { conversation } = ref;
  const message = { summary: 'As posted.', blocks: [] };
  await store.queueMessage({ id, incidentId, kind, conversation, thread: null, ref: null, message });
  await store.placeMessage(id, ref);
}
