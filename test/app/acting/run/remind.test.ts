import { describe, expect, it } from 'vitest';
import { createReminder } from '../../../../src/app/acting/run/remind.ts';
import { renewWaiting } from '../../../../src/app/acting/run/renew-waiting.ts';
import { createOutbox } from '../../../../src/app/outbox.ts';
import type { UnsentMessage } from '../../../../src/app/outbox-ports.ts';
import type { Message } from '../../../../src/model/message.ts';
import { createFakeIds } from '../../../fakes/ids.ts';
import { type CommandsBench, openCommands, RIGHTS } from '../commands-bench.ts';

const MINUTE = 60_000;
const [, approver] = RIGHTS.act;
if (approver === undefined) throw new Error('no approver');
const GROUPED = { ...RIGHTS, act: [...RIGHTS.act, { ...approver, users: [], groups: ['S_APPROVERS'] }] };

/** A plan that expires in 15 minutes, and a look for plans to remind of. */
async function waiting() {
  const bench = await openCommands({ rights: GROUPED });
  await bench.ask('plan', bench.incident.id);
  return { ...bench, look: lookOf(bench) };
}

/** A look of a bot that has just started. */
function lookOf({ deps, acts, store, chat, log }: CommandsBench): () => Promise<void> {
  const remind = createReminder({ acts, store, chat, outbox: deps.outbox, rights: GROUPED, log });
  return async () => {
    await remind();
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (let i = 0; i < 20; i += 1) await acts.now();
  };
}

const isReminder = ({ summary }: Message): boolean => summary.startsWith('Still waiting');
const reminders = ({ chat }: CommandsBench) => chat.posts.filter(({ message }) => isReminder(message));

describe('a plan that waits for approval', () => {
  it('mentions the approvers at half of its time, once, also after a restart', async () => {
    const bench = await waiting();
    const plan = bench.chat.posts.at(-2);

    bench.clock.advance(7 * MINUTE);
    await bench.look();
    expect(reminders(bench)).toEqual([]);
    bench.clock.advance(MINUTE);
    await bench.look();
    await bench.look();
    await lookOf(bench)();

    const [reminder, ...more] = reminders(bench);
    expect(more).toEqual([]);
    expect(reminder?.thread).toEqual(plan?.ref);
    expect(JSON.stringify(reminder?.message)).toMatch(/"group","id":"S_APPROVERS".*1 approval needed.*open the plan/);
  });

  it('mentions them later where its card is late, or where the first try fails', async () => {
    const bench = await waiting();
    const messages = bench.store.messages;
    const late: ReturnType<typeof messages>[] = [Promise.resolve([]), Promise.reject(new Error('store away'))];
    for (const answer of late) answer.catch(() => undefined);
    const store = {
      ...bench.store,
      messages: (...given: Parameters<typeof messages>) => late.shift() ?? messages(...given),
    };
    const look = lookOf({ ...bench, store });
    bench.clock.advance(8 * MINUTE);

    await look();
    await look();
    expect(reminders(bench)).toEqual([]);
    await look();
    await look();

    expect(reminders(bench)).toHaveLength(1);
  });

  it.each([
    ['approved', 'approve', 'U_APPROVER'],
    ['rejected', 'reject', 'U_APPROVER'],
  ] as const)('mentions nobody once it was %s', async (_, verb, user) => {
    const bench = await waiting();
    await bench.ask(verb, (await bench.plan()).id, user);

    bench.clock.advance(8 * MINUTE);
    await bench.look();

    expect(reminders(bench)).toEqual([]);
  });

  it('is not told of once a newer plan has taken its place, or once it has expired', async () => {
    const bench = await waiting();
    bench.clock.advance(6 * MINUTE);
    await bench.ask('plan', `${bench.incident.id} set-args --max-model-len=20000`);
    bench.clock.advance(2 * MINUTE);
    await bench.look();
    expect(reminders(bench)).toEqual([]);

    bench.clock.advance(20 * MINUTE);
    await bench.look();
    expect(reminders(bench)).toEqual([]);
  });

  it('is told to who asked for the plan where the channel refuses it for good', async () => {
    const bench = await waiting();
    bench.clock.advance(8 * MINUTE);
    bench.chat.refuse('C_LLM', 'is_archived');

    await bench.look();
    await expect.poll(() => bench.chat.posts.at(-1)?.ref.conversation).toBe('U_ONCALL');

    expect(JSON.stringify(bench.chat.posts.at(-1)?.message)).toMatch(/Not posted in .*C_LLM/);
  });

  it('is not told of by a reminder that waited for Slack until it was approved', async () => {
    const bench = await waiting();
    const { acts, store, clock, log, chat } = bench;
    const { id, incidentId } = await bench.plan();
    const parcel = {
      id: 'msg_1',
      incidentId,
      kind: `remind/${id}`,
      conversation: 'C_LLM',
      thread: null,
      ref: null,
    } as const;
    await store.queueMessage({ ...parcel, message: { summary: 'Still waiting', blocks: [] } }, true);
    await bench.ask('approve', id, 'U_APPROVER');

    const renew = (waited: UnsentMessage) => renewWaiting(acts, '/oom', waited);
    const outbox = createOutbox({ store, chat, clock, ids: createFakeIds(), log, renew });
    expect(await outbox.resume()).toBe(1);
    await expect.poll(() => store.unsentMessages()).toEqual([]);

    expect(reminders(bench)).toEqual([]);
  });
});
