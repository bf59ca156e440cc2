import { afterEach, expect, it } from 'vitest';
import { createSlackClient } from '../../src/slack/client.ts';
import { createUserGroups } from '../../src/slack/user-groups.ts';
import { createSlackStandin, type SlackStandin } from '../../src/standins/slack/create-slack-standin.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeLog } from '../fakes/log.ts';

const open: SlackStandin[] = [];
afterEach(async () => {
  for (const standin of open.splice(0)) await standin.close();
});

async function openGroups(groups = ['S_APPROVERS', 'S_ONCALL']) {
  const standin = await createSlackStandin();
  open.push(standin);
  const clock = createFakeClock();
  const log = createFakeLog();
  const client = createSlackClient({ token: 'xoxb-test', apiUrl: standin.apiUrl, timeoutMs: 2_000, log });
  const asked = () => standin.state.calls.filter(({ method }) => method === 'usergroups.users.list').length;
  const join = (user: string, ...to: string[]) => standin.state.users.set(user, { id: user, name: user, groups: to });
  return { standin, clock, log, asked, join, groups: createUserGroups({ client, clock, log, groups }) };
}

it('tells in which of the groups that matter somebody is', async () => {
  const { groups } = await openGroups();

  expect(await groups.of('U_APPROVER')).toEqual(['S_APPROVERS']);
  expect(await groups.of('U_ONCALL')).toEqual(['S_ONCALL']);
  expect(await groups.of('U_STRANGER')).toEqual([]);
});

it('asks Slack once a minute, however many ask', async () => {
  const { groups, clock, asked, join } = await openGroups(['S_APPROVERS']);

  await Promise.all(['U_APPROVER', 'U_ONCALL', 'U_APPROVER'].map((user) => groups.of(user)));
  join('U_ONCALL', 'S_APPROVERS');
  await clock.advance(59_000);
  expect(await groups.of('U_ONCALL')).toEqual([]);
  expect(asked()).toBe(1);
  await clock.advance(1_000);

  expect(await groups.of('U_ONCALL')).toEqual(['S_APPROVERS']);
  expect(asked()).toBe(2);
});

it('asks anew when Slack says that a group has changed', async () => {
  const { groups, join } = await openGroups(['S_APPROVERS']);
  await groups.of('U_APPROVER');

  join('U_APPROVER');
  groups.forget('S_APPROVERS');

  expect(await groups.of('U_APPROVER')).toEqual([]);
});

it('counts nobody as a member of a group that can not be looked up, and says so', async () => {
  const { standin, groups, clock, log } = await openGroups(['S_APPROVERS']);
  await groups.of('U_APPROVER');
  await clock.advance(61_000);
  standin.faults.next('usergroups.users.list', { kind: 'error', error: 'missing_scope' });

  expect(await groups.of('U_APPROVER')).toEqual([]);
  expect(log.entries.at(-1)).toMatchObject({ level: 'warn', fields: { group: 'S_APPROVERS', code: 'missing_scope' } });
  expect(await groups.of('U_APPROVER')).toEqual(['S_APPROVERS']);
});

it('asks nothing where no group is configured', async () => {
  const { groups, asked } = await openGroups([]);

  expect(await groups.of('U_APPROVER')).toEqual([]);
  expect(asked()).toBe(0);
});
