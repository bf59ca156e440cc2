import { expect, it } from 'vitest';
import { createOutbox, type Outbox } from '../../src/app/outbox.ts';
import type { Chat, PostOutcome } from '../../src/app/ports.ts';
import type { Message } from '../../src/model/message.ts';
import { maybeTwice } from '../../src/report/notices.ts';
import { aFinding } from '../contracts/store.ts';
import { createFakeChat } from '../fakes/chat.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeIds } from '../fakes/ids.ts';
import { createFakeLog } from '../fakes/log.ts';
import { createMemoryStore } from '../fakes/memory-store.ts';
import { turns } from './triage/triage-harness.ts';

const MESSAGE: Message = { summary: 'A plan.', blocks: [] };
const KIND = 'plan/plan_1';
const LOST: PostOutcome = { kind: 'refused', code: 'deadline', next: 'Ask again.', retryMs: 500 };

type Parcel = Awaited<ReturnType<typeof openOutbox>>['parcel'];

/** Slack answers the next posts with these, after it has shown the message where that is `shown`. */
async function openOutbox(...answers: readonly { readonly outcome: PostOutcome; readonly shown?: boolean }[]) {
  const clock = createFakeClock();
  const ids = createFakeIds();
  const store = createMemoryStore({ clock, ids });
  const fake = createFakeChat();
  const left = [...answers];
  const onUpdate: PostOutcome[] = [];
  const chat: Chat = {
    ...fake,
    async post(...given) {
      const next = left.shift();
      if (next === undefined) return fake.post(...given);
      if (next.shown === true) await fake.post(...given);
      return next.outcome;
    },
    update: async (...given) => onUpdate.shift() ?? fake.update(...given),
  };
  const { incident } = await store.recordFinding(aFinding());
  const refreshed: string[] = [];
  const deps = {
    store,
    chat,
    clock,
    ids,
    log: createFakeLog(),
    refresh: async ({ kind }: { kind: string }) => void refreshed.push(kind),
  };
  const parcel = { incidentId: incident.id, kind: KIND, conversation: 'C_LLM', message: MESSAGE } as const;
  const shown = () => store.messages(incident.id, KIND);
  return {
    outbox: createOutbox(deps),
    again: (onRefused?: () => Promise<void>) => createOutbox({ ...deps, onRefused }),
    parcel,
    store,
    chat: fake,
    clock,
    refreshed,
    onUpdate,
    shown,
  };
}

it('a post whose answer is lost is posted again, and the place of the copy is kept', async () => {
  const { outbox, parcel, chat, clock, refreshed, shown } = await openOutbox({ outcome: LOST, shown: true });

  const sent = outbox.send(parcel);
  await turns();
  expect(await shown()).toEqual([]);
  await clock.advance(10_000);

  expect(await sent).toMatchObject({ kind: 'posted' });
  expect(await shown()).toEqual([chat.posts[1]?.ref]);
  expect(refreshed).toEqual([KIND]);
});

it('a copy that is clicked meanwhile is the message, and no other is posted', async () => {
  const { outbox, parcel, chat, clock, shown } = await openOutbox({ outcome: LOST, shown: true });

  const sent = outbox.send(parcel);
  await turns();
  await outbox.adopt(parcel.incidentId, KIND, chat.posts[0]?.ref);
  await clock.advance(600_000);

  expect((await sent).kind).toBe('refused');
  expect(chat.posts).toHaveLength(1);
  expect(await shown()).toEqual([chat.posts[0]?.ref]);
});

it('a copy that is clicked after the next was posted leaves that one as a pointer in one line', async () => {
  const { outbox, parcel, chat, clock, shown } = await openOutbox({ outcome: LOST, shown: true });
  const sent = outbox.send(parcel);
  await turns();
  await clock.advance(10_000);
  await sent;

  await outbox.adopt(parcel.incidentId, KIND, chat.posts[0]?.ref);
  await turns();

  expect(await shown()).toEqual([chat.posts[0]?.ref]);
  expect(chat.posts[0]?.message).toEqual(MESSAGE);
  expect(JSON.stringify(chat.posts[1]?.message)).toContain(`/${chat.posts[0]?.ref.ts}`);
});

it('what a stop cuts off while Slack makes it wait is sent at the next start', async () => {
  const hour = { kind: 'refused', code: 'ratelimited', next: '', retryMs: 3_600_000 } as const;
  const { outbox, again, parcel, chat, store, refreshed, shown } = await openOutbox({ outcome: hour });
  const sent = outbox.send(parcel);
  await turns();
  outbox.stop();
  await sent;

  expect(await again().resume()).toBe(1);
  await turns();

  expect(chat.posts.map(({ message }) => message)).toEqual([maybeTwice(MESSAGE)]);
  expect(await shown()).toEqual([chat.posts[0]?.ref]);
  expect(await store.unsentMessages()).toEqual([]);
  expect(refreshed).toEqual([KIND]);
});

