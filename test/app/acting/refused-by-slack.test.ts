import { describe, expect, it } from 'vitest';
import { drawRun } from '../../../src/app/acting/run/run-view.ts';
import { tellRefused } from '../../../src/app/acting/tell-refused.ts';
import { createOutbox } from '../../../src/app/outbox.ts';
import type { UnsentMessage } from '../../../src/app/outbox-ports.ts';
import type { MessageKind } from '../../../src/app/ports.ts';
import { type Message, plain } from '../../../src/model/message.ts';
import { drawTerminal } from '../../../src/report/terminal.ts';
import { storePlace } from '../../fakes/place-message.ts';
import { AS_TEXT } from '../../report/inputs.ts';
import { type CommandsBench, openCommands } from './commands-bench.ts';

const says = (text: string): Message => ({ summary: text, blocks: [{ kind: 'paragraph', spans: [plain(text)] }] });
const told = ({ chat }: CommandsBench) =>
  chat.posts
    .filter(({ ref }) => ref.conversation !== 'C_LLM')
    .map(({ ref, message }) => `${ref.conversation}: ${drawTerminal(message, AS_TEXT).replace(/\s+/g, ' ')}`);

/** The outbox of the next process, which sends what the last one left. */
async function nextProcess({ store, chat, clock, log, deps }: CommandsBench): Promise<void> {
  await deps.outbox.stop();
  chat.isAway = false;
  const outbox = createOutbox({
    ...{ store, chat, clock, log, ids: deps.plans.ids },
    onRefused: (refused, next) => tellRefused({ acts: deps.acts, store, outbox }, refused, next),
  });
  await outbox.resume();
  await clock.advance(0);
}

async function settle(bench: CommandsBench): Promise<void> {
  await expect.poll(() => bench.store.unsentMessages()).toEqual([]);
}

describe('what Slack refuses for good after the bot restarted', () => {
  it('is a plan: who asked for it gets it alone', async () => {
    const bench = await openCommands();
    bench.chat.isAway = true;
    const asked = bench.ask('plan', bench.incident.id);
    await expect.poll(() => bench.store.unsentMessages()).toHaveLength(1);
    await bench.deps.outbox.stop();
    await asked;
    bench.chat.refuse('C_LLM', 'is_archived');

    await nextProcess(bench);

    await expect.poll(() => told(bench)).toHaveLength(1);
    expect(told(bench)[0]).toMatch(/^U_ONCALL: .*--max-model-len.*Not posted in C_LLM/);
  });

  it.each<[MessageKind, string]>([
    ['card', 'U_ONCALL'],
    ['handover/req_1/U_NEXT', 'U_NEXT'],
    ['shift/req_1/U_NEXT', 'U_NEXT'],
  ])('is %s: %s gets it alone', async (kind, whom) => {
    const bench = await openCommands();
    bench.chat.isAway = true;
    const message = says('What was asked for.');
    const subject = kind.startsWith('shift') ? 'shift/C_LLM' : bench.incident.id;
    await bench.deps.outbox.enqueue({ incidentId: subject, kind, conversation: 'C_LLM', message });
    bench.chat.refuse('C_LLM', 'channel_not_found');

    await nextProcess(bench);

    await expect.poll(() => told(bench)).toEqual([expect.stringMatching(new RegExp(`^${whom}: What was asked for.*`))]);
    await settle(bench);
  });

  it('is the handover of a run: who started the run gets it alone', async () => {
    const bench = await running();
    bench.chat.refuse('C_LLM', 'is_archived');
    const { id, incidentId } = await bench.run();
    const message = says('Handover.');

    const kind = `handover/${id}/done/C_LLM` as const;
    await bench.deps.outbox.enqueue({ incidentId, kind, conversation: 'C_LLM', message });

    await expect.poll(() => told(bench)).toEqual([expect.stringMatching(/^U_APPROVER: Handover/)]);
  });

  it('is a scheduled handover or what an alert started: nobody waits for it', async () => {
    const bench = await openCommands();
    const refused: string[] = [];
    const outbox = { enqueue: async (one: Pick<UnsentMessage, 'kind'>) => refused.push(one.kind) > 0 };
    const { acts, store } = bench;
    const slot = {
      id: 'msg_1',
      incidentId: 'shift/C_LLM',
      kind: 'shift/1768464000000',
      conversation: 'C_LLM',
    } as const;
    const message = { summary: 'Shift handover.', blocks: [] };

    await tellRefused({ acts, store, outbox }, { ...slot, thread: null, ref: null, message }, 'It is archived.');

    expect(refused).toEqual([]);
  });
});

async function running(): Promise<CommandsBench> {
  const bench = await openCommands();
  await bench.ask('plan', bench.incident.id);
  const { id, hash } = await bench.plan();
  await bench.ask('approve', `${id} ${hash}`, 'U_APPROVER');
  return bench;
}

describe('a card of a run whose channel refuses the bot from now on', () => {
  async function refused(): Promise<CommandsBench> {
    const bench = await running();
    bench.chat.refuse('C_LLM', 'is_archived');
    return bench;
  }
  const draw = async (bench: CommandsBench, state?: 'running' | 'compensating') => {
    const { id } = await bench.run();
    if (state !== undefined) {
      await bench.acts.setRunState(id, { state, outcome: null, actor: 'oombot', at: bench.clock.now() });
    }
    await drawRun(bench.deps, id);
  };

  it('is sent once to who started it, with what to type, and again when it rolls back', async () => {
    const bench = await refused();

    await draw(bench);
    await Promise.all([draw(bench, 'running'), draw(bench)]);
    await settle(bench);
    expect(told(bench)).toEqual([expect.stringMatching(/^U_APPROVER: .*Not posted in C_LLM: .*abort run_/)]);

    await draw(bench, 'compensating');
    await expect.poll(() => told(bench)).toHaveLength(2);
    expect(told(bench)[1]).toMatch(/Rolling back/);
  });

  it('is not sent while Slack is only away', async () => {
    const bench = await running();
    bench.chat.isAway = true;

    await draw(bench, 'running');
    bench.chat.isAway = false;

    expect(await bench.store.unsentMessages()).toEqual([]);
    expect(told(bench)).toEqual([]);
  });

  it('is redrawn where it stands, where one of two channels refuses', async () => {
    const bench = await refused();
    const { incidentId, planId } = await bench.run();
    const elsewhere = await bench.chat.post('C_OTHER', { summary: 'old', blocks: [] });
    if (elsewhere.kind !== 'posted') throw new Error('refused');
    await storePlace(bench.store, incidentId, `plan/${planId}`, elsewhere.ref);

    await draw(bench, 'running');

    expect(told(bench)).toEqual([expect.stringMatching(/^C_OTHER: .*Running/)]);
  });
});
