import type { MessageRef } from '../../model/incident.ts';
import type { TemporaryChange } from '../../model/temporary-change.ts';
import { type ChangeDecision, type ChangeNotice, changeDecided, changeNotice } from '../../report/temporary-change.ts';
import { threadOf } from '../acting/run/run-view.ts';
import type { Outbox } from '../outbox.ts';
import type { Store } from '../ports.ts';

export type NoticeDeps = {
  readonly store: Pick<Store, 'messages'>;
  readonly outbox: Pick<Outbox, 'enqueue'>;
};

/** Posts a notice in the thread of the incident, once for each expiry. Ends when the message is stored. */
export async function sendNotice(deps: NoticeDeps, change: TemporaryChange, notice: ChangeNotice): Promise<void> {
  const { id, incidentId } = change;
  const place = await placeOf(deps, change);
  const message = changeNotice(change, notice);
  await deps.outbox.enqueue({ incidentId, kind: kindOf(id, notice, change.expiresAt), ...place, message, once: true });
}

function kindOf(id: string, notice: string, expiresAt: number) {
  return `change/${id}/${notice}/${expiresAt}` as const;
}

type Place = { readonly conversation: string; readonly thread?: MessageRef | undefined };

// Below the card of its run, else below the finding, else to the person who asked for it.
async function placeOf({ store }: NoticeDeps, { incidentId, planId, requestedBy }: TemporaryChange): Promise<Place> {
  const ref = (await store.messages(incidentId, `plan/${planId}`)).at(-1);
  const shown = ref ?? (await store.messages(incidentId, 'card')).at(-1);
  if (shown === undefined) return { conversation: requestedBy };
  return { conversation: shown.conversation, thread: await threadOf(store, incidentId, shown) };
}

/** Posts a decision in the thread, and removes the buttons of earlier notices. Ends when the messages are stored. */
export async function tellDecision(
  deps: NoticeDeps,
  before: TemporaryChange,
  { change, decision, by }: ChangeDecision & { readonly change: TemporaryChange },
): Promise<void> {
  const { id, incidentId } = change;
  const kind = `change/${id}/${decision}/${change.expiresAt}` as const;
  const place = await placeOf(deps, change);
  await deps.outbox.enqueue({
    incidentId,
    kind,
    ...place,
    message: changeDecided(change, { decision, by }),
    once: true,
  });
  for (const notice of ['soon', 'expired', 'reverted', 'changed', 'gone'] as const) {
    const { choices: _choices, ...message } = changeNotice(before, notice);
    const kind = kindOf(id, notice, before.expiresAt);
    for (const ref of await deps.store.messages(incidentId, kind)) {
      await deps.outbox.enqueue({ incidentId, kind, conversation: ref.conversation, ref, message });
    }
  }
}