it.each([
  ['a lost answer', LOST, 'twice'],
  ['a limit of Slack, which takes nothing', { ...LOST, code: 'ratelimited' }, 'once'],
] as const)('a message sent again after %s says whether it may be there twice', async (_, outcome, says) => {
  const { outbox, parcel, chat, clock } = await openOutbox({ outcome }, { outcome });
  const sent = outbox.send(parcel);
  await turns();
  await clock.advance(10_000);
  await turns();
  await clock.advance(20_000);
  await sent;

  expect(chat.posts.map(({ message }) => message)).toEqual([says === 'twice' ? maybeTwice(MESSAGE) : MESSAGE]);
});

it('a change that was cut off is made at the next start, in its place', async () => {
  const { again, parcel, chat, store, shown } = await openOutbox();
  const posted = await chat.post('C_LLM', { summary: 'Reading.', blocks: [] });
  const ref = posted.kind === 'posted' ? posted.ref : null;
  await store.queueMessage({ ...parcel, id: 'msg_9', thread: null, ref });

  await again().resume();
  await turns();

  expect(chat.posts.map(({ message }) => message)).toEqual([MESSAGE]);
  expect(await shown()).toEqual([ref]);
});

it('a change that waits for Slack is not made once a newer one was', async () => {
  const { outbox, parcel, chat, clock, store, onUpdate } = await openOutbox();
  const posted = await outbox.send(parcel);
  const ref = posted.kind === 'posted' ? posted.ref : undefined;
  const change = (summary: string) => outbox.send({ ...parcel, ref, message: { summary, blocks: [] } });
  onUpdate.push(LOST);

  const old = change('Old.');
  await turns();
  await change('New.');
  await clock.advance(600_000);

  expect((await old).kind).toBe('refused');
  expect(chat.posts.map(({ message }) => message.summary)).toEqual(['New.']);
  expect(await store.unsentMessages()).toEqual([]);
});

it('a change that waits for Slack is made later, in its place', async () => {
  const { outbox, parcel, chat, clock, shown, onUpdate } = await openOutbox();
  const posted = await outbox.send(parcel);
  const ref = posted.kind === 'posted' ? posted.ref : undefined;
  onUpdate.push(LOST, LOST);

  const sent = outbox.send({ ...parcel, ref, message: { summary: 'New.', blocks: [] } });
  await turns();
  await clock.advance(600_000);

  expect((await sent).kind).toBe('posted');
  expect(chat.posts.map(({ message }) => message.summary)).toEqual(['New.']);
  expect(await shown()).toEqual([ref]);
});

it('a message that Slack refuses for good is not tried again', async () => {
  const { outbox, parcel, chat, store } = await openOutbox();
  chat.refuse('C_LLM');

  expect(await outbox.send(parcel)).toMatchObject({ kind: 'refused', code: 'not_in_channel' });
  expect(await store.unsentMessages()).toEqual([]);
});

it.each<[string, (outbox: Outbox, parcel: Parcel, tell: () => Promise<void>) => Promise<unknown>]>([
  ['is sent', (outbox, parcel, tell) => outbox.send(parcel, tell)],
  ['was stored by its caller', (outbox, parcel, tell) => outbox.deliver(outbox.prepare(parcel), tell)],
  ['is sent by nobody who waits', (outbox, parcel) => outbox.enqueue(parcel)],
  ['was left by the last process', (outbox) => outbox.resume()],
])('a message that Slack refuses for good is dropped after that is told: it %s', async (how, send) => {
  const { parcel, chat, store, ...bench } = await openOutbox();
  chat.refuse('C_LLM');
  const left: number[] = [];
  const tell = async () => void left.push((await store.unsentMessages()).length);
  const outbox = bench.again(tell);
  const own = outbox.prepare(parcel);
  if (/left|caller/.test(how)) await store.queueMessage(own);

  await send({ ...outbox, prepare: () => own }, parcel, tell);

  await expect.poll(() => left).toEqual([1]);
  await expect.poll(() => store.unsentMessages()).toEqual([]);
});

it('a message that Slack refuses for good stays for the next start where a stop cuts off who is told', async () => {
  const { outbox, parcel, chat, store } = await openOutbox();
  chat.refuse('C_LLM');

  await outbox.send(parcel, async () => void outbox.stop());

  expect(await store.unsentMessages()).toHaveLength(1);
});

it('a store that fails keeps no message from being sent', async () => {
  const { outbox, parcel, chat, store } = await openOutbox();
  store.fail(new Error('disk full') as never);

  expect(await outbox.send(parcel)).toMatchObject({ kind: 'posted' });
  expect(chat.posts).toHaveLength(1);
});

it('a stop waits until the place of a post that Slack is answering is stored', async () => {
  const { outbox, again, parcel, chat, store, shown } = await openOutbox();
  let answer = (): void => undefined;
  const isAsked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const slow = createOutbox({
    ...{ store, clock: createFakeClock(), ids: createFakeIds(), log: createFakeLog() },
    chat: {
      ...chat,
      async post(...given) {
        await isAsked;
        return chat.post(...given);
      },
    },
  });
  await slow.enqueue(parcel);
  const stopped = slow.stop();
  answer();
  await stopped;

  expect(await shown()).toEqual([chat.posts[0]?.ref]);
  expect(await again().resume()).toBe(0);
  await outbox.stop();
});
