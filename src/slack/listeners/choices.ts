import type { App } from '@slack/bolt';
import type { Interactions } from './interactions.ts';
import { requestOfClick } from './payloads.ts';

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
  app.action({ type: 'block_actions', action_id: /^oom:triage-candidate:\d+$/ }, async ({ body, ack }) => {
    await ack();
    const request = requestOfClick(body, interactions.identity());
    await interactions.run(request, (settled) => interactions.useCases.candidate(settled));
  });
  app.action({ type: 'block_actions', action_id: /^oom:explain:\d+$/ }, async ({ body, ack }) => {
    await ack();
    const request = requestOfClick(body, interactions.identity());
    await interactions.run(request, (settled) => interactions.useCases.explain(settled));
  });
  for (const [asks, verb] of Object.entries(ACTS)) {
    app.action({ type: 'block_actions', action_id: new RegExp(`^oom:${asks}:\\d+$`) }, async ({ body, ack }) => {
      await ack();
      const request = requestOfClick(body, interactions.identity());
      await interactions.run(request, (settled) => interactions.useCases.act(verb, settled));
    });
  }
}
