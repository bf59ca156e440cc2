import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Chat, Metrics, Store } from '../../src/app/ports.ts';
import { OomError } from '../../src/model/errors.ts';
import { createFakeChat } from '../fakes/chat.ts';
import { createFakeStore } from '../fakes/store.ts';
import { aDesk, aRequest, aTarget, DEADLINE_MS, metricsTarget, POD, ROOM, textOf, turns } from './desk-harness.ts';

const STORE_DOWN = new OomError('store-failed', 'The store can not be written.', { next: 'Look at the disk.' });

/** A store of which these methods fail. */
function aStoreFailingAt(...names: (keyof Store)[]): Store {
  const store = createFakeStore();
  return { ...store, ...Object.fromEntries(names.map((name) => [name, () => Promise.reject(STORE_DOWN)])) };
}

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  await turns();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

describe('a store that fails', () => {
  const methods: (keyof Store)[] = [
    'startTriage',
    'placeTriage',
    'openIncidentOf',
    'recordFinding',
    'messages',
    'saveMessage',
    'endTriage',
  ];

  it.each([...methods.map((name) => [name]), methods])(
    'costs no finding, and the log says so: %s',
    async (...names) => {
      const { desk, chat, log } = aDesk({ store: aStoreFailingAt(...names) });

      await desk.ask(aRequest(POD));

      expect(textOf(chat.posts[0]?.message)).toContain('GPU memory ran out');
      expect(chat.files.length).toBeGreaterThan(0);
      expect(log.entries.filter(({ level }) => level === 'error').length).toBeGreaterThan(0);
    },
  );

  it('at recording is told to the asker', async () => {
    const { desk, chat } = aDesk({ store: aStoreFailingAt('recordFinding') });

    await desk.ask(aRequest(POD));

    expect(textOf(...chat.whispers.map(({ message }) => message))).toContain('could not be stored');
  });
});

describe('a cluster that fails', () => {
  const unreachable = new OomError('cluster-unreachable', 'The API server does not answer.', {
    next: 'Look at the network.',
  });

  it('before the pod is found is told to the asker alone', async () => {
    const { desk, chat, cluster, store } = aDesk();
    cluster.resolving = () => Promise.reject(unreachable);

    await desk.ask(aRequest(POD));

    expect(chat.posts).toEqual([]);
    expect(textOf(chat.whispers[0]?.message)).toMatch(
      /does not answer\. \(cluster prod\).*Look at the network.*cluster-unreachable/,
    );
    expect(await store.unfinishedTriages()).toEqual([]);
  });

  it.each([
    ['of several is named where its credentials are wrong', ['prod', 'stage'], /no such context\. \(cluster prod\)/],
    ['is not, where it is the only one and may have no name of its own', ['prod'], /no such context\.(?! \(cluster)/],
  ])('%s', async (_name, names, says) => {
    const { desk, deps, chat, cluster } = aDesk();
    const access = deps.investigate.clusters.get('prod');
    Object.assign(deps.investigate, { clusters: new Map(names.map((name) => [name, access])), defaultCluster: 'prod' });
    cluster.resolving = () =>
      Promise.reject(new OomError('bad-config', 'The kubeconfig has no such context.', { next: 'Name one.' }));

    await desk.ask(aRequest(POD));

    expect(textOf(chat.whispers[0]?.message)).toMatch(says);
  });

  it('after that takes the place of the progress', async () => {
    const { desk, chat, cluster } = aDesk();
    cluster.collecting = () => Promise.reject(unreachable);

    await desk.ask(aRequest(POD));

    expect(chat.posts).toHaveLength(1);
    expect(textOf(chat.posts[0]?.message)).toContain('cluster-unreachable');
    expect(chat.whispers).toEqual([]);
  });

  it('and hangs for ever is given up a little after the deadline, and does nothing when it wakes', async () => {
    const { desk, chat, cluster, clock } = aDesk();
    const woken = Promise.withResolvers<void>();
    cluster.resolving = async ({ pod }) => {
      await woken.promise;
      return { kind: 'found', target: aTarget({ pod }) };
    };
    const asked = desk.ask(aRequest(POD));
    await turns();

    await clock.advance(DEADLINE_MS + 5000);
    await asked;
    woken.resolve();
    await turns();

    expect(textOf(chat.whispers[0]?.message)).toContain('deadline');
    expect(chat.posts).toEqual([]);
    expect(clock.sleeping).toBe(0);
  });

  it('whose abort comes through as something else is a deadline all the same', async () => {
    const { desk, deps, chat, cluster } = aDesk();
    Object.assign(deps.investigate, { deadlineMs: 1 });
    cluster.resolving = (_query, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });

    await desk.ask(aRequest(POD));

    expect(textOf(chat.whispers[0]?.message)).toContain('code deadline');
  });
});

