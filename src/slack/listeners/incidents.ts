import type { App } from '@slack/bolt';
import { dialogNotOpened } from '../../report/incident-state.ts';
import { drawIncidentModal, INCIDENT_CALLBACK, readIncidentForm } from './incident-modal.ts';
import type { Interactions } from './interactions.ts';
import { type FormDeps, openForm } from './open-form.ts';
import { requestOfClick, requestOfSubmission, triggerOf } from './payloads.ts';
import { readOrAck } from './read-or-ack.ts';
import type { PayloadRequest, SlackRequest } from './use-cases.ts';

// What a click means, as it would be typed; the others open a dialog.
const TYPED: Readonly<Record<string, (id: string) => string>> = {
  ack: (id) => `ack ${id}`,
  changes: (words) => (words === 'list' ? 'changes' : `changes ${words}`),
  fix: (id) => `fix ${id}`,
  handover: () => 'handover',
  right: (id) => `feedback ${id} yes`,
};
const BUTTON = /^oom:(ack|changes|fix|handover|resolve|right|wrong):\d+$/;
const MENU = /^oom:menu:\d+$/;

/** Buttons and the menu of an incident, and buttons of a temporary change or of the shift. What is clicked or sent is carried out as the same words typed. */
export function listenToIncidents(app: App, interactions: Interactions, deps: FormDeps): void {
  const { useCases, identity } = interactions;
  const take = async (asks: string, clicked: PayloadRequest, body: unknown, ack: () => Promise<void>) => {
    const typed = TYPED[asks]?.(clicked.text);
    if (typed !== undefined) {
      const request = { ...clicked, text: typed };
      return interactions.take({ asked: { use: 'command' }, request, ack }, useCases.command);
    }
    if (asks === 'plan') {
      const plan = (request: SlackRequest) => useCases.act('plan', request);
      return interactions.take({ asked: { use: 'act', verb: 'plan' }, request: clicked, ack }, plan);
    }
    const kind = asks === 'resolve' ? 'resolve' : 'wrong';
    const open = (request: SlackRequest) => openDialog(interactions, deps, { kind, request, trigger: triggerOf(body) });
    return interactions.take({ asked: { use: 'edit' }, request: clicked, ack }, open);
  };
  app.action({ type: 'block_actions', action_id: BUTTON }, async ({ action, body, ack }) => {
    const clicked = await readOrAck(() => requestOfClick(body, identity()), ack);
    await take(BUTTON.exec(action.action_id)?.[1] ?? '', clicked, body, ack);
  });
  app.action({ type: 'block_actions', action_id: MENU }, async ({ body, ack }) => {
    const clicked = await readOrAck(() => requestOfClick(body, identity()), ack);
    const [asks = '', id = ''] = clicked.text.split(' ');
    await take(asks, { ...clicked, text: id }, body, ack);
  });
  app.view({ type: 'view_submission', callback_id: INCIDENT_CALLBACK }, async ({ body, view, ack }) => {
    const request = await readOrAck(() => {
      const { text, conversation } = readIncidentForm(view);
      return { ...requestOfSubmission(body, conversation, identity()), text };
    }, ack);
    await interactions.take({ asked: { use: 'command' }, request, ack }, useCases.command);
  });
}

type Dialog = {
  readonly kind: 'resolve' | 'wrong';
  readonly request: SlackRequest;
  readonly trigger: string;
};

async function openDialog(
  interactions: Interactions,
  deps: FormDeps,
  { kind, request, trigger }: Dialog,
): Promise<void> {
  const form = await interactions.useCases.incidentForm(kind, request);
  if (form === undefined) return;
  const isOpen = await openForm(deps, drawIncidentModal(form, request.channel), trigger);
  if (!isOpen) await interactions.tell(request, dialogNotOpened(form.incident, kind));
}
