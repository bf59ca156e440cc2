import { describe, expect, it } from 'vitest';
import { createIntake } from '../../../src/app/automatic/intake.ts';
import { takeAlerts } from '../../../src/app/automatic/take-alerts.ts';
import { tellResolved } from '../../../src/app/automatic/tell-resolved.ts';
import { createWorkQueue } from '../../../src/app/work-queue.ts';
import type { Alert } from '../../../src/model/alert.ts';
import { OomError } from '../../../src/model/errors.ts';
import { POD, ROOM, someTriages, textOf } from '../triage/triage-harness.ts';

const MINUTE_MS = 60_000;

function anAlert(over: Partial<Alert> = {}): Alert {
  const labels = { cluster: 'prod', namespace: 'llm', pod: POD };
  return { key: 'f1/2026', name: 'LLMContainerOOMKilled', status: 'firing', labels, startsAt: 0, ...over };
}

/** An intake whose triages read a fake cluster. */
function setUp() {
  const made = someTriages();
  const { triages, store, clock, log, deps } = made;
  const counts: Record<string, number> = {};
  const meters = {
    count: (_: string, labels: Readonly<Record<string, string>> = {}, by = 1) => {
      counts[labels.result ?? ''] = (counts[labels.result ?? ''] ?? 0) + by;
    },
    observe: () => {},
    set: () => {},
  };
  const { rights, ids } = deps.investigate;
  const queue = createWorkQueue({ most: 4, waiting: 100 });
  const intake = createIntake({
    ...{ store, triage: triages, queue, rights, clock, ids, log },
    isShared: async () => false,
  });
  const rest = { clusters: ['prod'], defaultCluster: 'prod', channel: undefined };
  const accept = (...alerts: Alert[]) => takeAlerts({ intake, store, meters, clock, log, ...rest }, alerts);
  const tell = () => tellResolved({ store, outbox: deps.outbox, clock, log });
  const take = async (...alerts: Alert[]) => {
    await accept(...alerts);
    await triages.settle();
  };
  return { ...made, counts, take, accept, tell, intake, queue };
}

