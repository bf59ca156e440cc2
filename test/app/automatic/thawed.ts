import { describe, expect, it } from 'vitest';
import { answerWhatIsHeld, createRequestKeeper } from '../../../src/app/chat/kept-requests.ts';
import { createOutbox } from '../../../src/app/outbox.ts';
import { resumeTriages } from '../../../src/app/triage/resume-triages.ts';
import type { TriageRun } from '../../../src/model/incident.ts';
import { createSystemIds } from '../../../src/system/ids.ts';
import type { DurableStore } from '../../../src/wire/open-store.ts';
import { createFakeChat, type FakeChat } from '../../fakes/chat.ts';
import { createFakeClock } from '../../fakes/clock.ts';
import { anAsker, aRequest, POD, ROOM, someTriages, textOf } from '../triage/triage-harness.ts';
import type { OpenTwo } from './replicas.ts';

const HEADLINE = 'The cause is gpu.startup.graph-capture';
const EVERYONE = Number.MAX_SAFE_INTEGER;

/** The same store; `meanwhile` passes once after a call of `method` is through and before its caller goes on. */
export function frozenAfter(
  store: DurableStore,
  method: keyof DurableStore,
  meanwhile: () => Promise<void>,
): DurableStore {
  const call = store[method] as (...given: unknown[]) => Promise<unknown>;
  let isOver = false;
  return {
    ...store,
    async [method](...given: unknown[]) {
      const answer = await call(...given);
      if (!isOver) {
        isOver = true;
        await meanwhile();
      }
      return answer;
    },
  };
}

const shown = ({ posts }: FakeChat) =>
  posts.filter(({ thread, message }) => thread === undefined && textOf(message).includes(HEADLINE));

