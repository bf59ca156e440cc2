import type { App } from '@slack/bolt';
import type { Asked } from '../../model/kept-request.ts';
import type { Interactions } from './interactions.ts';
import { requestOfClick } from './payloads.ts';
import { readOrAck } from './read-or-ack.ts';
import type { SlackRequest } from './use-cases.ts';

const ACTS = {
  plan: 'plan',
  approve: 'approve',
  reject: 'reject',
  abort: 'abort',
  'go-on': 'go-on',
  'roll-back': 'rollback',
} as const;

/** Buttons of choices. Each pattern is anchored: Bolt runs every listener that matches. */
export function listenToChoices(app: App, interactions: Interactions): void {
  const { useCases } = interactions;
  const listen = (button: string, asked: Asked, work: (request: SlackRequest) => Promise<void>): void => {
    const pattern = new RegExp(`^oom:${button}:\\d+$`);
    app.action({ type: 'block_actions', action_id: pattern }, async ({ body, ack }) => {
      const request = await readOrAck(() => requestOfClick(body, interactions.identity()), ack);
      await interactions.take({ asked, request, ack }, work);
    });
  };
  listen('triage-candidate', { use: 'candidate' }, useCases.candidate);
  listen('explain', { use: 'explain' }, useCases.explain);
  for (const [asks, verb] of Object.entries(ACTS)) {
    listen(asks, { use: 'act', verb }, (request) => useCases.act(verb, request));
  }
}
