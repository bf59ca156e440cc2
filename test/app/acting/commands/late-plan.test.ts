import { describe, expect, it } from 'vitest';
import { renewWaiting } from '../../../../src/app/acting/run/renew-waiting.ts';
import { drawPlan } from '../../../../src/app/acting/run/run-view.ts';
import { createOutbox } from '../../../../src/app/outbox.ts';
import type { Message } from '../../../../src/model/message.ts';
import { type CommandsBench, openCommands } from '../commands-bench.ts';

const MINUTE = 60_000;

/** A plan that was asked for while Slack is away, and waits. */
async function waiting(responseUrl?: string) {
  const bench = await openCommands();
  bench.chat.isAway = true;
  const request = bench.request();
  const asked = bench.commands.ask('plan', bench.incident.id, {
    ...request,
    asker: { ...request.asker, responseUrl },
  });
  await expect.poll(() => bench.store.unsentMessages()).toHaveLength(1);
  return { ...bench, asked };
}

async function back({ chat, clock, store }: CommandsBench): Promise<void> {
  chat.isAway = false;
  await expect
    .poll(async () => {
      await clock.advance(10 * MINUTE);
      return store.unsentMessages();
    })
    .toEqual([]);
}

async function nextProcess({ store, chat, clock, log, deps }: CommandsBench): Promise<void> {
  const { acts } = deps;
  chat.isAway = false;
  const outbox = createOutbox({
    ...{ store, chat, clock, log, ids: deps.plans.ids },
    renew: (waited) => renewWaiting(acts, '/oom', waited),
    refresh: ({ kind }) => drawPlan(deps, kind.slice('plan/'.length), deps),
  });
  await outbox.resume();
  await expect.poll(() => store.unsentMessages()).toEqual([]);
}

const everShown = ({ chat }: CommandsBench): readonly Message[] => chat.posts.flatMap(({ history }) => history);
const isOffered = ({ choices = [] }: Message): boolean => choices.some(({ asks }) => asks === 'approve');

describe('a plan whose card waits for Slack', () => {
  it('until it has expired is shown as that, never with a button', async () => {
    const bench = await waiting();
    bench.clock.set(bench.clock.now() + 15 * MINUTE);
    await back(bench);
    await bench.asked;

    expect(everShown(bench).filter(isOffered)).toEqual([]);
    expect(bench.chat.posts).toHaveLength(1);
    expect(bench.card().text).toMatch(/expired while Slack was away\. Nothing was changed/);
    expect(bench.card().text).toContain(`/oom plan ${bench.incident.id}`);
  });

  it('over a restart until it has expired is shown as that, never with a button', async () => {
    const bench = await waiting();
    await bench.deps.outbox.stop();
    await bench.asked;
    bench.clock.set(bench.clock.now() + 15 * MINUTE);

    await nextProcess(bench);

    expect(everShown(bench).filter(isOffered)).toEqual([]);
    expect(bench.card().text).toMatch(/expired while Slack was away/);
  });

  it.each([
    ['rejected', 'reject', /rejected/],
    ['replaced', 'plan', /newer plan replaced/],
  ] as const)('until it was %s is shown as that, never with a button', async (_, verb, shows) => {
    const bench = await waiting();
    await bench.deps.outbox.stop();
    const { id } = await bench.plan();
    if (verb === 'reject') await bench.ask('reject', id, 'U_APPROVER');
    else await bench.deps.acts.savePlan({ ...(await bench.plan()), id: 'plan_newer', hash: 'f'.repeat(32) });

    await nextProcess(bench);

    expect(everShown(bench).filter(isOffered)).toEqual([]);
    expect(bench.card().text).toMatch(shows);
  });

  it('in time keeps its buttons and gets its details', async () => {
    const bench = await waiting();
    await back(bench);
    await bench.asked;

    expect(isOffered(bench.card().message)).toBe(true);
    expect(bench.chat.posts).toHaveLength(2);
  });

  it('and that the channel refuses once it has expired is told to its asker without a button', async () => {
    const bench = await waiting('https://chat.example/response/1');
    bench.clock.set(bench.clock.now() + 15 * MINUTE);
    bench.chat.refuse('C_LLM', 'is_archived');
    await back(bench);
    await bench.asked;

    expect(bench.chat.whispers.map(({ message }) => message).filter(isOffered)).toEqual([]);
    expect(bench.told('U_ONCALL')).toMatch(/expired while Slack was away/);
  });
});
