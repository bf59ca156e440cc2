import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Clock, Log } from '../../app/ports.ts';
import { formNotOpened } from '../../report/acting-words.ts';
import { type CallOutcome, callSlack } from '../api/call.ts';
import { validateView } from '../limits/message-limits.ts';
import { drawEditModal, EDIT_CALLBACK, readSubmission } from './edit-modal.ts';
import type { Interactions } from './interactions.ts';
import { requestOfClick, requestOfSubmission, triggerOf } from './payloads.ts';
import { readOrAck } from './read-or-ack.ts';
import type { SlackRequest } from './use-cases.ts';

type EditListenerDeps = { readonly client: WebClient; readonly clock: Clock; readonly log: Log };

// A trigger is good for three seconds from the click on.
const TRIGGER_MS = 2500;

/** The button `Edit` of a plan opens a form; what is sent is checked at once and answered in the form, then planned. */
export function listenToEdit(app: App, interactions: Interactions, deps: EditListenerDeps): void {
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
  { client, clock, log }: EditListenerDeps,
  request: SlackRequest,
  trigger: string,
): Promise<void> {
  const form = await interactions.useCases.editForm(request);
  if (form === undefined) return;
  const view = drawEditModal(form, request.channel);
  const problems = validateView(view);
  const opened: CallOutcome<unknown> =
    problems.length > 0
      ? { kind: 'failed', code: 'own-check', details: problems.map(({ message }) => message) }
      : await callSlack(clock, () => client.views.open({ trigger_id: trigger, view }), {
          withinMs: TRIGGER_MS,
          repeatable: false,
        });
  if (opened.kind === 'ok') return;
  log.warn('form not opened', { code: opened.code, details: opened.details });
  await interactions.tell(request, formNotOpened());
}
