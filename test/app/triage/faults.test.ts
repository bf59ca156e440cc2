import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Chat, Metrics } from '../../../src/app/ports.ts';
import { OomError } from '../../../src/model/errors.ts';
import type { DurableStore } from '../../../src/wire/open-store.ts';
import { createFakeChat } from '../../fakes/chat.ts';
import { createMemoryStore } from '../../fakes/memory-store.ts';
import {
  aRequest,
  aTarget,
  DEADLINE_MS,
  metricsTarget,
  POD,
  ROOM,
  someTriages,
  textOf,
  turns,
} from './triage-harness.ts';

const STORE_DOWN = new OomError('store-failed', 'The store cannot be written.', { next: 'Look at the disk.' });

/** A store of which these methods fail. */
function aStoreFailingAt(...names: (keyof DurableStore)[]): DurableStore {
  const store = createMemoryStore();
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
  const ofTriages: (keyof DurableStore)[] = ['startTriage', 'holdsTriage', 'placeTriage', 'endTriage'];
  const ofMessages: (keyof DurableStore)[] = ['messages', 'queueMessage', 'holdsMessage', 'placeMessage'];
  const methods: (keyof DurableStore)[] = [...ofTriages, 'openIncidentOf', 'recordFindingOf', ...ofMessages];

  it.each([...methods.map((name) => [name]), methods])(
    'costs no finding, and the log says so: %s',
    async (...names) => {
      const { triages, chat, log } = someTriages({ store: aStoreFailingAt(...names) });

      await triages.ask(aRequest(POD));

      expect(textOf(chat.posts[0]?.message)).toContain('GPU memory ran out');
      expect(chat.files.length).toBeGreaterThan(0);
      expect(log.entries.filter(({ level }) => level === 'error').length).toBeGreaterThan(0);
    },
  );

  it('at recording is told to the asker', async () => {
    const { triages, chat } = someTriages({ store: aStoreFailingAt('recordFindingOf') });

    await triages.ask(aRequest(POD));

    expect(textOf(...chat.whispers.map(({ message }) => message))).toContain('Could not store');
  });
});

describe('a cluster that fails', () => {
  const unreachable = new OomError('cluster-unreachable', 'The API server does not answer.', {
    next: 'Look at the network.',
  });

  it('before the pod is found is told to the asker alone', async () => {
    const { triages, chat, cluster, store } = someTriages();
    cluster.resolving = () => Promise.reject(unreachable);

    await triages.ask(aRequest(POD));

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
    const { triages, deps, chat, cluster } = someTriages();
    const access = deps.investigate.clusters.get('prod');
    Object.assign(deps.investigate, { clusters: new Map(names.map((name) => [name, access])), defaultCluster: 'prod' });
    cluster.resolving = () =>
      Promise.reject(new OomError('bad-config', 'The kubeconfig has no such context.', { next: 'Name one.' }));

    await triages.ask(aRequest(POD));

    expect(textOf(chat.whispers[0]?.message)).toMatch(says);
  });

  it('after that takes the place of the progress', async () => {
    const { triages, chat, cluster } = someTriages();
    cluster.collecting = () => Promise.reject(unreachable);

    await triages.ask(aRequest(POD));

    expect(chat.posts).toHaveLength(1);
    expect(textOf(chat.posts[0]?.message)).toContain('cluster-unreachable');
    expect(chat.whispers).toEqual([]);
  });

  it('and hangs for ever is given up a little after the deadline, and does nothing when it wakes', async () => {
    const { triages, chat, cluster, clock } = someTriages();
    const woken = Promise.withResolvers<void>();
    cluster.resolving = async ({ pod }) => {
      await woken.promise;
      return { kind: 'found', target: aTarget({ pod }) };
    };
    const asked = triages.ask(aRequest(POD));
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
    const { triages, deps, chat, cluster } = someTriages();
    Object.assign(deps.investigate, { deadlineMs: 1 });
    cluster.resolving = (_query, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });

    await triages.ask(aRequest(POD));

    expect(textOf(chat.whispers[0]?.message)).toContain('code deadline');
  });
});

