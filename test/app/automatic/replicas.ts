import { describe, expect, it, onTestFinished } from 'vitest';
import { createIntake, type Occurrence } from '../../../src/app/automatic/intake.ts';
import type { Clock } from '../../../src/app/ports.ts';
import { createWorkQueue, type WorkQueue } from '../../../src/app/work-queue.ts';
import { createSystemClock } from '../../../src/system/clock.ts';
import { createSystemIds } from '../../../src/system/ids.ts';
import type { DurableStore } from '../../../src/wire/open-store.ts';
import { startResuming } from '../../../src/wire/resume-work.ts';
import { createFakeChat, type FakeChat } from '../../fakes/chat.ts';
import { createFakeClock, type FakeClock } from '../../fakes/clock.ts';
import { aTarget, ROOM, someTriages, textOf } from '../triage/triage-harness.ts';

const WORKLOADS = ['model-a', 'model-b', 'model-c', 'model-d'];
const PODS = WORKLOADS.flatMap((workload) => Array.from({ length: 5 }, (_, i) => `${workload}-${i}`));
const ALERTS = PODS.map((pod) => occurrence(pod, 'alert'));
const GONE_MS = 60_000;
const BEAT_MS = 10_000;

function occurrence(subject: string, kind: 'alert' | 'watch'): Occurrence {
  const place = { cluster: 'prod', namespace: 'llm', subject, fallback: undefined };
  return {
    key: `${kind}/${subject}`,
    name: 'OOMKilled',
    ...place,
    at: 0,
    isOver: kind === 'watch',
    user: `oombot/${kind}`,
  };
}

type World = { readonly chat: FakeChat; readonly clock: FakeClock };

/** One replica: an intake with its own triages, on a store that others use too. `die` ends it without a word. */
function aReplica(store: DurableStore, { chat, clock }: World) {
  const made = someTriages({ store, chat, clock, ids: createSystemIds() });
  made.cluster.resolving = ({ pod }) => {
    const workload = `StatefulSet/${pod.replace(/-\d$/, '')}`;
    return { kind: 'found', target: aTarget({ pod, uid: pod, workload }) };
  };
  const working = createWorkQueue({ most: 4, waiting: 1000 });
  let isDead = false;
  const queue: Pick<WorkQueue, 'add'> = { add: (work) => isDead || working.add(work) };
  const { log, triages, deps, rights } = made;
  const { ids } = deps.investigate;
  const isShared = async () => false;
  const intake = createIntake({ store, triage: triages, queue, rights, clock, log, ids, isShared });
  // Commands are of no concern here: nothing that is kept asks for any.
  const rest = { commands: {} as never, commandName: '/oom', isShared, openedMs: clock.monotonic() };
  const resuming = startResuming({ ...{ store, chat, clock, log, triages, queue, outbox: deps.outbox }, ...rest });
  onTestFinished(() => resuming.stop());
  const die = async () => {
    isDead = true;
    await resuming.stop();
  };
  return { ...made, intake, queue, die };
}

const roots = ({ posts }: FakeChat) =>
  posts.filter(({ thread, ref }) => thread === undefined && ref.conversation === ROOM);
const cardsOf = (chat: FakeChat, workload: string) =>
  roots(chat).filter(({ message }) => textOf(message).includes(`${workload}-`));

/** What the stores go by: they really wait for each other, while time itself is that of the test. */
export function storeClock(clock: FakeClock): Clock {
  return { ...createSystemClock(), now: clock.now, monotonic: clock.monotonic };
}

/** Two stores on one new database, whose time is that of `clock`, and a way to change its rows. */
export type OpenTwo = (
  clock: FakeClock,
) => Promise<readonly [DurableStore, DurableStore, (sql: string) => Promise<void>]>;

