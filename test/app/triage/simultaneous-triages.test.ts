import { describe, expect, it } from 'vitest';
import type { PodQuery } from '../../../src/app/ports.ts';
import { aRequest, aTarget, POD, someTriages, textOf, turns } from './triage-harness.ts';

const MADE_UP = 'bcdfghjklmnpqrstvwxz2456789';
const podNumber = (n: number): string => {
  const of = (place: number) => MADE_UP[Math.floor(n / MADE_UP.length ** place) % MADE_UP.length];
  return `vllm-server-7d8f6f9c6b-${of(4)}${of(3)}${of(2)}${of(1)}${of(0)}`;
};

/** A gate: what waits at `shut` goes on when `open` is called. */
function aGate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { shut: promise, open: resolve };
}

describe('pods of one workload asked for at once', () => {
  it('200 of them are one reading and one card, and every asker is answered', async () => {
    const { triages, chat, cluster, store } = someTriages();
    const asks = Array.from({ length: 200 }, (_, n) =>
      triages.ask(aRequest(podNumber(n), { asker: { responseUrl: `https://chat.example/response/${n}` } })),
    );

    await Promise.all(asks);

    expect([cluster.resolved.length, cluster.collected.length]).toEqual([1, 1]);
    expect(chat.posts.filter((post) => post.thread === undefined)).toHaveLength(1);
    expect(new Set(chat.whispers.map(({ asker }) => asker.responseUrl)).size).toBe(199);
    expect(chat.whispers.every(({ message }) => textOf(message).includes('https://chat.example/C_LLM/'))).toBe(true);
    expect(await store.unfinishedTriages()).toEqual([]);
  });

  it('of two workloads whose names differ in a number are two readings', async () => {
    const { triages, cluster } = someTriages();
    const targetOf = (pod: string) => aTarget({ pod: `${pod}-0`, workload: `StatefulSet/${pod}` });
    cluster.resolving = ({ pod }) => ({ kind: 'found', target: targetOf(pod) });

    await Promise.all(['vllm-7', 'vllm-8', 'vllm-8'].map((name) => triages.ask(aRequest(name))));

    expect(cluster.collected.map(({ workload }) => workload)).toEqual(['StatefulSet/vllm-7', 'StatefulSet/vllm-8']);
  });

  it('asked for with and without the container are one card, and the channel is told that it is the same', async () => {
    const { triages, chat, store } = someTriages();

    await Promise.all([POD, `${POD} vllm`, `llm/${POD}`].map((text) => triages.ask(aRequest(text))));

    const [first, ...others] = chat.posts
      .filter((post) => post.thread === undefined)
      .map(({ message }) => textOf(message));
    expect(first).toContain('GPU memory ran out');
    expect(others).toEqual(Array(2).fill(expect.stringMatching(/Same failure again.*https:/)));
    expect((await store.openIncidents()).map(({ seen }) => seen)).toEqual([3]);
  });

  it('are read apart for those who may see less', async () => {
    const { triages, cluster, chat } = someTriages();

    await Promise.all([triages.ask(aRequest(POD)), triages.ask(aRequest(POD, { external: true }))]);

    expect(cluster.collected).toHaveLength(2);
    expect(chat.whispers).toEqual([]);
  });
});

describe('who joins a reading that ends without a card', () => {
  it('is told what the first one is told', async () => {
    const { triages, chat, cluster } = someTriages();
    cluster.resolving = () => ({ kind: 'not-found', nearest: [], searched: ['llm'] });

    await Promise.all([1, 2, 3].map(() => triages.ask(aRequest(POD))));

    expect(cluster.resolved).toHaveLength(1);
    expect(chat.whispers.map(({ message }) => textOf(message).includes('No pod '))).toEqual([true, true, true]);
  });

  it('is looked for apart where another name was typed', async () => {
    const { triages, chat, cluster } = someTriages();
    const gate = aGate();
    cluster.resolving = async ({ pod }: PodQuery) => {
      if (pod !== 'vllm-server') return { kind: 'found', target: aTarget({ pod }) };
      await gate.shut;
      const candidates = [{ namespace: 'llm', pod: POD, state: 'Running' }];
      return { kind: 'ambiguous', candidates };
    };

    const asks = ['vllm-server', POD, podNumber(5)].map((name) => triages.ask(aRequest(name)));
    await turns();
    gate.open();
    await Promise.all(asks);

    expect(cluster.collected.map(({ pod }) => pod)).toEqual([POD]);
    expect(chat.posts.filter((post) => post.thread === undefined)).toHaveLength(1);
    // The candidates for the first, and the way to the card for the last.
    expect(chat.whispers).toHaveLength(2);
  });

  it('gets the finding like the first one where the bot is not in the channel', async () => {
    const { triages, chat } = someTriages();
    chat.refuse('C_LLM');

    await Promise.all([triages.ask(aRequest(POD)), triages.ask(aRequest(podNumber(3)))]);

    const findings = chat.whispers.filter(({ message }) => textOf(message).includes('GPU memory ran out'));
    expect(findings).toHaveLength(2);
    expect(findings.every(({ message }) => textOf(message).includes('/invite'))).toBe(true);
  });

  it('is told of the fault as well, without asking a broken cluster again', async () => {
    const { triages, chat, cluster } = someTriages();
    cluster.resolving = () => Promise.reject(new Error('down'));

    await Promise.all([triages.ask(aRequest(POD)), triages.ask(aRequest(podNumber(3)))]);

    expect(cluster.resolved).toHaveLength(1);
    expect(chat.whispers.map(({ message }) => textOf(message).includes('code internal'))).toEqual([true, true]);
  });
});

it('the triages settles when all that it was asked has ended, and not before', async () => {
  const { triages, cluster, chat } = someTriages();
  const gate = aGate();
  cluster.collecting = () => gate.shut;
  void triages.ask(aRequest(POD));
  let settled = false;
  const settling = triages.settle().then(() => {
    settled = true;
  });
  await turns();
  expect(settled).toBe(false);

  gate.open();
  await settling;

  expect(textOf(chat.posts[0]?.message)).toContain('GPU memory ran out');
});
