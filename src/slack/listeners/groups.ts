import type { App } from '@slack/bolt';
import { GroupChanged } from './payloads.ts';

/** Somebody came into a group or left it: who is in it is asked anew. Bolt acknowledges events by itself. */
export function listenToGroups(app: App, forget: (group: string) => void): void {
  app.event('subteam_members_changed', async ({ body }) => {
    const { event } = GroupChanged.parse(body);
    forget(event.subteam_id);
  });
}
