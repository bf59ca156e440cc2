import { describe, expect, it } from 'vitest';
import { resumeTriages } from '../../../src/app/triage/resume-triages.ts';
import { createWorkQueue } from '../../../src/app/work-queue.ts';
import { type MessageRef, RETRIED, type TriageRun } from '../../../src/model/incident.ts';
import { START } from '../../fakes/clock.ts';
import { exampleTriageRun } from '../../model/examples.ts';
import { OOM_LINE, POD, ROOM, someTriages, textOf, turns } from './triage-harness.ts';

const MINUTE = 60_000;

/** A store with a run that was cut off, its progress card in the channel. */
async function afterRestart(over: Partial<TriageRun> = {}, placed = true) {
  const made = someTriages();
  const queue = createWorkQueue({ most: 1, waiting: 9 });
  const posted = await made.chat.post(ROOM, { summary: 'Reading.', blocks: [] });
  const ref: MessageRef = posted.kind === 'posted' ? posted.ref : { conversation: '', ts: '' };
  const run = { ...exampleTriageRun, query: POD, cluster: null, startedAt: START - MINUTE, ...over };
  await made.store.startTriage(run);
  if (placed) await made.store.placeTriage(run.id, ref);
  const resume = async () => {
    const counts = await resumeTriages({ ...made, queue, commandName: '/oom' });
    await made.triages.settle();
    return counts;
  };
  return { ...made, queue, ref, resume };
}

describe('a triage that a restart cut off', () => {
  it('is done again when it is young, and its card says so', async () => {
    const { resume, chat, ref, store } = await afterRestart();

    const counts = await resume();

    expect(counts).toEqual({ again: 1, closed: 0 });
    expect(textOf(chat.posts.find((post) => post.ref.ts === ref.ts)?.message)).toContain('runs again below');
    expect(textOf(chat.posts[1]?.message)).toContain('gpu.startup.graph-capture');
    expect(await store.unfinishedTriages()).toEqual([]);
  });

  it.each([
    ['older than ten minutes', { startedAt: START - 10 * MINUTE }],
    ['cut off for the second time', { outcome: RETRIED }],
    ['of words that are understood no more', { query: '???' }],
  ])('is closed with words when it is %s', async (_name, over) => {
    const { resume, chat, cluster, store } = await afterRestart(over);

    const counts = await resume();

    expect(counts).toEqual({ again: 0, closed: 1 });
    expect(cluster.resolved).toEqual([]);
    expect(textOf(chat.posts[0]?.message)).toContain('did not finish');
    expect(await store.unfinishedTriages()).toEqual([]);
  });

  it('before anything stood in the channel is closed in words for the asker', async () => {
    const { resume, chat, deps } = await afterRestart({ startedAt: START - 20 * MINUTE }, false);

    await resume();

    // The reply address of the command has not survived: the answer goes the other way.
    expect(chat.whispers.map(({ asker }) => [asker.user, asker.responseUrl])).toEqual([['U_ONCALL', undefined]]);
    expect(textOf(chat.whispers[0]?.message)).toContain(`${deps.commandName} triage`);
  });

  it('is closed the next time, when the one done again is cut off too', async () => {
    const { resume, store, cluster } = await afterRestart();
    let begun = '';
    cluster.collecting = async () => {
      begun = (await store.unfinishedTriages())[0]?.outcome ?? '';
    };

    await resume();

    expect(begun).toBe(RETRIED);
  });

  it('shows no more than before where another organisation reads along', async () => {
    const { resume, chat } = await afterRestart({ externallyShared: true });

    await resume();

    expect(textOf(...chat.posts.map(({ message }) => message))).toContain('gpu.startup.graph-capture');
    expect(textOf(...chat.posts.map(({ message }) => message))).not.toContain(OOM_LINE);
    expect(chat.files).toEqual([]);
  });

  it('is asked of the same cluster again, where only the cluster was named', async () => {
    const { resume, cluster } = await afterRestart({ query: `${POD} vllm --context prod`, cluster: 'prod' });

    await resume();

    expect(cluster.resolved).toEqual([{ cluster: 'prod', namespace: undefined, pod: POD, container: 'vllm' }]);
  });

  it('that an alert started is done again however old it is: nobody was told yet', async () => {
    const { resume, chat } = await afterRestart({ asker: 'oombot/alert', startedAt: START - 300 * MINUTE }, false);

    expect(await resume()).toEqual({ again: 1, closed: 0 });

    await expect.poll(() => textOf(...chat.posts.map(({ message }) => message))).toContain('gpu.startup.graph-capture');
  });

  it.each([
    ['an alert', 'oombot/alert', 'did not finish'],
    ['a quiet watch', 'oombot/quiet-watch', undefined],
  ])('twice, and that %s started, is told to its channel: %s, %s', async (_, asker, says) => {
    const { resume, chat, store } = await afterRestart({ asker, outcome: RETRIED }, false);
    const before = chat.posts.length;

    expect(await resume()).toEqual({ again: 0, closed: 1 });

    const told = chat.posts.slice(before).map(({ message }) => textOf(message));
    expect(told).toEqual(says === undefined ? [] : [expect.stringContaining(says)]);
    expect(await store.unfinishedTriages()).toEqual([]);
  });

  it('waits its turn when nobody typed it, and is not cut off twice by waiting', async () => {
    const { resume, store, cluster, queue, chat } = await afterRestart({ asker: 'oombot/alert' }, false);
    const quiet = { id: 'tri_quiet', asker: 'oombot/quiet-watch', query: 'other-0', conversation: ROOM };
    await store.startTriage({ ...exampleTriageRun, ...quiet, cluster: null, startedAt: START });
    const gate = Promise.withResolvers<void>();
    cluster.collecting = () => gate.promise;

    const counts = resume();
    await turns();

    expect(cluster.resolved).toHaveLength(1);
    const waiting = (await store.unfinishedTriages()).map(({ id, outcome }) => [id, outcome]);
    expect(waiting).toContainEqual(['tri_quiet', null]);
    const posts = chat.posts.length;
    gate.resolve();
    expect(await counts).toEqual({ again: 2, closed: 0 });
    await expect.poll(() => store.unfinishedTriages()).toEqual([]);
    // The quiet one stays quiet.
    expect(JSON.stringify(chat.posts)).not.toContain('other-0');
    expect(posts).toBeGreaterThan(0);
    await queue.stop();
  });

  it('does not keep the others waiting when it cannot be closed', async () => {
    const { store, triages, clock, log, chat, queue, resume, ...rest } = await afterRestart();
    await store.startTriage({ ...exampleTriageRun, id: 'tri_other', query: POD, cluster: null, startedAt: START });
    const failing = {
      ...store,
      retryTriage: (id: string) =>
        id === 'tri_other' ? store.retryTriage(id) : Promise.reject(new Error('disk full')),
    };

    const counts = await resumeTriages({
      ...rest,
      store: failing,
      triages,
      clock,
      log,
      chat,
      queue,
      commandName: '/oom',
    });
    await triages.settle();

    expect(counts).toEqual({ again: 1, closed: 0 });
    expect(log.text()).toContain('interrupted triage not resumed');
  });
});
