import type { App } from '@slack/bolt';
import { requestOfClick } from '../payloads.ts';
import type { ListenerDesk } from './desk.ts';

const ACTS = {
  plan: 'plan',
  approve: 'approve',
  reject: 'reject',
  abort: 'abort',
  'go-on': 'go-on',
  'roll-back': 'rollback',
} as const;

/** Buttons of choices. Each pattern is anchored: Bolt runs every listener that matches. */
export function listenToChoices(app: App, desk: ListenerDesk): void {
  app.action({ type: 'block_actions', action_id: /^oom:triage-candidate:\d+$/ }, async ({ body, ack }) => {
    await ack();
    const request = requestOfClick(body, desk.identity());
    await desk.run(request, () => desk.useCases.candidate(request));
  });
  app.action({ type: 'block_actions', action_id: /^oom:explain:\d+$/ }, async ({ body, ack }) => {
    await ack();
    const request = requestOfClick(body, desk.identity());
    await desk.run(request, () => desk.useCases.explain(request));
  });
  for (const [asks, verb] of Object.entries(ACTS)) {
    app.action({ type: 'block_actions', action_id: new RegExp(`^oom:${asks}:\\d+$`) }, async ({ body, ack }) => {
      await ack();
      const request = requestOfClick(body, desk.identity());
      await desk.run(request, () => desk.useCases.act(verb, request));
    });
  }
}
