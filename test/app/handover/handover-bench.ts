import type { ActRequest } from '../../../src/app/acting/commands/permit.ts';
import { createActs } from '../../../src/app/acting/run/acts.ts';
import { askChanges, type ChangeCommandsDeps } from '../../../src/app/handover/change-commands.ts';
import { type CheckDeps, checkChanges } from '../../../src/app/handover/check-changes.ts';
import { createOutbox } from '../../../src/app/outbox.ts';
import type { Plan } from '../../../src/model/plan.ts';
import type { TemporaryChange } from '../../../src/model/temporary-change.ts';
import { drawTerminal } from '../../../src/report/terminal.ts';
import { createFakeChat } from '../../fakes/chat.ts';
import { createFakeIds } from '../../fakes/ids.ts';
import { createFakeLog } from '../../fakes/log.ts';
import { storePlace } from '../../fakes/place-message.ts';
import { AS_TEXT } from '../../report/inputs.ts';
import { openBench, someActDeps } from '../acting/bench.ts';
import { RIGHTS, SETTINGS } from '../acting/commands-bench.ts';
import { aStopBleed } from '../acting/plans.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const CARD = { conversation: 'C_LLM', ts: '1.1' };

type Over = Partial<ActRequest['actor']>;

/** A stop-bleed that is done, its card in a channel, and what looks after its change. */
export async function withChange(plan: Plan = aStopBleed()) {
  const bench = await openBench({ plan });
  const { store, cluster, clock, ask, run } = bench;
  const { incidentId, planId } = await run();
  await storePlace(store, incidentId, 'card', CARD);
  await storePlace(store, incidentId, `plan/${planId}`, { ...CARD, ts: '1.2' });
  await ask('claim', undefined, { from: 'start' });
  for (const step of plan.steps) {
    if (step.kind === 'write') await ask('apply', step.n);
  }
  const reached = plan.steps.length;
  const end = (why: string, over: object = {}) =>
    ask('report', undefined, { ahead: { why, says: '', reached }, ...over });
  await end('done', { back: null });
  const chat = createFakeChat();
  const [log, ids] = [createFakeLog(), createFakeIds()];
  const drawn: string[] = [];
  const outbox = createOutbox({ store, chat, clock, ids, log });
  const deps: CheckDeps & ChangeCommandsDeps = {
    ...{ store, ledger: store, acts: store, chat, outbox, clock, log, rights: RIGHTS, settings: SETTINGS },
    ...{ clusters: new Map([[cluster.name, cluster]]), version: '0', commandName: '/oom', changeMs: 24 * HOUR },
    draw: (runId) => void drawn.push(runId),
  };
  const settled = async () => {
    for (let i = 0; i < 30; i += 1) await store.now();
  };
  const request = (user: string, over: Over): ActRequest => ({
    asker: { user, conversation: 'C_LLM', responseUrl: undefined },
    actor: {
      place: 'slack',
      user,
      groups: [],
      channel: 'C_LLM',
      externallyShared: false,
      ...over,
    } as ActRequest['actor'],
  });
  return {
    ...{ ...bench, chat, deps, drawn, end, log },
    acts: createActs(someActDeps({ store, cluster, clock })),
    async look(afterMs = 0) {
      clock.pass(afterMs);
      await checkChanges(deps);
      await settled();
    },
    async type(text: string, user = 'U_APPROVER', over: Over = {}) {
      await askChanges(deps, text, request(user, over));
      await settled();
      const told = chat.whispers.at(-1);
      return told === undefined ? '' : drawTerminal(told.message, AS_TEXT);
    },
    async change(): Promise<TemporaryChange> {
      const found = await store.changeOfRun((await run()).id);
      if (found === undefined) throw new Error('no entry');
      return found;
    },
    /** What was told in the thread of the finding. */
    told: () => chat.replies(CARD).map(({ message }) => drawTerminal(message, AS_TEXT)),
    buttons: () => chat.replies(CARD).map(({ message }) => (message.choices ?? []).map(({ label }) => label)),
    /** Another manager writes the arguments, or takes them over. */
    write(args: readonly string[], manager: string) {
      cluster.set('/spec/template/spec/containers/0/args', args);
      const fields = { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"vllm"}': { 'f:args': {} } } } } };
      const { metadata } = cluster.object as { metadata: object };
      const time = '2026-01-16T00:00:00Z';
      const managedFields = [{ manager, operation: 'Update', time, fieldsV1: { 'f:spec': fields } }];
      cluster.object = { ...cluster.object, metadata: { ...metadata, managedFields } };
    },
  };
}