describe('alerts of one workload', () => {
  it('are one triage within ten minutes, and another one after', async () => {
    const { take, cluster, clock, store, counts } = setUp();
    const sibling = { cluster: 'prod', namespace: 'llm', pod: POD.replace(/.....$/, 'bcdfg') };

    await take(anAlert(), anAlert({ key: 'f2/2026', name: 'LLMCrashLooping' }));
    await clock.advance(9 * MINUTE_MS);
    await take(anAlert({ key: 'f3/2026', labels: sibling }));
    expect(cluster.collected).toHaveLength(1);
    await clock.advance(2 * MINUTE_MS);
    await take(anAlert({ key: 'f4/2026', labels: sibling }));

    expect(cluster.collected).toHaveLength(2);
    expect(counts).toEqual({ triaged: 2, joined: 2 });
    expect(await store.openIncidents()).toHaveLength(1);
  });

  it('are taken up when they are sent again after the store has failed', async () => {
    const { take, store, cluster, counts } = setUp();
    store.fail(new OomError('store-failed', 'The disk is full.', { next: 'Free it.' }));
    await expect(take(anAlert())).rejects.toThrow('The disk is full.');

    store.fail(undefined);
    await take(anAlert());

    expect(cluster.collected).toHaveLength(1);
    expect(counts).toEqual({ triaged: 1 });
  });

  it('are triaged when they are sent again, though nobody was told that the store had taken them', async () => {
    const { deps, store, triages, queue, clock, log, rights, cluster } = setUp();
    let isAway = true;
    const away: typeof store = {
      ...store,
      async takeAlerts(...given) {
        const answers = await store.takeAlerts(...given);
        if (isAway) throw new OomError('store-failed', 'Unknown whether the change was kept.', { next: '' });
        return answers;
      },
    };
    const { ids } = deps.investigate;
    const isShared = async () => false;
    const intake = createIntake({ store: away, triage: triages, queue, rights, clock, log, ids, isShared });
    const place = { cluster: 'prod', namespace: 'llm', subject: POD, fallback: undefined } as const;
    const one = { key: 'f1', name: 'OOMKilled', ...place, at: 0, isOver: false, user: 'oombot/alert' } as const;
    await expect(intake.take([one], 'oombot/alert')).rejects.toThrow('Unknown');

    isAway = false;
    expect(await intake.take([one], 'oombot/alert')).toEqual(['replayed']);
    await intake.take([one], 'oombot/alert');
    await triages.settle();

    expect(cluster.collected).toHaveLength(1);
    expect(await store.unfinishedTriages()).toEqual([]);
  });

  it('of one delivery have their silences and channels looked up once', async () => {
    const { store, deps, triages, queue, clock, log, rights } = setUp();
    const asked: string[] = [];
    const counting = {
      ...store,
      silences: (at: number) => {
        asked.push('silences');
        return store.silences(at);
      },
    };
    const isShared = async (channel: string) => {
      asked.push(channel);
      return false;
    };
    const { ids } = deps.investigate;
    const intake = createIntake({ store: counting, triage: triages, queue, rights, clock, log, ids, isShared });
    const place = { cluster: 'prod', namespace: 'llm', at: 0, isOver: false, fallback: undefined };
    const pods = Array.from({ length: 20 }, (_, i) => ({ ...place, key: `f${i}`, name: 'a', subject: `model-${i}-0` }));

    await intake.take(
      pods.map((pod) => ({ ...pod, user: 'oombot/alert' })),
      'oombot/alert',
    );
    await triages.settle();

    expect(asked).toEqual(['silences', ROOM]);
  });

  it('that were stored and not begun are triaged at the next start', async () => {
    const { accept, queue, store } = setUp();
    const many = Array.from({ length: 9 }, (_, i) =>
      anAlert({ key: `f${i}`, labels: { namespace: 'llm', pod: `model-${'abcdefghi'[i]}-0` } }),
    );

    const busy = Promise.withResolvers<void>();
    for (let i = 0; i < 4; i += 1) queue.add({ group: 'prod', run: () => busy.promise });

    await accept(...many);

    expect(await store.unfinishedTriages()).toHaveLength(9);
    const stopped = queue.stop();
    busy.resolve();
    await stopped;
    expect(await store.unfinishedTriages()).toHaveLength(9);
  });
});

describe('alerts that are resolved', () => {
  const notes = ({ chat }: ReturnType<typeof setUp>) =>
    chat.posts.filter(({ thread, message }) => thread !== undefined && /resolved/.test(textOf(message)));

  it('are noted once in the thread of their incident, all together', async () => {
    const made = setUp();
    const { take, tell } = made;
    await take(anAlert(), anAlert({ key: 'f2/2026', name: 'LLMCrashLooping' }), anAlert({ key: 'f3/2026' }));

    await take(anAlert({ status: 'resolved' }), anAlert({ key: 'f2/2026', status: 'resolved' }));
    await Promise.all([tell(), tell()]);
    await tell();

    expect(notes(made).map(({ message }) => textOf(message))).toEqual([
      expect.stringMatching(
        /2 alerts are resolved: LLMContainerOOMKilled, LLMCrashLooping[\s\S]*1 alert of this incident is still firing/,
      ),
    ]);
    expect(notes(made)[0]?.thread?.conversation).toBe(ROOM);

    await take(anAlert({ key: 'f3/2026', status: 'resolved' }));
    await tell();

    expect(textOf(notes(made)[1]?.message ?? { summary: '', blocks: [] })).toMatch(
      /No alert of this incident is firing/,
    );
  });

  it('count once, however often they are sent', async () => {
    const { take, counts } = setUp();
    await take(anAlert());

    await take(anAlert({ status: 'resolved' }));
    await take(anAlert({ status: 'resolved' }));

    expect(counts).toEqual({ triaged: 1, resolved: 1, 'not-firing': 1 });
  });
});