describe('a chat that refuses', () => {
  it('the channel leaves the finding to the asker, with the way to invite the bot', async () => {
    const { triages, chat, store } = someTriages();
    chat.refuse(ROOM);

    await triages.ask(aRequest(POD));

    expect(chat.whispers).toHaveLength(1);
    expect(textOf(chat.whispers[0]?.message)).toMatch(/\/invite @oombot.*GPU memory ran out/);
    expect(await store.openIncidents()).toHaveLength(1);
  });

  it('everything leaves a line in the log, and the finding in the store', async () => {
    const { triages, chat, store, log } = someTriages();
    chat.refuse(ROOM);

    await triages.ask(aRequest(POD, { asker: { responseUrl: undefined } }));

    expect(log.text()).toContain('reply to the user failed');
    const [incident] = await store.openIncidents();
    expect(await store.findings(incident?.id ?? '')).toHaveLength(1);
  });

  it.each(['post', 'permalink'] as const)(
    'breaks its word by throwing at %s, and the asker has the finding',
    async (name) => {
      const chat = createFakeChat();
      const { triages } = someTriages({ chat: { ...chat, [name]: () => Promise.reject(new Error('broken')) } });

      await triages.ask(aRequest(POD));

      const shown = [...chat.posts, ...chat.whispers].map(({ message }) => textOf(message));
      expect(shown.some((text) => text.includes('GPU memory ran out'))).toBe(true);
    },
  );

  it.each(['post', 'update'] as const)(
    'to take a %s for an hour delays the finding and drops nothing',
    async (name) => {
      const fake = createFakeChat();
      const hour = { kind: 'refused', code: 'ratelimited', next: '', retryMs: 3_600_000 } as const;
      let isLimited = true;
      const limited = async () => hour;
      const chat = new Proxy(fake, {
        get: (target, key: keyof Chat) => (key === name && isLimited ? limited : target[key]),
      });
      const { triages, clock, store } = someTriages({ chat });

      const asked = triages.ask(aRequest(POD));
      await turns();
      await turns();
      expect(textOf(...fake.posts.map(({ message }) => message))).not.toContain('GPU memory ran out');
      isLimited = false;
      await clock.advance(3_600_000);
      await asked;

      expect(textOf(...fake.posts.map(({ message }) => message))).toContain('GPU memory ran out');
      expect(fake.whispers).toEqual([]);
      const [incident] = await store.openIncidents();
      expect(await store.messages(incident?.id ?? '', 'card')).toEqual([fake.posts[0]?.ref]);
    },
  );

  it('to tell where the first words stand leaves none that are not true', async () => {
    const { triages, chat, cluster, store } = someTriages();
    const drawn: string[] = [];
    cluster.collecting = async () => {
      await turns();
      drawn.push(...(chat.posts[0]?.history ?? []).map(({ summary }) => summary));
    };
    const place = store.placeTriage;
    Object.assign(store, {
      placeTriage: async (...given: Parameters<typeof place>) => {
        expect(textOf(...(chat.posts[0]?.history ?? []))).not.toContain('Reading');
        return place(...given);
      },
    });

    await triages.ask(aRequest(POD));

    expect(drawn.length).toBeGreaterThan(1);
    expect(drawn[0]).not.toContain('Reading');
  });

  it('to be quick does not delay the reading', async () => {
    const slow = Promise.withResolvers<void>();
    const fake = createFakeChat();
    const chat: Chat = { ...fake, post: (...words) => slow.promise.then(() => fake.post(...words)) };
    const { triages, cluster } = someTriages({ chat });

    const asked = triages.ask(aRequest(POD));
    await turns();
    const readMeanwhile = cluster.collected.length;
    slow.resolve();
    await asked;

    expect(readMeanwhile).toBe(1);
    expect(fake.posts.filter((post) => post.thread === undefined)).toHaveLength(1);
    expect(textOf(fake.posts[0]?.message)).toContain('GPU memory ran out');
  });

  it.each([
    ['finding', async () => {}, 'GPU memory ran out'],
    ['fault', () => Promise.reject(new Error('broken')), 'code internal'],
  ])('the %s once the progress stands leaves it to the asker', async (_, end, says) => {
    const { triages, chat, cluster } = someTriages();
    cluster.collecting = async () => {
      await turns();
      chat.refuse(ROOM, 'is_archived');
      await end();
    };

    await triages.ask(aRequest(POD));

    expect(textOf(...chat.whispers.map(({ message }) => message))).toContain(says);
  });

  it.each(['post', 'update', 'attach', 'whisper', 'permalink'] as const)(
    'and breaks its word by throwing: %s',
    async (name) => {
      const chat: Chat = { ...createFakeChat(), [name]: () => Promise.reject(new Error('broken')) };
      const { triages, log, store } = someTriages({ chat });

      await Promise.all([triages.ask(aRequest(POD)), triages.ask(aRequest(POD))]);
      await triages.ask(aRequest('???'));

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
    const { triages, cluster } = someTriages({ metrics });
    cluster.collecting = async (target, _context, options) => {
      options.onMetricsTarget?.(metricsTarget(target));
      await turns();
      asked.push('logs read');
    };

    await triages.ask(aRequest(POD));

    expect(asked).toEqual(['metrics asked', 'logs read']);
  });

  it('that fail where the port says they never do cost no finding', async () => {
    const { triages, chat } = someTriages({ metrics: { collect: () => Promise.reject(new Error('broken')) } });

    await triages.ask(aRequest(POD));

    expect(textOf(chat.posts[0]?.message)).toContain('GPU memory ran out');
  });

  it('that fail after the cluster did are nobody’s unhandled rejection', async () => {
    const { triages, chat, cluster } = someTriages({
      metrics: { collect: () => turns().then(() => Promise.reject(new Error('broken'))) },
    });
    cluster.collecting = async (target, _context, options) => {
      options.onMetricsTarget?.(metricsTarget(target));
      throw new Error('gone');
    };

    await triages.ask(aRequest(POD));
    await turns();
    await turns();

    expect(textOf(chat.posts[0]?.message)).toContain('code internal');
  });
});
