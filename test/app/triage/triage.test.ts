import { describe, expect, it } from 'vitest';
import { createOutbox } from '../../../src/app/outbox.ts';
import type { Chat, PodResolution } from '../../../src/app/ports.ts';
import { createFakeChat } from '../../fakes/chat.ts';
import { aRequest, aTarget, OOM_LINE, POD, ROOM, someTriages, textOf, turns, WINDOW_MS } from './triage-harness.ts';

describe('a triage of a pod that is found', () => {
  it('posts one progress card, which becomes the finding in place', async () => {
    const { triages, chat, cluster } = someTriages();
    let seenFirst: string | undefined;
    cluster.collecting = async () => {
      await turns();
      seenFirst = textOf(chat.posts[0]?.message);
    };

    await triages.ask(aRequest(POD));

    const cards = chat.posts.filter((post) => post.thread === undefined);
    expect(cards).toHaveLength(1);
    expect(seenFirst).toContain('"kind":"progress"');
    expect(textOf(cards[0]?.message)).not.toContain('"kind":"progress"');
    expect(textOf(cards[0]?.message)).toContain('gpu.startup.graph-capture');
    expect(chat.whispers).toEqual([]);
  });

  it('puts proof and files into the thread of that card', async () => {
    const { triages, chat } = someTriages();

    await triages.ask(aRequest(POD));

    const card = chat.posts[0];
    expect(chat.replies(card?.ref ?? { conversation: '', ts: '' }).length).toBeGreaterThan(0);
    expect(chat.files.length).toBeGreaterThan(0);
    expect(chat.files.every((file) => file.thread.ts === card?.ref.ts)).toBe(true);
    expect(textOf(...chat.posts.map(({ message }) => message))).toContain(OOM_LINE);
  });

  it('keeps the proof for the next process where Slack went away after the card', async () => {
    const chat = createFakeChat();
    const away = { kind: 'refused', code: 'unreachable', next: '', retryMs: 1000 } as const;
    const withoutThreads: Chat = {
      ...chat,
      post: async (conversation, message, thread) => (thread ? away : chat.post(conversation, message)),
    };
    const { triages, deps, store, clock, log } = someTriages({ chat: withoutThreads });
    const asked = triages.ask(aRequest(POD));
    await expect.poll(() => store.unsentMessages()).toHaveLength(1);
    await deps.outbox.stop();
    await asked;

    await createOutbox({ store, chat, clock, log, ids: deps.investigate.ids }).resume();

    const replies = () => chat.replies(chat.posts[0]?.ref ?? { conversation: '', ts: '' });
    await expect.poll(() => textOf(...replies().map(({ message }) => message))).toContain(OOM_LINE);
    expect(chat.posts.filter(({ thread }) => thread === undefined)).toHaveLength(1);
  });

  it('draws no late progress over the answer', async () => {
    const late: (() => void)[] = [];
    const { triages, chat, cluster } = someTriages();
    cluster.collecting = async (_target, context) => {
      late.push(() => context.progress('read-metrics', 'done'));
      throw new Error('the log stream broke');
    };

    await triages.ask(aRequest(POD));
    for (const tell of late) tell();

    expect(textOf(chat.posts[0]?.message)).toContain('code internal');
  });

  it('shows the verdict alone where another organisation reads along', async () => {
    const { triages, chat } = someTriages();

    await triages.ask(aRequest(POD, { external: true }));

    const all = textOf(...chat.posts.flatMap(({ history }) => history), ...chat.whispers.map(({ message }) => message));
    expect(all).toContain('gpu.startup.graph-capture');
    expect(all).not.toContain(OOM_LINE);
    expect(all).not.toContain('--max-num-seqs');
    expect(chat.files).toEqual([]);
  });
});

describe('what concerns only the asker', () => {
  const candidates = [
    { namespace: 'llm', pod: 'vllm-a', state: 'Running' },
    { namespace: 'secret-team', pod: 'vllm-b', state: 'Running' },
  ];
  const forbidden = (namespace: string, manifest: string): PodResolution => {
    return { kind: 'forbidden', searched: [namespace], rule: `get pods in ${namespace}`, manifest };
  };
  const notFound = { kind: 'not-found', nearest: candidates, searched: ['llm', 'secret-team'] } as const;
  const cases: [name: string, found: PodResolution, says: string][] = [
    ['not found', notFound, 'vllm-a'],
    ['ambiguous', { kind: 'ambiguous', candidates }, 'vllm-a'],
    ['ambiguous elsewhere', { kind: 'ambiguous', candidates: candidates.slice(1) }, 'No pod vllm, and'],
    ['forbidden', forbidden('llm', 'kind: Role'), 'kind: Role'],
    ['forbidden elsewhere', forbidden('secret-team', 'secret-team'), 'refused'],
  ];

  it.each(cases)(
    'is told to nobody else, and names no namespace that may not be read here: %s',
    async (_, found, says) => {
      const { triages, chat, cluster } = someTriages();
      cluster.resolving = () => found;

      await triages.ask(aRequest('vllm'));

      const told = textOf(...chat.whispers.map(({ message }) => message));
      expect(chat.posts).toEqual([]);
      expect(chat.whispers).toHaveLength(1);
      expect(told).toContain(says);
      expect(told).not.toContain('secret-team');
      expect(told).not.toContain('vllm-b');
    },
  );

  it('a namespace that the channel may not read is refused before the cluster is asked', async () => {
    const { triages, chat, cluster } = someTriages();

    await triages.ask(aRequest('secret-team/vllm-b'));

    expect([chat.posts.length, chat.whispers.length, cluster.resolved.length]).toEqual([0, 1, 0]);
    expect(textOf(chat.whispers[0]?.message)).toContain('may not read');
  });

  it('a pod found where the channel may not read is refused', async () => {
    const { triages, chat, cluster } = someTriages();
    cluster.resolving = () => ({ kind: 'found', target: aTarget({ namespace: 'secret-team' }) });

    await triages.ask(aRequest('vllm-b'));

    expect([chat.posts.length, chat.whispers.length, cluster.collected.length]).toEqual([0, 1, 0]);
  });

  it.each(['', '???', '$(rm -rf)'])('words that name no pod: %j', async (text) => {
    const { triages, chat } = someTriages();

    await triages.ask(aRequest(text));

    expect(chat.posts).toEqual([]);
    expect(chat.whispers).toHaveLength(1);
  });
});

