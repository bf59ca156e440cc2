import type { App } from '@slack/bolt';
import { GroupChanged } from './payloads.ts';

/** The members of a group changed: the next check reads them again. Bolt acknowledges events by itself. */
export function listenToGroups(app: App, forget: (group: string) => void): void {
  app.event('subteam_members_changed', async ({ body }) => {
    const { event } = GroupChanged.parse(body);
    forget(event.subteam_id);
  });
}
