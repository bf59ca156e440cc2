import { describe, expect, it } from 'vitest';
import { requestFor } from '../../src/kubernetes/api/resource.ts';
import { createPodWatch } from '../../src/kubernetes/watch/pod-watch.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aWatchedPod, createMirror, disturb, endOf, killed, openWatch, SCOPE, until } from './watch-harness.ts';

const LIST = /GET .*\/pods\?(?!.*watch=true)/;
const WATCH = 'watch=true';

describe('a watch of pods', () => {
  it('lists the pods of its selector and tells what changes from there on', async () => {
    const other = aWatchedPod('other', { labels: {} });
    const watch = await openWatch([aWatchedPod('vllm-0'), aWatchedPod('vllm-1'), other]);
    await until(() => watch.watches().length === 1);

    watch.change('vllm-0', killed('vllm-0', 1));
    watch.remove('vllm-1');
    await until(() => watch.mirror.gone.size === 1);

    const { pods, ends, gone, losses } = watch.mirror;
    expect([...pods.values()].map(({ name }) => name)).toEqual(['vllm-0']);
    expect([...ends]).toEqual([endOf('vllm-0', 1)]);
    expect([...gone]).toEqual(['uid-llm-vllm-1']);
    expect(losses).toEqual([]);
    expect(watch.watches()[0]?.query).toMatchObject({
      ...{ allowWatchBookmarks: 'true', resourceVersion: '1000', timeoutSeconds: '450' },
      labelSelector: 'oombot.dev/watch=true',
    });
  });

  it('ends with its signal, and leaves nothing behind', async () => {
    const watch = await openWatch([aWatchedPod('vllm-0')]);
    await until(() => watch.watches().length === 1);

    await watch.stop();

    expect(watch.kept()).toEqual({ listeners: 0, sleepers: 0 });
    expect(watch.mirror.losses).toEqual([]);
  });

  it('loses nothing to dropped connections and 410, and asks for no list but after a 410', async () => {
    const { watch, ends, deleted } = await disturb({ drops: 60, gone: 8, pods: 5 });

    await until(() => deleted.every((uid) => watch.mirror.gone.has(uid)));

    expect(watch.mirror.ends).toEqual(new Set(ends));
    expect(watch.mirror.gone).toEqual(new Set(deleted));
    expect(watch.lists()).toHaveLength(1 + 8);
    expect(Math.min(...watch.waits.slice(0, 60))).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...watch.waits)).toBeLessThanOrEqual(30_000);
    expect(watch.kept().listeners).toBeLessThanOrEqual(2);
  });

  it('waits longer each time while connections bring nothing, and starts over with an event', async () => {
    const watch = await openWatch([aWatchedPod('vllm-0')], ({ standin: { faults } }) => {
      faults.on(WATCH, { kind: 'watch-end', afterEvents: 0 }, 6);
      faults.on(WATCH, { kind: 'watch-end', afterEvents: 1 }, 1);
    });
    await until(() => watch.watches().length === 7);
    watch.change('vllm-0', killed('vllm-0', 1));
    await until(() => watch.watches().length === 8);

    expect(watch.waits).toEqual([1500, 3000, 6000, 12_000, 22_500, 22_500, 1500]);
    expect(watch.lists()).toHaveLength(1);
  });

  it('goes on at once after an orderly end, without a word of a loss', async () => {
    const watch = await openWatch([aWatchedPod('vllm-0')], ({ standin: { faults } }) => {
      faults.on(WATCH, { kind: 'watch-end', afterEvents: 1, isOrderly: true }, 1);
    });
    await until(() => watch.watches()[0]?.status === 200);
    await watch.fake.advance(60_000);
    watch.change('vllm-0', killed('vllm-0', 1));
    await until(() => watch.watches().length === 2);

    expect(watch.waits).toEqual([500]);
    expect(watch.mirror.losses).toEqual([]);
    expect(watch.watches()[1]?.query.resourceVersion).toBe('1001');
  });

  it('drops a connection that is silent for two minutes, and resumes', async () => {
    const watch = await openWatch([aWatchedPod('vllm-0')], ({ standin: { faults } }) => {
      faults.on(WATCH, { kind: 'hang' }, 1);
    });
    await until(() => watch.watches().length === 1);
    watch.change('vllm-0', killed('vllm-0', 1));
    await watch.fake.advance(119_000);
    expect(watch.watches()).toHaveLength(1);

    await watch.fake.advance(1000);
    await until(() => watch.mirror.ends.size === 1);

    expect(watch.mirror.losses).toEqual(['no event or bookmark for 120 s']);
    expect(watch.lists()).toHaveLength(1);
  });

  it('takes a bookmark as a sign of life, and resumes from it', async () => {
    const text = '{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"1001"}}}';
    const watch = await openWatch([aWatchedPod('vllm-0')], ({ standin: { faults } }) => {
      faults.on(WATCH, { kind: 'watch-line', at: 0, text }, 1);
    });
    await until(() => watch.watches()[0]?.status === 200);
    await watch.fake.advance(100_000);
    watch.change('vllm-0', killed('vllm-0', 1));
    await until(() => watch.mirror.counts.alive === 2);
    await watch.fake.advance(119_000);
    expect(watch.watches()).toHaveLength(1);

    await watch.fake.advance(1000);
    await until(() => watch.watches().length === 2);

    expect(watch.watches()[1]?.query.resourceVersion).toBe('1001');
  });

  it('waits as long as the API server asks for, within a minute', async () => {
    const watch = await openWatch([aWatchedPod('vllm-0')], ({ standin: { faults } }) => {
      faults.on(WATCH, { kind: 'refuse', status: 429, retryAfterSeconds: 17 }, 1);
      faults.on(WATCH, { kind: 'refuse', status: 429, retryAfterSeconds: 7200 }, 1);
    });
    await until(() => watch.watches().length === 3);

    expect(watch.waits).toEqual([17_000, 60_000]);
    expect(watch.mirror.losses[0]).toBe('watch not opened: the API server is overloaded (429)');
    expect(watch.lists()).toHaveLength(1);
  });

  it('lists again where nothing but refusals came for a while', async () => {
    const watch = await openWatch([aWatchedPod('vllm-0')], ({ standin: { faults } }) => {
      faults.on(WATCH, { kind: 'refuse', status: 504 }, 5);
    });
    await until(() => watch.watches().length === 6);

    expect(watch.lists()).toHaveLength(2);
  });

  it('names the right that is missing, and starts when it is granted', async () => {
    const watch = await openWatch([aWatchedPod('vllm-0')], ({ standin: { world } }) => {
      world.denied.push({ verb: 'watch', resource: 'pods' });
    });
    await until(() => watch.mirror.losses.length === 3);
    expect(new Set(watch.mirror.losses)).toEqual(
      new Set(['watch not opened: missing right: pods watch in namespace llm']),
    );

    watch.standin.world.denied.length = 0;
    watch.change('vllm-0', killed('vllm-0', 1));
    await until(() => watch.mirror.ends.size === 1);
  });
});

