import type { WebClient } from '@slack/web-api';
import type { Clock, Log } from '../app/ports.ts';
import { callSlack } from './call.ts';
import { nextStep } from './refusals.ts';

export type UserGroupsOptions = {
  readonly client: WebClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Ids of the groups that the configuration names; no other is looked up. */
  readonly groups: readonly string[];
};

export type UserGroups = {
  /** Those of the groups that this person is in. What can not be looked up counts as no, and the log says so. Never rejects. */
  of(user: string): Promise<readonly string[]>;
  /** Slack says that a group has changed. */
  forget(group: string): void;
};

type Members = { readonly users: ReadonlySet<string>; readonly readAt: number };

const FRESH_MS = 60_000;
const WITHIN_MS = 4_000;

/** Who is in the groups that may act, by `usergroups.users.list`, kept for a minute. */
export function createUserGroups({ client, clock, log, groups }: UserGroupsOptions): UserGroups {
  const known = new Map<string, Members>();
  // Several clicks at once ask Slack once.
  const asking = new Map<string, Promise<ReadonlySet<string>>>();

  const ask = async (group: string): Promise<ReadonlySet<string>> => {
    const readAt = clock.now();
    const answer = await callSlack(clock, () => client.usergroups.users.list({ usergroup: group }), {
      withinMs: WITHIN_MS,
      repeatable: true,
    });
    if (answer.kind === 'failed') {
      known.delete(group);
      const next = nextStep(answer.code, 'oombot');
      log.warn('user group unknown, so nobody counts as its member', { group, code: answer.code, next });
      return new Set();
    }
    const users = new Set(answer.value.users ?? []);
    known.set(group, { users, readAt });
    return users;
  };

  const membersOf = (group: string): Promise<ReadonlySet<string>> => {
    const kept = known.get(group);
    if (kept !== undefined && clock.now() - kept.readAt < FRESH_MS) return Promise.resolve(kept.users);
    const under = asking.get(group) ?? ask(group).finally(() => asking.delete(group));
    asking.set(group, under);
    return under;
  };

  return {
    async of(user) {
      const members = await Promise.all(groups.map(membersOf));
      return groups.filter((_, i) => members[i]?.has(user) === true);
    },
    forget: (group) => void known.delete(group),
  };
}