describe('a chat that refuses', () => {
  it('the channel leaves the finding to the asker, with the way to invite the bot', async () => {
    const { desk, chat, store } = aDesk();
    chat.refuse(ROOM);

    await desk.ask(aRequest(POD));

    expect(chat.whispers).toHaveLength(1);
    expect(textOf(chat.whispers[0]?.message)).toMatch(/\/invite @oombot.*GPU memory ran out/);
    expect(await store.openIncidents()).toHaveLength(1);
  });

  it('everything leaves a line in the log, and the finding in the store', async () => {
    const { desk, chat, store, log } = aDesk();
    chat.refuse(ROOM);

    await desk.ask(aRequest(POD, { asker: { responseUrl: undefined } }));

    expect(log.text()).toContain('asker could not be answered');
    const [incident] = await store.openIncidents();
    expect(await store.findings(incident?.id ?? '')).toHaveLength(1);
  });

  it.each(['post', 'permalink'] as const)(
    'breaks its word by throwing at %s, and the asker has the finding',
    async (name) => {
      const chat = createFakeChat();
      const { desk } = aDesk({ chat: { ...chat, [name]: () => Promise.reject(new Error('broken')) } });

      await desk.ask(aRequest(POD));

      const shown = [...chat.posts, ...chat.whispers].map(({ message }) => textOf(message));
      expect(shown.some((text) => text.includes('GPU memory ran out'))).toBe(true);
    },
  );

  it('to be quick does not delay the reading', async () => {
    const slow = Promise.withResolvers<void>();
    const fake = createFakeChat();
    const chat: Chat = { ...fake, post: (...words) => slow.promise.then(() => fake.post(...words)) };
    const { desk, cluster } = aDesk({ chat });

    const asked = desk.ask(aRequest(POD));
    await turns();
    const readMeanwhile = cluster.collected.length;
    slow.resolve();
    await asked;

    expect(readMeanwhile).toBe(1);
    expect(fake.posts.filter((post) => post.thread === undefined)).toHaveLength(1);
    expect(textOf(fake.posts[0]?.message)).toContain('GPU memory ran out');
  });

  it('the finding once the progress stands leaves it to the asker', async () => {
    const { desk, chat, cluster } = aDesk();
    cluster.collecting = async () => {
      await turns();
      chat.refuse(ROOM, 'is_archived');
    };

    await desk.ask(aRequest(POD));

    expect(textOf(...chat.whispers.map(({ message }) => message))).toContain('GPU memory ran out');
  });

  it('the fault once the progress stands leaves it to the asker', async () => {
    const { desk, chat, cluster } = aDesk();
    cluster.collecting = async () => {
      await turns();
      chat.refuse(ROOM, 'is_archived');
      throw new Error('broken');
    };

    await desk.ask(aRequest(POD));

    expect(textOf(...chat.whispers.map(({ message }) => message))).toContain('code internal');
  });

  it.each(['post', 'update', 'attach', 'whisper', 'permalink'] as const)(
    'and breaks its word by throwing: %s',
    async (name) => {
      const chat: Chat = { ...createFakeChat(), [name]: () => Promise.reject(new Error('broken')) };
      const { desk, log, store } = aDesk({ chat });

      await Promise.all([desk.ask(aRequest(POD)), desk.ask(aRequest(POD))]);
      await desk.ask(aRequest('???'));

      expect(log.entries.some(({ level }) => level === 'error' || level === 'warn')).toBe(true);
      expect(await store.unfinishedTriages()).toEqual([]);
    },
  );
});

describe('metrics', () => {
  it('are asked for while the logs are still read', async () => {
    const asked: string[] = [];
    const metrics: Metrics = {
      async collect() {
        asked.push('metrics asked');
        return { files: {}, notRead: [] };
      },
    };
    const { desk, cluster } = aDesk({ metrics });
    cluster.collecting = async (target, _context, options) => {
      options.onMetricsTarget?.(metricsTarget(target));
      await turns();
      asked.push('logs read');
    };

    await desk.ask(aRequest(POD));

    expect(asked).toEqual(['metrics asked', 'logs read']);
  });

  it('that fail where the port says they never do cost no finding', async () => {
    const { desk, chat } = aDesk({ metrics: { collect: () => Promise.reject(new Error('broken')) } });

    await desk.ask(aRequest(POD));

    expect(textOf(chat.posts[0]?.message)).toContain('GPU memory ran out');
  });

  it('that fail after the cluster did are nobody’s unhandled rejection', async () => {
    const { desk, chat, cluster } = aDesk({
      metrics: { collect: () => turns().then(() => Promise.reject(new Error('broken'))) },
    });
    cluster.collecting = async (target, _context, options) => {
      options.onMetricsTarget?.(metricsTarget(target));
      throw new Error('gone');
    };

    await desk.ask(aRequest(POD));
    await turns();
    await turns();

    expect(textOf(chat.posts[0]?.message)).toContain('code internal');
  });
});
