import type { WebClient } from '@slack/web-api';
import { afterEach, expect, it } from 'vitest';
import { createSlackClient } from '../../src/slack/api/client.ts';
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

  expect(await groups.of('U_APPROVER')).toEqual({ in: ['S_APPROVERS'], unknown: undefined });
  expect((await groups.of('U_ONCALL')).in).toEqual(['S_ONCALL']);
  expect((await groups.of('U_STRANGER')).in).toEqual([]);
});

it('asks Slack once for the clicks of ten seconds, however many ask', async () => {
  const { groups, clock, asked, join } = await openGroups(['S_APPROVERS']);

  await Promise.all(['U_APPROVER', 'U_ONCALL', 'U_APPROVER'].map((user) => groups.of(user)));
  join('U_ONCALL', 'S_APPROVERS');
  await clock.advance(9_000);
  expect((await groups.of('U_ONCALL')).in).toEqual([]);
  expect(asked()).toBe(1);
  await clock.advance(1_000);

  expect((await groups.of('U_ONCALL')).in).toEqual(['S_APPROVERS']);
  expect(asked()).toBe(2);
});

it('keeps nobody as an approver because the clock was set back', async () => {
  const { groups, clock, join } = await openGroups(['S_APPROVERS']);
  await groups.of('U_APPROVER');

  join('U_APPROVER');
  clock.set(clock.now() - 3_600_000);
  await clock.advance(10_000);

  expect((await groups.of('U_APPROVER')).in).toEqual([]);
});

it('asks anew when Slack says that a group has changed', async () => {
  const { groups, join } = await openGroups(['S_APPROVERS']);
  await groups.of('U_APPROVER');

  join('U_APPROVER');
  groups.forget('S_APPROVERS');

  expect((await groups.of('U_APPROVER')).in).toEqual([]);
});

it('gives no right by an answer that was on its way when the group was emptied', async () => {
  const first = Promise.withResolvers<{ ok: true; users: string[] }>();
  const answers = [first.promise, Promise.resolve({ ok: true, users: [] })];
  const client = { usergroups: { users: { list: () => answers.shift() } } } as unknown as WebClient;
  const groups = createUserGroups({ client, clock: createFakeClock(), log: createFakeLog(), groups: ['S_APPROVERS'] });

  const asked = groups.of('U_APPROVER');
  groups.forget('S_APPROVERS');
  first.resolve({ ok: true, users: ['U_APPROVER'] });

  expect((await asked).in).toEqual([]);
  expect((await groups.of('U_APPROVER')).in).toEqual([]);
});

it('counts nobody as a member of a group that cannot be looked up, and says so', async () => {
  const { standin, groups, clock, log } = await openGroups(['S_APPROVERS']);
  await groups.of('U_APPROVER');
  await clock.advance(61_000);
  standin.faults.next('usergroups.users.list', { kind: 'error', error: 'missing_scope' });

  expect(await groups.of('U_APPROVER')).toEqual({ in: [], unknown: 'missing_scope' });
  expect(log.entries.at(-1)).toMatchObject({ level: 'warn', fields: { group: 'S_APPROVERS', code: 'missing_scope' } });
  expect((await groups.of('U_APPROVER')).in).toEqual(['S_APPROVERS']);
});

it.each([
  ['is silent', { kind: 'hang' }],
  ['asks to slow down', { kind: 'rate-limited', retryAfterSeconds: 30 }],
  ['answers no JSON', { kind: 'error', error: '<html>' }],
] as const)('counts nobody as a member within four seconds where Slack %s', async (_, fault) => {
  const { standin, groups, clock } = await openGroups(['S_APPROVERS']);
  standin.faults.next('usergroups.users.list', fault, 9);

  const asked = Promise.all([groups.of('U_APPROVER'), groups.of('U_ONCALL')]);
  await clock.advance(4_000);

  for (const answer of await asked) expect(answer).toEqual({ in: [], unknown: expect.any(String) });
});

it('asks nothing where no group is configured', async () => {
  const { groups, asked } = await openGroups([]);

  expect((await groups.of('U_APPROVER')).in).toEqual([]);
  expect(asked()).toBe(0);
});
