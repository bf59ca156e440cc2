import { describe, expect, it } from 'vitest';
import { createRunReporter, type ReportRunDeps } from '../../../../src/app/acting/run/report-run.ts';
import type { MessageRef } from '../../../../src/model/incident.ts';
import type { CheckResult } from '../../../../src/model/plan.ts';
import { createFakeChat } from '../../../fakes/chat.ts';
import { openBench } from '../bench.ts';

const checked = (answer: CheckResult['answer']): CheckResult[] => [
  { check: 'rollout', answer: 'yes', says: 'x' },
  { check: 'restarts', answer: 'yes', says: 'x' },
  { check: 'oom-signature', answer, says: 'x' },
];

async function ended(answer: CheckResult['answer']) {
  const bench = await openBench();
  const { id, incidentId, planId } = await bench.run();
  const chat = createFakeChat();
  const kept = new Map<string, MessageRef[]>();
  const store: ReportRunDeps['store'] = {
    messages: async (incident, role) => kept.get(`${incident} ${role}`) ?? [],
    saveMessage: async (incident, role, ref) => {
      kept.set(`${incident} ${role}`, [ref]);
    },
  };
  const posted = await chat.post('C_LLM', { summary: 'plan', blocks: [] });
  if (posted.kind !== 'posted') throw new Error('no card');
  await store.saveMessage(incidentId, `plan/${planId}`, posted.ref);
  await bench.store.saveChecks(id, checked(answer), 1);
  const reportRun = createRunReporter({ acts: bench.store, store, chat, clock: bench.clock });
  return { ...bench, id, report: () => reportRun(id), chat };
}

describe('the report of a run that is done', () => {
  it.each([
    ['yes', 'ok', /All steps are done/],
    ['could-not-tell', 'warn', /Done, not verified: could not tell oom-signature\./],
  ] as const)('whose check of new memory failures says %s is marked %s', async (answer, mark, words) => {
    const { ask, report, chat } = await ended(answer);

    await ask('report', undefined, { ahead: { why: 'done', says: '', reached: 8 }, back: null });
    await report();

    const last = chat.posts.at(-1)?.message;
    expect(last?.summary).toMatch(words);
    expect(last?.blocks[0]).toMatchObject({ mark });
  });

  it('is posted once, though a flow that lost its lease asks again while it is under way', async () => {
    const { report, chat } = await ended('yes');
    const before = chat.posts.length;

    await Promise.all([report(), report()]);
    await report();

    expect(chat.posts).toHaveLength(before + 1);
  });
});
