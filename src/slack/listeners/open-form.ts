import type { View } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Clock, Log } from '../../app/ports.ts';
import { type CallOutcome, callSlack } from '../api/call.ts';
import { validateView } from '../limits/message-limits.ts';

export type FormDeps = { readonly client: WebClient; readonly clock: Clock; readonly log: Log };

// A trigger is good for three seconds from the click on.
const TRIGGER_MS = 2500;

/** Opens a dialog in answer to a click. Answers false where Slack does not take it. */
export async function openForm({ client, clock, log }: FormDeps, view: View, trigger: string): Promise<boolean> {
  const problems = validateView(view);
  const opened: CallOutcome<unknown> =
    problems.length > 0
      ? { kind: 'failed', code: 'own-check', details: problems.map(({ message }) => message) }
      : await callSlack(clock, () => client.views.open({ trigger_id: trigger, view }), {
          withinMs: TRIGGER_MS,
          repeatable: false,
        });
  if (opened.kind === 'ok') return true;
  log.warn('form not opened', { code: opened.code, details: opened.details });
  return false;
}
