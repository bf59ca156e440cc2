import { describe, expect, it, onTestFinished } from 'vitest';
import { createIntake } from '../../../src/app/automatic/intake.ts';
import { watchCluster } from '../../../src/app/automatic/watch-cluster.ts';
import type { WatchedScope } from '../../../src/app/automatic/watch-namespace.ts';
import type { WatchedPod, WatchHandler } from '../../../src/app/watch-ports.ts';
import { createWorkQueue } from '../../../src/app/work-queue.ts';
import { OomError } from '../../../src/model/errors.ts';
import { START } from '../../fakes/clock.ts';
import { anEnd, aWatchedPod } from '../../fakes/watched-pod.ts';
import { POD, someTriages, turns } from '../triage/triage-harness.ts';

const MINUTE_MS = 60_000;

/** A watch of the namespace `llm` whose triages read a fake cluster; `shows` is what the API server tells. */
async function setUp(scope: Partial<WatchedScope> = {}) {
  const made = someTriages();
  const { triages, store, clock, log, deps, cluster } = made;
  const counts: Record<string, number> = {};
  const meters = {
    count: (name: string, labels: Readonly<Record<string, string>> = {}, by = 1) => {
      const key = labels.result ?? name;
      counts[key] = (counts[key] ?? 0) + by;
    },
    observe: () => {},
    set: () => {},
  };
  const { rights, ids } = deps.investigate;
  const queue = createWorkQueue({ most: 4, waiting: 1000 });
  const intake = createIntake({
    ...{ store, triage: triages, queue, rights, clock, ids, log },
    isShared: async () => false,
  });
  const handlers: WatchHandler[] = [];
  const watch = watchCluster({
    ...{ intake, meters, clock, log, cluster: 'prod', channel: undefined, leaseNamespace: 'oombot', holder: 'a' },
    scopes: [{ namespace: 'llm', selector: undefined, mode: 'on', minSeverity: 'low', ...scope }],
    leases: { claim: async () => ({ kind: 'held' }), release: async () => {} },
    watch: {
      run: (_, handler, signal) => {
        handlers.push(handler);
        return new Promise((end) => signal.addEventListener('abort', () => end()));
      },
    },
  });
  onTestFinished(async () => {
    await watch.stop();
    await queue.stop();
  });
  await turns();
  const shows = async (tell: (handler: WatchHandler) => void) => {
    const handler = handlers.at(-1);
    if (handler !== undefined) tell(handler);
    for (let i = 0; i < 10; i += 1) await turns();
    await triages.settle();
  };
  // Cards, without what hangs in their threads.
  const cards = () => made.chat.posts.filter(({ thread }) => thread === undefined);
  return { ...made, cluster, counts, watch, queue, handlers, shows, cards };
}

const well = aWatchedPod();
const died = (n: number, over: Partial<WatchedPod> = {}): WatchedPod =>
  aWatchedPod({ ended: anEnd({ containerId: `c${n}` }), restarts: n, ready: false, ...over });