/** What holds for a process that was frozen for so long that another one took its work over. */
export function thawedContract(name: string, open: OpenTwo) {
  async function twoReplicas(freezesAfter?: keyof DurableStore) {
    const chat = createFakeChat();
    const clock = createFakeClock();
    const world = { chat, clock, ids: createSystemIds() };
    const [mine, theirs] = await open(clock);
    const second = someTriages({ ...world, store: theirs });
    const takeOver = async () => {
      const { messages, triages } = await theirs.takeOver(EVERYONE, EVERYONE);
      await second.deps.outbox.resume(messages);
      const queue = { add: ({ run }: { run: () => Promise<void> }) => void run() === undefined };
      await resumeTriages({ ...world, ...second, store: theirs, queue, commandName: '/oom' }, triages);
      await second.triages.settle();
    };
    const store = freezesAfter === undefined ? mine : frozenAfter(mine, freezesAfter, takeOver);
    const first = someTriages({ ...world, store });
    return { ...world, first, second, takeOver, mine, theirs };
  }

  describe(`a process on ${name} that thaws after another took its work over`, () => {
    // The log alone does not say that two looks are at one death.
    it.each<[string, keyof DurableStore | undefined, boolean]>([
      ['while it reads the cluster', undefined, false],
      ['before it begins', 'startTriage', false],
      ['behind the finding that it stored', 'recordFindingOf', true],
      ['behind the card that it stored', 'queueMessage', true],
    ])('shows the finding once: frozen %s', async (_, method, isRecorded) => {
      const { first, takeOver, chat, theirs, mine } = await twoReplicas(method);
      if (method === undefined) first.cluster.collecting = takeOver;

      await first.triages.ask(aRequest(POD));

      expect(shown(chat)).toHaveLength(1);
      expect(textOf(...chat.posts.map(({ message }) => message))).not.toMatch(/Reading|running/);
      const incidents = await theirs.openIncidents();
      expect(incidents.map(({ seen }) => seen)).toEqual([isRecorded ? 2 : 1]);
      const files = chat.files.map((file) => file.name);
      expect(files).toEqual([...new Set(files)]);
      expect(await mine.unfinishedTriages()).toEqual([]);
      expect(await mine.unsentMessages()).toEqual([]);
    });

    it('leaves the end of the triage to the one that has it', async () => {
      const { first, second, chat, theirs, mine } = await twoReplicas();
      const slow = Promise.withResolvers<void>();
      second.cluster.collecting = () => slow.promise;
      first.cluster.collecting = async () => {
        const { triages } = await theirs.takeOver(EVERYONE, EVERYONE);
        await resumeTriages(
          { ...second, chat, store: theirs, queue: { add: () => true }, commandName: '/oom' },
          triages,
        );
      };

      await first.triages.ask(aRequest(POD));
      expect(await mine.unfinishedTriages()).toHaveLength(1);
      slow.resolve();
      await second.triages.settle();

      expect(await mine.unfinishedTriages()).toEqual([]);
      expect(shown(chat)).toHaveLength(1);
    });

    it.each<[string, (first: ReturnType<typeof someTriages>) => void]>([
      [
        'that there is no such pod',
        ({ cluster }) => (cluster.resolving = () => ({ kind: 'not-found', near: [] }) as never),
      ],
      ['that the cluster fails', ({ cluster }) => (cluster.resolving = () => Promise.reject(new Error('reset')))],
    ])('tells the asker once %s', async (_, fail) => {
      const { first, second, takeOver, chat } = await twoReplicas();
      fail(first);
      fail(second);
      const { resolving } = first.cluster;
      first.cluster.resolving = async (...given) => {
        await takeOver();
        return resolving(...given);
      };

      await first.triages.ask(aRequest(POD));

      expect(chat.whispers).toHaveLength(1);
    });

    it('answers no request that the other one answers, and leaves it to that one', async () => {
      const { chat, clock, ids, first, mine, theirs } = await twoReplicas();
      const deps = { clock, ids, log: first.log, redact: (text: string) => text };
      const keeper = createRequestKeeper({ ...deps, store: mine });
      const asker = anAsker();
      const request = { text: 'status', asker, channel: ROOM, externallyShared: false };
      const kept = await keeper.keep({ use: 'command' }, request);
      const message = { summary: 'No open incidents.', blocks: [] };

      await theirs.takeOver(EVERYONE, EVERYONE);
      await answerWhatIsHeld(chat, { ...deps, store: mine }).whisper({ ...asker, kept }, message);
      await keeper.release(kept ?? '');
      expect(await mine.startTriage(RUN, kept)).toBe(false);
      expect(chat.whispers).toEqual([]);
      await answerWhatIsHeld(chat, { ...deps, store: theirs }).whisper({ ...asker, kept }, message);

      expect(chat.whispers).toHaveLength(1);
      expect(await mine.unfinishedTriages()).toEqual([]);

      await theirs.releaseRequest(kept ?? '');
      await answerWhatIsHeld(chat, { ...deps, store: mine }).whisper({ ...asker, kept }, message);
      expect(chat.whispers).toHaveLength(1);
    });

    it.each<[string, (store: DurableStore, kept: string) => Promise<unknown>]>([
      ['the request', (store, kept) => store.releaseRequest(kept)],
      ['the request with its triage', (store, kept) => store.startTriage(RUN, kept)],
    ])('still tells a fault after it has itself released %s', async (_, release) => {
      const { chat, clock, ids, first, mine } = await twoReplicas();
      const deps = { clock, ids, log: first.log, redact: (text: string) => text };
      const asker = anAsker();
      const request = { text: 'status', asker, channel: ROOM, externallyShared: false };
      const kept = await createRequestKeeper({ ...deps, store: mine }).keep({ use: 'command' }, request);

      await release(mine, kept ?? '');
      const message = { summary: 'Failed.', blocks: [] };
      await answerWhatIsHeld(chat, { ...deps, store: mine }).whisper({ ...asker, kept }, message);

      expect(chat.whispers).toHaveLength(1);
    });

    it('loses nothing while it is alive, though the clock is set back between the beat of another and its look', async () => {
      const { clock, mine, theirs } = await twoReplicas();
      await mine.startTriage({ ...RUN, startedAt: clock.now() });
      await mine.beat();
      const now = await theirs.beat();
      clock.set(clock.now() - 3_600_000);

      expect((await theirs.takeOver(now - 60_000)).triages.size).toBe(0);
      expect(await mine.holdsTriage(RUN.id)).toBe(true);
    });

    it('sends no message that the other one has sent', async () => {
      const { chat, clock, first, mine, theirs, second, ids } = await twoReplicas();
      await first.triages.ask(aRequest(POD));
      const [incident] = await mine.openIncidents();
      const frozen = frozenAfter(mine, 'queueMessage', async () => {
        const { messages } = await theirs.takeOver(EVERYONE, EVERYONE);
        await second.deps.outbox.resume(messages);
        await expect.poll(() => theirs.unsentMessages()).toEqual([]);
      });
      const outbox = createOutbox({ store: frozen, chat, clock, ids, log: first.log });
      const message = { summary: 'Still waiting.', blocks: [] };

      await outbox.send({ incidentId: incident?.id, kind: 'remind/plan_1', conversation: ROOM, message });

      expect(chat.posts.filter(({ history }) => textOf(history[0]).includes('Still waiting.'))).toHaveLength(1);
    });
  });
}

const RUN: TriageRun = {
  ...{ id: 'tri_late', incidentId: null, query: POD, cluster: null, asker: 'U_ONCALL', externallyShared: false },
  ...{ conversation: ROOM, ts: null, state: 'running', outcome: null, startedAt: 0, endedAt: null },
};
