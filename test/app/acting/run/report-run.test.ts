import { describe, expect, it } from 'vitest';
import { createRunReporter } from '../../../../src/app/acting/run/report-run.ts';
import { createOutbox } from '../../../../src/app/outbox.ts';
import type { OutboxStore } from '../../../../src/app/outbox-ports.ts';
import type { CheckResult } from '../../../../src/model/plan.ts';
import { createFakeChat } from '../../../fakes/chat.ts';
import { createFakeIds } from '../../../fakes/ids.ts';
import { createFakeLog } from '../../../fakes/log.ts';
import { storePlace } from '../../../fakes/place-message.ts';
import { openBench } from '../bench.ts';

const checked = (answer: CheckResult['answer']): CheckResult[] => [
  { check: 'rollout', answer: 'yes', says: 'x' },
  { check: 'restarts', answer: 'yes', says: 'x' },
  { check: 'oom-signature', answer, says: 'x' },
];

async function ended(answer: CheckResult['answer'], isShown = true) {
  const shown: string[] = [];
  const bench = await openBench({ deps: { afterRun: async (incident) => void shown.push(incident) } });
  const { id, incidentId, planId } = await bench.run();
  const chat = createFakeChat();
  const { store, clock } = bench;
  const killed = { isUnplaced: false };
  const log = createFakeLog();
  const keeping: OutboxStore = {
    ...store,
    placeMessage: async (...given) => {
      if (killed.isUnplaced) throw new Error('killed');
      return store.placeMessage(...given);
    },
  };
  const outbox = createOutbox({ store: keeping, chat, clock, ids: createFakeIds(), log });
  const posted = await chat.post('C_LLM', { summary: 'plan', blocks: [] });
  if (posted.kind !== 'posted') throw new Error('no card');
  if (isShown) await storePlace(store, incidentId, `plan/${planId}`, posted.ref);
  await bench.store.saveChecks(id, checked(answer), 1);
  const reportRun = createRunReporter({ acts: store, store, chat, outbox, log });
  return { ...bench, shown, killed, id, planId, report: () => reportRun(id), chat };
}

describe('the report of a run that is done', () => {
  it.each([
    ['yes', 'ok', /^Done: restarted vllm-server/],
    ['could-not-tell', 'warn', /^Applied, not verified: restarted/],
  ] as const)('whose check of new memory failures says %s is marked %s', async (answer, mark, words) => {
    const { ask, report, chat, store, run, shown } = await ended(answer);

    await ask('report', undefined, { ahead: { why: 'done', says: '', reached: 8 }, back: null });
    await report();

    const { incidentId } = await run();
    expect(await store.incident(incidentId)).toMatchObject({ state: answer === 'yes' ? 'closed' : 'open' });
    expect(shown).toEqual([incidentId]);
    const last = chat.posts.at(-1)?.message;
    expect(last?.summary).toMatch(words);
    expect(last?.blocks[0]).toMatchObject({ mark });
  });

  it('does not wait until the incident is shown, which takes longer than an act may', async () => {
    const bench = await openBench({ deps: { afterRun: () => new Promise(() => {}) } });

    const answer = bench.ask('report', undefined, { ahead: { why: 'done', says: '', reached: 8 }, back: null });

    expect(await answer).toEqual({ kind: 'ok', says: '' });
  });

  it('is posted once, though a flow that lost its lease asks again while it is under way', async () => {
    const { report, chat } = await ended('yes');
    const before = chat.posts.length;

    await Promise.all([report(), report()]);
    await report();

    expect(chat.posts).toHaveLength(before + 1);
  });

  it('is posted once, though Slack was away when the run ended and nobody asks again', async () => {
    const { report, chat, clock, run, store } = await ended('yes');
    const before = chat.posts.length;
    chat.isAway = true;

    await report();
    expect(chat.posts).toHaveLength(before);
    chat.isAway = false;
    await clock.advance(10_000);
    await expect.poll(() => store.unsentMessages()).toEqual([]);
    await report();

    expect(chat.posts).toHaveLength(before + 1);
    const { id, state, incidentId } = await run();
    expect(await store.messages(incidentId, `report/${id}/${state}/C_LLM`)).toEqual([chat.posts.at(-1)?.ref]);
  });

  it('shows on the card how the run ended, though Slack was away when it did', async () => {
    const { ask, report, chat, clock, store, id } = await ended('yes');
    await ask('report', undefined, { ahead: { why: 'done', says: '', reached: 8 }, back: null });
    chat.isAway = true;

    await report();
    chat.isAway = false;
    await clock.advance(10_000);
    await expect.poll(() => store.unsentMessages()).toEqual([]);

    const [card] = chat.posts;
    expect(card?.message.summary).toMatch(/^Done/);
    expect(card?.message.choices).toContainEqual(expect.objectContaining({ asks: 'roll-back', value: id }));
  });

  it('is posted once, though its place could not be stored', async () => {
    const { report, chat, killed } = await ended('yes');
    const before = chat.posts.length;
    killed.isUnplaced = true;

    await report();
    await report();

    expect(chat.posts).toHaveLength(before + 1);
  });

  it('goes to the person who started the run where its card cannot be posted', async () => {
    const { report, chat, run, store } = await ended('yes', false);
    const { startedBy, incidentId } = await run();
    await storePlace(store, incidentId, 'card', { conversation: 'C_ARCHIVED', ts: '9.9' });
    chat.refuse('C_ARCHIVED', 'is_archived');

    await report();

    await expect.poll(() => chat.posts.at(-1)).toMatchObject({ ref: { conversation: startedBy }, thread: undefined });
  });

  it('is told where nothing is known of the card of its plan, with a card of its own', async () => {
    const { ask, report, chat, store, planId, id } = await ended('yes', false);

    await ask('report', undefined, { ahead: { why: 'done', says: '', reached: 8 }, back: null });
    await report();

    const { incidentId = '', startedBy } = (await store.run(id)) ?? {};
    const [ref] = await store.messages(incidentId, `plan/${planId}`);
    const card = chat.posts.find((post) => post.ref.ts === ref?.ts);
    expect(card?.message.choices?.map(({ asks, value }) => [asks, value])).toContainEqual(['roll-back', id]);
    expect(card?.ref.conversation).toBe(startedBy);
    expect(chat.posts.at(-1)?.thread).toEqual(ref);
  });
});