describe('a container that dies', () => {
  it('is triaged and posted, and its restarts join within ten minutes', async () => {
    const { shows, counts, cards, cluster } = await setUp();

    await shows((handler) => handler.listed([well]));
    await shows((handler) => handler.changed(died(1)));
    await shows((handler) => handler.changed(died(2)));

    expect(cluster.collected.map(({ pod }) => pod)).toEqual([POD]);
    expect(cards()).toHaveLength(1);
    expect(counts).toEqual({ triaged: 1, joined: 1 });
  });

  it('in a loop is triaged three times in a day, and then once an hour', async () => {
    const { shows, clock, cluster, counts } = await setUp();
    await shows((handler) => handler.listed([well]));

    // Every eleven minutes for five hours and a half.
    for (let n = 1; n <= 30; n += 1) {
      await shows((handler) => handler.changed(died(n)));
      await clock.advance(11 * MINUTE_MS);
    }

    expect(counts).toEqual({ triaged: 7, joined: 23 });
    expect(cluster.collected).toHaveLength(7);
  });

  it('before the watch began counts for ten minutes, and once however often pods are listed', async () => {
    const { shows, counts } = await setUp();
    const long = died(1, {
      uid: 'old',
      containers: [{ name: 'x', restarts: 1, ended: anEnd({ finishedAt: START - 11 * MINUTE_MS }) }],
    });

    await shows((handler) => handler.listed([died(1), long]));
    await shows((handler) => handler.listed([died(1), long]));

    expect(counts).toEqual({ triaged: 1 });
  });

  it('while the watch was cut off counts, however long that took', async () => {
    const { shows, counts, clock } = await setUp();
    await shows((handler) => handler.listed([well]));
    await clock.advance(40 * MINUTE_MS);

    await shows((handler) => handler.listed([died(1)]));

    expect(counts).toEqual({ triaged: 1 });
  });

  it('is taken up again when the store has failed', async () => {
    const { shows, counts, clock, store } = await setUp();
    await shows((handler) => handler.listed([well]));
    store.fail(new OomError('store-failed', 'The disk is full.', { next: 'Free it.' }));
    await shows((handler) => handler.changed(died(1)));
    expect(counts).toEqual({});

    store.fail(undefined);
    await clock.advance(5_000);
    await shows(() => undefined);

    expect(counts).toEqual({ triaged: 1 });
  });

  it('is left to the next leader by one that froze', async () => {
    const { shows, counts, clock, cluster } = await setUp();
    await shows((handler) => handler.listed([well]));

    clock.pass(16_000);
    await shows((handler) => handler.changed(died(1)));

    expect(counts).toEqual({ 'not-leading': 1 });
    expect(cluster.resolved).toEqual([]);
  });
});

describe('a finding that is not to be posted', () => {
  it('is stored quietly below the least severity, and posted once all replicas are down', async () => {
    const { shows, counts, cards, chat, store } = await setUp({ minSeverity: 'critical' });
    const second = aWatchedPod({ uid: 'uid-2', name: POD.replace(/.....$/, 'bcdfg') });
    await shows((handler) => handler.listed([well, second]));

    await shows((handler) => handler.changed(died(1)));

    expect(counts).toEqual({ quiet: 1 });
    expect(chat.posts).toEqual([]);
    expect(chat.whispers).toEqual([]);
    const [incident] = await store.openIncidents();
    expect(await store.findings(incident?.id ?? '')).toHaveLength(1);

    await shows((handler) => handler.changed({ ...died(1), uid: 'uid-2', name: second.name }));

    expect(counts).toEqual({ quiet: 1, triaged: 1 });
    expect(cards()).toHaveLength(1);
    expect(await store.openIncidents()).toHaveLength(1);
  });

  it('does not close its incident like an alert that is resolved', async () => {
    const { shows, store } = await setUp({ mode: 'quiet' });
    await shows((handler) => handler.listed([died(1)]));

    expect(await store.openIncidents()).toHaveLength(1);
    expect(await store.incidentAlerts()).toEqual([]);
    expect(await store.untoldAlerts()).toEqual([]);
  });
});

it('a storm of 200 deaths is one triage and one message for each workload', async () => {
  const { shows, counts, cards, cluster } = await setUp();
  const letters = 'bcdfghjklm';
  const pods = Array.from({ length: 200 }, (_, i) => {
    const end = [...String(i).padStart(5, '0')].map((digit) => letters[Number(digit)]).join('');
    return aWatchedPod({ uid: `uid-${i}`, name: `vllm-server-7d8f6f9c6b-${end}` });
  });
  await shows((handler) => handler.listed(pods));

  await shows((handler) => {
    for (const pod of pods) handler.changed({ ...died(1), uid: pod.uid, name: pod.name });
  });

  expect(counts).toEqual({ triaged: 1, joined: 199 });
  expect(cluster.collected).toHaveLength(1);
  expect(cards()).toHaveLength(1);
});
