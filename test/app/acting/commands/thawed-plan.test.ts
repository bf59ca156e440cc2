import { describe, expect, it } from 'vitest';
import { createActingCommands } from '../../../../src/app/acting/commands/acting-commands.ts';
import { answerWhatIsHeld, createRequestKeeper } from '../../../../src/app/chat/kept-requests.ts';
import { createOutbox } from '../../../../src/app/outbox.ts';
import type { DurableStore } from '../../../../src/wire/open-store.ts';
import { openTwo } from '../../automatic/open-two.ts';
import { frozenAfter } from '../../automatic/thawed.ts';
import { openCommands } from '../commands-bench.ts';

const EVERYONE = Number.MAX_SAFE_INTEGER;
const PLAN_CARD = /Plan details|Approve|Replaced by/;

/** One workload, its incident, and two replicas on one store that plan for it. */
async function twoReplicas() {
  const bench = await openCommands();
  const { chat, clock, log, deps, incident } = bench;
  const [mine, theirs] = await openTwo(clock);
  const { ids } = deps.plans;
  const finding = await bench.store.findings(incident.id);
  const snapshot = await bench.store.snapshot(finding.at(-1)?.snapshotId ?? '');
  if (snapshot === undefined || finding[0] === undefined) throw new Error('no finding');
  const { diagnosis } = finding[0];
  const draft = { ...incident, key: 'k', verdict: diagnosis.verdict };
  const at = clock.now();
  const recorded = await mine.recordFinding({ draft, snapshot, diagnosis, actor: 'U_ONCALL', at, windowMs: 1000 });
  const replica = (store: DurableStore) => {
    const outbox = createOutbox({ store, chat, clock, ids, log });
    const own = { ...deps, store, acts: store, outbox, chat: answerWhatIsHeld(chat, { store, log }) };
    return { store, outbox, commands: createActingCommands({ ...own, plans: { ...deps.plans, store, acts: store } }) };
  };
  const second = replica(theirs);
  const keeper = createRequestKeeper({ store: mine, clock, ids, log, redact: (text) => text });
  const { asker, actor } = bench.request();
  const text = `plan ${recorded.incident.id}`;
  const kept = await keeper.keep({ use: 'command' }, { text, asker, channel: 'C_LLM', externallyShared: false });
  const ask = ({ commands }: ReturnType<typeof replica>) =>
    commands.ask('plan', recorded.incident.id, { asker: { ...asker, kept }, actor });
  const takeOver = async () => {
    const { messages, requests } = await theirs.takeOver(EVERYONE, EVERYONE);
    await second.outbox.resume(messages);
    await expect.poll(() => theirs.unsentMessages()).toEqual([]);
    if (requests.size === 0) return;
    await ask(second);
    await theirs.releaseRequest(kept ?? '');
  };
  return { chat, replica, mine, theirs, ask, takeOver, incidentId: recorded.incident.id };
}

describe('a process that was frozen while it made a plan', () => {
  it.each<keyof DurableStore>(['findings', 'now', 'savePlan', 'queueMessage'])(
    'posts no second card once another has taken the request over: frozen after %s',
    async (method) => {
      const { chat, replica, mine, theirs, ask, takeOver, incidentId } = await twoReplicas();

      await ask(replica(frozenAfter(mine, method, takeOver)));

      const cards = chat.posts.filter(({ message }) => PLAN_CARD.test(JSON.stringify(message)) && !isDetails(message));
      expect(cards).toHaveLength(1);
      expect(cards[0]?.message.choices?.map(({ asks }) => asks)).toContain('approve');
      expect(chat.whispers).toEqual([]);
      const plans = await theirs.plansOf(incidentId);
      expect(plans.map(({ state }) => state)).toEqual(['proposed']);
      expect(await mine.unsentMessages()).toEqual([]);
      expect(await mine.keptRequests()).toEqual([]);
    },
  );
});

function isDetails({ summary }: { readonly summary: string }): boolean {
  return summary.startsWith('Details');
}