it('the connections of watches are their own: nine watches leave those of triages free', async () => {
  const watch = await openWatch([aWatchedPod('vllm-0')]);
  const stop = new AbortController();
  const more = createPodWatch({ http: watch.http, clock: watch.clock });
  const runs = Array.from({ length: 8 }, () => more.run(SCOPE, createMirror().handler, stop.signal));
  await until(() => watch.watches().length === 9);

  const request = requestFor('get', { resource: 'pods', namespace: 'llm', name: 'vllm-0' });
  const call = await watch.http.getJson(request, aReadContext());
  const log = await watch.http.getStream(request, aReadContext());

  expect([call.kind, log.kind]).toEqual(['ok', 'ok']);
  stop.abort();
  await Promise.all(runs);
});

it('a handler that throws ends no watch, and is told again', async () => {
  const watch = await openWatch([aWatchedPod('vllm-0')]);
  await until(() => watch.watches().length === 1);
  const changed = watch.mirror.handler.changed;
  const listed = watch.mirror.handler.listed;
  Object.assign(watch.mirror.handler, {
    changed: () => {
      Object.assign(watch.mirror.handler, { changed });
      throw new Error('no');
    },
  });
  watch.change('vllm-0', killed('vllm-0', 1));
  await until(() => watch.mirror.ends.size === 1);
  expect(watch.lists()).toHaveLength(1);

  const fail = () => {
    Object.assign(watch.mirror.handler, { listed });
    throw new Error('no');
  };
  Object.assign(watch.mirror.handler, { listed: fail });
  watch.standin.faults.on(WATCH, { kind: 'refuse', status: 410 }, 1);
  await watch.fake.advance(120_000);
  await until(() => watch.mirror.counts.listed === 2);

  expect(watch.mirror.losses.at(-1)).toBe('internal fault');
});

