import { describe, expect, it } from 'vitest';
import { drawRun } from '../../../../src/app/acting/run/run-view.ts';
import type { MessageRef } from '../../../../src/model/incident.ts';
import { buttonValue, type CommandsBench, openCommands } from '../commands-bench.ts';

const NOT_DETAILS = ({ message }: { message: { summary: string } }) => !message.summary.startsWith('Details');
const cards = ({ chat }: CommandsBench) => chat.posts.filter(NOT_DETAILS);

async function deletedPlan(): Promise<CommandsBench> {
  const bench = await openCommands({ settings: { approvals: 2 } });
  await bench.ask('plan', bench.incident.id);
  bench.chat.remove(cards(bench)[0]?.ref as MessageRef);
  return bench;
}

describe('a plan card that somebody deleted', () => {
  it('is posted again with its buttons by the next change, and changed there from then on', async () => {
    const bench = await deletedPlan();
    const { id, hash } = await bench.plan();

    await bench.ask('approve', `${id} ${hash}`, 'U_APPROVER');
    expect(cards(bench)).toHaveLength(1);
    await bench.ask('approve', `${id} ${hash}`, 'U_ONCALL');
    const run = await bench.run();
    await drawRun({ ...bench.deps, store: bench.store }, run.id);

    expect(cards(bench)).toHaveLength(1);
    expect(cards(bench)[0]?.message.choices?.map(({ asks }) => asks)).toContain('abort');
  });

  it('keeps its buttons when the new copy is clicked', async () => {
    const bench = await deletedPlan();
    const { id, hash } = await bench.plan();
    await bench.ask('approve', `${id} ${hash}`, 'U_APPROVER');
    const [copy] = cards(bench);
    if (copy === undefined) throw new Error('no copy');

    const request = { ...bench.request('U_ONCALL'), isClick: true, clicked: copy.ref };
    await bench.commands.ask('approve', buttonValue(copy.message, 'approve'), request);

    expect(cards(bench)).toHaveLength(1);
    expect(copy.message.choices?.map(({ asks }) => asks)).toContain('abort');
    expect((await bench.run()).state).toBe('queued');
  });
});

describe('a copy of a message that was deleted', () => {
  it('is not posted once more only to point to the current one', async () => {
    const bench = await openCommands();
    await bench.ask('plan', bench.incident.id);
    const { id, incidentId } = await bench.plan();
    const [first] = cards(bench);
    const second = await bench.chat.post('C_LLM', first?.message as never);
    if (second.kind !== 'posted') throw new Error('refused');
    bench.chat.remove(first?.ref as MessageRef);

    await bench.deps.outbox.adopt(incidentId, `plan/${id}`, second.ref);
    await bench.clock.advance(0);

    expect(cards(bench)).toHaveLength(1);
    expect(await bench.store.messages(incidentId, `plan/${id}`)).toEqual([second.ref]);
  });
});
