import { describe, expect, it } from 'vitest';
import type { Groups } from '../../../../src/app/ports.ts';
import { type CommandsBench, openCommands, RIGHTS } from '../commands-bench.ts';

const LEADS = 'S_LEADS';
const HERE = { clusters: ['prod'], namespaces: ['llm'] };
const NONE: Groups = { in: [], unknown: undefined };
const IN: Groups = { in: [LEADS], unknown: undefined };
const NOT_TOLD: Groups = { in: [], unknown: 'deadline' };

/** Two are wanted; the first to say yes may by a group. `now` is what Slack says of that person at the second click. */
async function secondClick(
  now: Groups,
  over: { readonly bar?: boolean; readonly first?: string } = {},
): Promise<CommandsBench & { readonly planId: string }> {
  const { first = 'U_APPROVER', bar = false } = over;
  let groups = IN;
  const settings = { approvals: 2, barRequester: false };
  const bench = await openCommands({
    settings,
    rights: {
      ...RIGHTS,
      act: [
        { users: ['U_ONCALL'], groups: [], verbs: ['plan'], scope: HERE },
        { users: ['U_STRANGER'], groups: [LEADS], verbs: ['approve'], scope: HERE },
      ],
    },
    groupsOf: async (user) => (user === 'U_STRANGER' ? NONE : groups),
  });
  await bench.ask('plan', bench.incident.id);
  const { id: planId } = await bench.plan();
  await bench.ask('approve', planId, first, { groups: [LEADS] });
  groups = now;
  Object.assign(bench.deps.settings, { barRequester: bar });
  await bench.ask('approve', planId, 'U_STRANGER');
  return { ...bench, planId };
}

const approvers = async ({ acts, planId }: Awaited<ReturnType<typeof secondClick>>) =>
  (await acts.approvals(planId)).map(({ who }) => who);

describe('an approval that was given before', () => {
  it('counts while its giver may approve', async () => {
    const bench = await secondClick(IN);

    expect(bench.started).toEqual([(await bench.run()).id]);
  });

  it('no longer counts once its giver has lost the right, and that is said, shown and audited', async () => {
    const bench = await secondClick(NONE);

    expect(bench.started).toEqual([]);
    expect(await approvers(bench)).toEqual(['U_STRANGER']);
    expect(bench.told('U_STRANGER')).toMatch(
      /counts: 1 of 2[\s\S]*U_APPROVER.*no longer counts: may no longer\s+approve set-args in llm/,
    );
    expect(bench.card().text).toMatch(/1 of 2 approvals: .*U_STRANGER/);
    expect((await bench.audited()).at(-1)).toMatch(
      /^U_APPROVER approval-lapsed .*may no longer approve set-args in llm/,
    );
  });

  it('starts nothing while Slack does not say whether its giver still may', async () => {
    const bench = await secondClick(NOT_TOLD);

    expect(bench.started).toEqual([]);
    expect(await approvers(bench)).toEqual(['U_APPROVER']);
    expect(bench.told('U_STRANGER')).toMatch(
      /Nothing was approved[\s\S]*U_APPROVER.*Slack did not return[\s\S]*deadline/,
    );
    expect((await bench.audited()).at(-1)).toMatch(/^U_STRANGER click-refused .*approver-unknown/);
  });

  it('no longer counts where who asks for a plan may not approve it since', async () => {
    const bench = await secondClick(IN, { first: 'U_ONCALL', bar: true });

    expect(bench.started).toEqual([]);
    expect(bench.told('U_STRANGER')).toMatch(/U_ONCALL.*can no longer approve their own plans/);
  });
});
