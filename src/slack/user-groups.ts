import type { WebClient } from '@slack/web-api';
import type { Clock, Groups, Log } from '../app/ports.ts';
import { type CallOutcome, callSlack } from './api/call.ts';
import { nextStep } from './api/refusals.ts';

type UserGroupsOptions = {
  readonly client: WebClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Ids of the groups that the configuration names; no other is looked up. */
  readonly groups: readonly string[];
};

type UserGroups = {
  /** Those of the groups that this person is in. What cannot be looked up counts as no, and is told. Never rejects. */
  of(user: string): Promise<Groups>;
  /** Slack says that a group has changed. */
  forget(group: string): void;
};

type Members = { readonly users: ReadonlySet<string>; readonly unknown: string | undefined; readonly readAt: number };

// Long enough for the clicks of one moment, and below what Slack allows (20 a minute) for three groups.
const FRESH_MS = 10_000;
const WITHIN_MS = 4_000;

/** Who is in the groups that may act, by `usergroups.users.list`, kept for ten seconds. */
export function createUserGroups({ client, clock, log, groups }: UserGroupsOptions): UserGroups {
  const known = new Map<string, Members>();
  // Several clicks at once ask Slack once.
  const asking = new Map<string, Promise<Members>>();
  const changes = new Map<string, number>();

  const ask = async (group: string): Promise<Members> => {
    const readAt = clock.monotonic();
    const answer = await within(clock, () => client.usergroups.users.list({ usergroup: group }));
    if (answer.kind === 'ok') return { users: new Set(answer.value.users ?? []), unknown: undefined, readAt };
    const { code } = answer;
    log.warn('user group unknown, so nobody counts as its member', { group, code, next: nextStep(code, 'oombot') });
    return { users: new Set(), unknown: code, readAt };
  };

  const membersOf = async (group: string): Promise<Members> => {
    const kept = known.get(group);
    if (kept !== undefined && clock.monotonic() - kept.readAt < FRESH_MS) return kept;
    const before = changes.get(group);
    const under = asking.get(group) ?? ask(group);
    asking.set(group, under);
    const members = await under;
    if (asking.get(group) === under) asking.delete(group);
    // It has changed while the answer was on its way: who left may still stand in it.
    if (changes.get(group) !== before) return membersOf(group);
    if (members.unknown === undefined) known.set(group, members);
    else known.delete(group);
    return members;
  };

  return {
    async of(user) {
      const members = await Promise.all(groups.map(membersOf));
      return {
        in: groups.filter((_, i) => members[i]?.users.has(user) === true),
        unknown: members.find(({ unknown }) => unknown !== undefined)?.unknown,
      };
    },
    forget(group) {
      changes.set(group, (changes.get(group) ?? 0) + 1);
      known.delete(group);
      asking.delete(group);
    },
  };
}

// Whoever has clicked waits: the client's own deadline is that of a post.
async function within<T>(clock: Clock, call: () => Promise<T>): Promise<CallOutcome<T>> {
  const answered = new AbortController();
  const late = clock
    .sleep(WITHIN_MS, answered.signal)
    .then((): CallOutcome<T> => ({ kind: 'failed', code: 'deadline', details: [] }));
  late.catch(() => undefined);
  try {
    return await Promise.race([callSlack(clock, call, { withinMs: WITHIN_MS, repeatable: true }), late]);
  } finally {
    answered.abort();
  }
}
