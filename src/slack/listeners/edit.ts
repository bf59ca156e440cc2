import type { App } from '@slack/bolt';
import { formNotOpened } from '../../report/acting-words.ts';
import { drawEditModal, EDIT_CALLBACK, readSubmission } from './edit-modal.ts';
import type { Interactions } from './interactions.ts';
import { type FormDeps, openForm } from './open-form.ts';
import { requestOfClick, requestOfSubmission, triggerOf } from './payloads.ts';
import { readOrAck } from './read-or-ack.ts';
import type { SlackRequest } from './use-cases.ts';

/** The button `Edit` of a plan opens a form; what is sent is checked at once and answered in the form, then planned. */
export function listenToEdit(app: App, interactions: Interactions, deps: FormDeps): void {
  app.action({ type: 'block_actions', action_id: /^oom:edit:\d+$/ }, async ({ body, ack }) => {
    const request = await readOrAck(() => requestOfClick(body, interactions.identity()), ack);
    await interactions.take({ asked: { use: 'edit' }, request, ack }, (kept) =>
      openModal(interactions, deps, kept, triggerOf(body)),
    );
  });
  app.view({ type: 'view_submission', callback_id: EDIT_CALLBACK }, async ({ body, view, ack }) => {
    const { errors, planId, values, conversation } = readSubmission(view);
    if (Object.keys(errors).length > 0) return ack({ response_action: 'errors', errors });
    const request = await readOrAck(() => requestOfSubmission(body, conversation, interactions.identity()), ack);
    const asked = { use: 'edited' as const, planId, values: [...values] };
    await interactions.take({ asked, request, ack }, (kept) => interactions.useCases.edited({ planId, values }, kept));
  });
}

async function openModal(
  interactions: Interactions,
  deps: FormDeps,
  request: SlackRequest,
  trigger: string,
): Promise<void> {
  const form = await interactions.useCases.editForm(request);
  if (form === undefined) return;
  const view = drawEditModal(form, request.channel);
  if (!(await openForm(deps, view, trigger))) await interactions.tell(request, formNotOpened());
}