describe('a repeat', () => {
  it('with the same cause counts on the old card and answers in its thread', async () => {
    const { triages, chat, clock } = someTriages();
    await triages.ask(aRequest(POD));
    const card = chat.posts[0];
    const before = card?.history.length ?? 0;
    await clock.advance(60_000);

    await triages.ask(aRequest(POD));

    expect(chat.posts.filter((post) => post.thread === undefined)).toHaveLength(1);
    expect(card?.history.length).toBe(before + 1);
    const replies = chat.posts.filter((post) => post.thread?.ts === card?.ref.ts).map(({ message }) => textOf(message));
    expect(replies.some((text) => text.includes('seen 2 times'))).toBe(true);
    expect(replies.some((text) => text.includes('"kind":"progress"'))).toBe(false);
  });

  it('with another cause gets a card of its own, and the thread says where', async () => {
    const { triages, chat, given } = someTriages();
    await triages.ask(aRequest(POD));
    given.cause = 'gpu.startup.utilization';

    await triages.ask(aRequest(POD));

    const cards = chat.posts.filter((post) => post.thread === undefined);
    expect(cards.map(({ message }) => textOf(message).includes('gpu.startup.utilization'))).toEqual([false, true]);
    expect(
      textOf(...chat.replies(cards[0]?.ref ?? { conversation: '', ts: '' }).map(({ message }) => message)),
    ).toContain(`/${ROOM}/${cards[1]?.ref.ts}`);
  });

  it('of an older cause leads from the newest thread to the older card', async () => {
    const { triages, chat, given, clock } = someTriages();
    await triages.ask(aRequest(POD));
    given.cause = 'gpu.startup.utilization';
    await clock.advance(1000);
    await triages.ask(aRequest(POD));
    given.cause = 'gpu.startup.graph-capture';
    await clock.advance(1000);

    await triages.ask(aRequest(POD));

    const [first, second] = chat.posts.filter((post) => post.thread === undefined);
    const replies = chat.replies(second?.ref ?? { conversation: '', ts: '' }).map(({ message }) => textOf(message));
    expect(replies.find((text) => text.includes('seen 2 times'))).toContain(`/${ROOM}/${first?.ref.ts}`);
  });

  it('after the window is a new incident with a new card', async () => {
    const { triages, chat, clock, store } = someTriages();
    await triages.ask(aRequest(POD));
    await clock.advance(WINDOW_MS + 1);

    await triages.ask(aRequest(POD));

    expect(chat.posts.filter((post) => post.thread === undefined)).toHaveLength(2);
    expect(await store.openIncidents()).toHaveLength(1);
  });

  it('in another channel has a card there, and each channel keeps its own', async () => {
    const { triages, chat, store } = someTriages();
    await triages.ask(aRequest(POD));
    await triages.ask(aRequest(POD, { asker: { conversation: 'C_OTHER' } }));
    await triages.ask(aRequest(POD));
    await triages.ask(aRequest(POD, { asker: { conversation: 'C_OTHER' } }));

    const cards = chat.posts.filter((post) => post.thread === undefined);
    expect(cards.map(({ ref }) => ref.conversation)).toEqual([ROOM, 'C_OTHER']);
    expect((await store.openIncidents()).map(({ seen }) => seen)).toEqual([4]);
    expect(
      chat.posts.every((post) => post.thread === undefined || post.thread.conversation === post.ref.conversation),
    ).toBe(true);
  });

  it('whose card was deleted gets the card and its whole thread anew, and the next one finds that', async () => {
    const { triages, chat } = someTriages();
    await triages.ask(aRequest(POD));
    const old = chat.posts[0]?.ref ?? { conversation: '', ts: '' };
    chat.remove(old);

    await triages.ask(aRequest(POD));
    const anew = chat.posts.findLast((post) => post.thread === undefined);
    const proofs = chat.replies(anew?.ref ?? old).length;
    await triages.ask(aRequest(POD));

    expect(textOf(anew?.message)).toContain('gpu.startup.graph-capture');
    expect(proofs).toBeGreaterThan(0);
    expect(chat.replies(anew?.ref ?? old).length).toBeGreaterThan(proofs);
    expect(chat.posts.filter((post) => post.thread === undefined)).toHaveLength(1);
  });
});