/** What holds for replicas on one store. */
export function replicasContract(name: string, open: OpenTwo) {
  async function twoReplicas() {
    const world = { chat: createFakeChat(), clock: createFakeClock() };
    const { clock } = world;
    const [one, two, query] = await open(clock);
    const stores = [one, two] as const;
    const first = aReplica(stores[0], world);
    const second = aReplica(stores[1], world);
    let alive = 2;
    const beaten = () => expect.poll(() => clock.sleeping, { interval: 5 }).toBe(alive);
    await beaten();
    const settled = () =>
      expect.poll(() => stores[0].unfinishedTriages(), { interval: 5, timeout: 10_000 }).toEqual([]);
    const die = async () => {
      await first.die();
      alive = 1;
    };
    // Beat by beat: time must not run away from what really waits for a database.
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += BEAT_MS) {
        await clock.advance(BEAT_MS);
        await beaten();
      }
    };
    return { ...world, first, second, settled, stores, die, pass, query };
  }

  describe(`two replicas on ${name}`, () => {
    it.each<[string, 'alert' | 'watch']>([
      ['get the same 20 alerts', 'alert'],
      ['both believe that they lead the watch, and see 20 deaths', 'watch'],
    ])('that %s at once make one triage, card and incident of each workload', async (_, kind) => {
      const { first, second, settled, chat, stores } = await twoReplicas();
      const seen = PODS.map((pod) => occurrence(pod, kind));

      const taken = await Promise.all([
        first.intake.take(seen, `oombot/${kind}`),
        second.intake.take(seen.toReversed(), `oombot/${kind}`),
      ]);
      await settled();

      const counts = Object.groupBy(taken.flat(), (one) => one);
      expect([counts.triaged?.length, counts.joined?.length, counts.replayed?.length]).toEqual([4, 16, 20]);
      expect([...first.cluster.collected, ...second.cluster.collected]).toHaveLength(4);
      expect(WORKLOADS.map((workload) => cardsOf(chat, workload).length)).toEqual([1, 1, 1, 1]);
      expect(roots(chat)).toHaveLength(4);
      expect(await stores[0].openIncidents()).toHaveLength(4);
    });

    it('of which one gets the alerts and the other sees the deaths make one card of each workload', async () => {
      const { first, second, settled, chat } = await twoReplicas();
      const deaths = PODS.toReversed().map((pod) => occurrence(pod, 'watch'));

      await Promise.all([first.intake.take(ALERTS, 'oombot/alert'), second.intake.take(deaths, 'oombot/watch')]);
      await settled();

      expect(roots(chat)).toHaveLength(4);
    });

    it('lose nothing when the one that took the alerts dies before it begins', async () => {
      const { first, second, settled, chat, die, pass } = await twoReplicas();
      await die();
      const taken = await first.intake.take(ALERTS, 'oombot/alert');
      expect(taken.filter((one) => one === 'triaged')).toHaveLength(4);
      expect(await second.intake.take(ALERTS, 'oombot/alert')).toEqual(ALERTS.map(() => 'replayed'));

      await pass(GONE_MS + BEAT_MS);
      await settled();

      expect(first.cluster.collected).toEqual([]);
      expect(WORKLOADS.map((workload) => cardsOf(chat, workload).length)).toEqual([1, 1, 1, 1]);
      expect(roots(chat)).toHaveLength(4);
    });

    it('leave what a release that named no holder is at, until no work of it can still go on', async () => {
      const { first, second, settled, chat, die, pass, query, clock, stores } = await twoReplicas();
      await die();
      await first.intake.take(ALERTS, 'oombot/alert');
      const asked = { use: 'command' } as const;
      const kept = { id: 'req_old', at: clock.now(), asked, text: '', user: 'U_ONCALL', channel: ROOM };
      await stores[0].keepRequest({ ...kept, externallyShared: false, clicked: null, isCut: true, isRetried: false });
      for (const table of ['triage', 'request']) await query(`update ${table} set holder = ''`);

      await pass(14 * 60_000);
      expect(second.cluster.resolved).toEqual([]);
      expect(chat.whispers).toEqual([]);
      await pass(2 * 60_000);
      await settled();

      expect(second.cluster.collected).toHaveLength(4);
      expect(chat.whispers).toHaveLength(1);
      expect(roots(chat)).toHaveLength(4);
    });

    it('leave each other alone, however long a triage of the other takes', async () => {
      const { first, second, settled, chat, pass } = await twoReplicas();
      const slow = Promise.withResolvers<void>();
      for (let i = 0; i < 4; i += 1) first.queue.add({ group: 'prod', run: () => slow.promise });
      await first.intake.take(ALERTS, 'oombot/alert');

      await pass(3 * GONE_MS);
      expect(second.cluster.resolved).toEqual([]);
      slow.resolve();
      await settled();

      expect(roots(chat)).toHaveLength(4);
    });
  });
}