describe('what cannot be read', () => {
  it('a pod without a name is left out, and the watch goes on', async () => {
    const watch = await openWatch([aWatchedPod('vllm-0'), aWatchedPod('vllm-1')]);
    await until(() => watch.watches().length === 1);

    watch.garble('vllm-0', ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, uid: 7 } }));
    watch.change('vllm-1', killed('vllm-1', 1));
    await until(() => watch.mirror.ends.size === 1);

    expect(watch.mirror.counts).toMatchObject({ unreadable: 1, listed: 1 });
    expect(watch.watches()).toHaveLength(1);
  });

  it.each([
    ['no JSON', '{"type":"MODIFIED","object":{"metad'],
    ['no event', '[]'],
    ['of an unknown type', '{"type":"SHRUG","object":{}}'],
    ['longer than any object', 'x'.repeat(5 * 1024 * 1024)],
  ])('a line that is %s costs no event: what it stood for is asked for again', async (_, text) => {
    const watch = await openWatch([aWatchedPod('vllm-0')], ({ standin: { faults } }) => {
      faults.on(WATCH, { kind: 'watch-line', at: 0, text }, 1);
    });
    await until(() => watch.watches()[0]?.status === 200);

    watch.change('vllm-0', killed('vllm-0', 1));
    watch.change('vllm-0', killed('vllm-0', 2));
    await until(() => watch.mirror.ends.size === 2);

    expect(watch.mirror.counts.unreadable).toBe(1);
    expect(watch.lists()).toHaveLength(1);
  });

  it('a line that comes back as it was is passed by a list', async () => {
    const watch = await openWatch([aWatchedPod('vllm-0')], ({ standin: { faults } }) => {
      faults.on(WATCH, { kind: 'watch-line', at: 0, text: 'x' }, 2);
    });
    await until(() => watch.watches()[0]?.status === 200);

    watch.change('vllm-0', killed('vllm-0', 1));
    await until(() => watch.watches().length === 3);

    expect([...watch.mirror.ends]).toEqual([endOf('vllm-0', 1)]);
    expect(watch.mirror.counts).toMatchObject({ unreadable: 2, listed: 2 });
  });

  it('a pod that was deleted unreadable is found to be gone by a list', async () => {
    const watch = await openWatch([aWatchedPod('vllm-0')]);
    await until(() => watch.watches()[0]?.status === 200);

    watch.garble('vllm-0', ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, namespace: 'llm', uid: '' },
    }));
    watch.remove('vllm-0');
    await until(() => watch.mirror.gone.size === 1);

    expect(watch.mirror.counts.listed).toBe(2);
  });
});

describe('a list without an end', () => {
  it.each([
    ['of pages', 'endless-list', 'the list of pods did not end after 50 pages', 50],
    ['in one page', 'endless-body', 'pods not listed: byte limit', 1],
  ] as const)('(%s) fails with a word, and is tried again later', async (_, kind, why, calls) => {
    const watch = await openWatch([aWatchedPod('vllm-0')], ({ standin: { faults } }) => {
      faults.on(LIST, { kind }, calls * 2);
    });
    await until(() => watch.mirror.pods.size === 1);

    expect(watch.mirror.losses).toEqual([why, why]);
    expect(watch.lists()).toHaveLength(calls * 2 + 1);
    expect(watch.waits).toEqual([1500, 3000]);
  });

  it.each([
    ['no list', '{"kind":"Status"}', 'the answer is not a list of pods'],
    ['a page to log in', '<html>', 'the answer is not JSON, so it is not from an API server'],
  ])('neither does %s', async (_, text, why) => {
    const watch = await openWatch([aWatchedPod('vllm-0')], ({ standin: { faults } }) => {
      faults.on(LIST, { kind: 'body', status: 200, text }, 1);
    });
    await until(() => watch.mirror.pods.size === 1);

    expect(watch.mirror.losses).toEqual([why]);
  });

  it('pages go on where the last one ended, and what happens meanwhile is told', async () => {
    const names = Array.from({ length: 1200 }, (_, i) => `vllm-${String(i).padStart(4, '0')}`);
    const watch = await openWatch(
      names.map((name) => aWatchedPod(name)),
      ({ standin }) => {
        standin.onRequest = ({ query }) => {
          if (query.continue === undefined) return;
          standin.onRequest = undefined;
          const first = standin.world.objects.find(({ metadata }) => metadata.name === 'vllm-0000');
          if (first !== undefined) standin.cluster.storage.remove(first);
        };
      },
    );
    await until(() => watch.mirror.gone.size === 1);

    expect(watch.lists().map(({ query }) => query.limit)).toEqual(['500', '500', '500']);
    expect(watch.mirror.pods.size).toBe(1199);
  });
});
