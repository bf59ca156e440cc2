import { describe, expect, it } from 'vitest';
import type { PodState } from '../../../src/app/incident-ports.ts';
import { closeQuietIncidents } from '../../../src/app/lifecycle/close-quiet.ts';
import { redrawCards, showAfterRun, showClosed } from '../../../src/app/lifecycle/show-state.ts';
import { createReadBudget } from '../../../src/app/read-budget.ts';
import type { Fact } from '../../../src/model/fact.ts';
import type { Run } from '../../../src/model/plan.ts';
import { snapshotSource } from '../../../src/snapshot/source.ts';
import { START } from '../../fakes/clock.ts';
import { storePlace } from '../../fakes/place-message.ts';
import { exampleIncident, exampleTriageRun } from '../../model/examples.ts';
import { aFinding, aRequest, POD, ROOM, someTriages, textOf } from '../triage/triage-harness.ts';

const HOUR_MS = 3_600_000;
const RESOLVED_MS = 60 * 60_000;
const QUIET_MS = 24 * HOUR_MS;

const WELL: PodState = { name: POD, ready: true, createdAt: START - HOUR_MS, restarts: 0, restartedAt: START - 60_000 };

type Given = {
  readonly pods?: readonly PodState[] | 'unknown';
  readonly quietMs?: number;
  readonly runs?: readonly Pick<Run, 'incidentId'>[];
  readonly isEngineDead?: boolean;
};

/** An open incident with its card, found by a triage now; `look` is what the scheduled check does. */
async function withIncident({ pods = [WELL], quietMs = QUIET_MS, runs = [], isEngineDead = false }: Given = {}) {
  const made = someTriages();
  const { triages, store, clock, log, chat, deps } = made;
  const { diagnose } = deps.investigate;
  const state: Fact = { kind: 'known', value: isEngineDead ? 'engine-dead' : 'came-up', from: [] };
  deps.investigate.diagnose = async (source) => {
    const told = await diagnose(source);
    return { ...told, facts: new Map([...told.facts, ['instance.state', state]]) };
  };
  await triages.ask(aRequest(`triage ${POD}`.slice(7)));
  const [incident] = await store.openIncidents();
  const quiet = {
    ...{
      store,
      clock,
      log,
      quietMs,
      resolvedMs: RESOLVED_MS,
      outbox: deps.outbox,
      agent: 'oombot/0',
      mayPlan: undefined,
    },
    acts: { openRuns: async () => runs as readonly Run[] },
    source: snapshotSource,
    diagnose: deps.investigate.diagnose,
    isShared: async () => false,
    budget: () => createReadBudget(),
    pods: new Map([
      [
        'prod',
        {
          read: async () =>
            pods === 'unknown' ? { kind: 'unknown' as const, why: 'no answer' } : { kind: 'read' as const, pods },
        },
      ],
    ]),
  };
  const id = incident?.id ?? '';
  const notices = () =>
    chat.posts.filter(({ thread, message }) => thread !== undefined && textOf(message).includes('Resolved by'));
  return { ...made, id, notices, quiet, look: () => closeQuietIncidents(quiet), state: () => store.incident(id) };
}

describe('an incident with alerts', () => {
  async function withAlert() {
    const made = await withIncident();
    const { store, clock, id } = made;
    const place = { cluster: 'prod', namespace: 'llm', subject: POD, workload: 'vllm-server', conversation: ROOM };
    const times = { firedAt: clock.now(), seenAt: clock.now(), resolvedAt: null, toldAt: null };
    const alert = { key: 'f1', name: 'LLMCrashLooping', ...place, ...times, triageId: 'tri_alert' };
    const run = { ...exampleTriageRun, id: 'tri_alert', asker: 'oombot/alert', startedAt: clock.now() };
    await store.takeAlerts([{ alert, run }], 'oombot/alert');
    await store.endTriage(run.id, { state: 'done', outcome: 'told', incidentId: id, at: clock.now() });
    expect((await store.incidentAlerts()).map(({ incidentId }) => incidentId)).toEqual([id]);
    return { ...made, alert, run };
  }

  it('closes an hour after the last one was resolved', async () => {
    const { clock, store, look, state } = await withAlert();
    await clock.advance(RESOLVED_MS);
    await store.resolveAlerts([{ key: 'f1', name: 'LLMCrashLooping' }], clock.now());
    await clock.advance(RESOLVED_MS - 1);
    await look();
    expect(await state()).toMatchObject({ state: 'open' });

    await clock.advance(1);
    await look();

    expect(await state()).toMatchObject({ state: 'closed', closedWhy: 'no failure for 1 hour, the pod is ready.' });
  });

  it('stays open while one fires that Alertmanager still sends', async () => {
    const { clock, store, look, state, alert, run } = await withAlert();
    await clock.advance(QUIET_MS - 1);
    await store.takeAlerts([{ alert: { ...alert, seenAt: clock.now() }, run }], 'oombot/alert');
    await clock.advance(QUIET_MS - 1);
    await look();
    expect(await state()).toMatchObject({ state: 'open' });

    await clock.advance(1);
    await look();

    expect(await state()).toMatchObject({ state: 'closed' });
  });
});

describe('an incident that was not seen for the quiet period', () => {
  it('is closed where its pods are ready, on its card and once in its thread, by one of two replicas', async () => {
    const { clock, look, state, notices, store, id, chat } = await withIncident();
    await clock.advance(QUIET_MS);

    await Promise.all([look(), look()]);
    await look();

    expect(await state()).toMatchObject({ state: 'closed', closedBy: 'oombot' });
    expect((await state())?.closedWhy).toBe('no failure for 24 hours, the pod is ready.');
    const kinds = (await store.events(id)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'incident-closed')).toHaveLength(1);
    expect(notices()).toHaveLength(1);
    expect(textOf(chat.posts.find(({ thread }) => thread === undefined)?.message)).toContain('Resolved: ');
  });

  it.each<[string, Given]>([
    ['a pod that is not ready', { pods: [WELL, { ...WELL, name: 'other', ready: false }] }],
    ['a pod that was restarted within it', { pods: [{ ...WELL, restartedAt: START + HOUR_MS }] }],
    ['no pod at all', { pods: [] }],
    ['pods that could not be read', { pods: 'unknown' }],
    ['a run under way', { runs: [{ incidentId: 'inc_1' }] }],
    ['no quiet period', { quietMs: 0 }],
  ])('stays open with %s', async (_what, given) => {
    const { clock, state, id, quiet } = await withIncident(given);
    await clock.advance(QUIET_MS);
    const runs = (given.runs ?? []).map(() => ({ incidentId: id }) as Run);

    await closeQuietIncidents({ ...quiet, acts: { openRuns: async () => runs } });

    expect(await state()).toMatchObject({ state: 'open' });
  });

  it('stays open a moment before', async () => {
    const { clock, look, state } = await withIncident();
    await clock.advance(QUIET_MS - 1);

    await look();

    expect(await state()).toMatchObject({ state: 'open' });
  });

  it('stays open while the pod of a dead engine was neither restarted nor replaced', async () => {
    const dead = await withIncident({ isEngineDead: true });
    const replaced = await withIncident({
      isEngineDead: true,
      pods: [{ ...WELL, name: 'vllm-server-7d8f6f9c6b-zzzzz' }],
    });
    for (const { clock, look } of [dead, replaced]) {
      await clock.advance(QUIET_MS);
      await look();
    }

    expect(await dead.state()).toMatchObject({ state: 'open' });
    expect(await replaced.state()).toMatchObject({ state: 'closed' });
  });
});

it('a closing that nobody was told of, by a restart or from a terminal, is shown at the next look', async () => {
  const { store, clock, id, look, notices, quiet } = await withIncident();
  await store.closeIncident(id, { actor: 'U_ONCALL', why: 'fixed', at: clock.now() });
  expect(notices()).toEqual([]);

  await look();
  await look();
  await showClosed(quiet, id);

  expect(notices().map(({ ref }) => ref.conversation)).toEqual([ROOM]);
});

describe('a closing', () => {
  const closed = async () => {
    const made = await withIncident();
    const { store, id, clock, quiet } = made;
    await store.closeIncident(id, { actor: 'U_ONCALL', why: 'fixed', at: clock.now() });
    let diagnoses = 0;
    const diagnose: typeof quiet.diagnose = async (source) => {
      diagnoses += 1;
      return quiet.diagnose(source);
    };
    return { ...made, quiet: { ...quiet, diagnose }, diagnoses: () => diagnoses };
  };

  it('that Slack refuses is not shown again at each look', async () => {
    const { chat, quiet, diagnoses } = await closed();
    chat.refuse(ROOM, 'is_archived');

    await closeQuietIncidents(quiet);
    await expect.poll(() => quiet.store.unsentMessages()).toEqual([]);
    await closeQuietIncidents(quiet);

    expect(diagnoses()).toBe(1);
  });

  it('waits for Slack and is shown then, once, and the look goes on', async () => {
    const { clock, notices, quiet, diagnoses, chat } = await closed();
    chat.isAway = true;

    await closeQuietIncidents(quiet);
    await closeQuietIncidents(quiet);
    expect(notices()).toEqual([]);
    chat.isAway = false;
    await clock.advance(10_000);

    await expect.poll(notices).toHaveLength(1);
    expect(diagnoses()).toBe(1);
  });

  it('is told in the thread though its card cannot be drawn', async () => {
    const { notices, quiet, id } = await closed();
    const diagnose = () => Promise.reject(new Error('unreadable'));

    await showClosed({ ...quiet, diagnose }, id);

    await expect.poll(notices).toHaveLength(1);
  });
});

it('a run that has closed its incident is shown on the card, and so is its rollback', async () => {
  const { store, clock, id, notices, quiet, chat } = await withIncident();
  const shown = () => textOf(chat.posts.find(({ thread }) => thread === undefined)?.message);

  await store.closeIncident(id, { actor: 'oombot', why: 'run_1 was verified.', at: clock.now() });
  await showAfterRun(quiet, id);
  const closed = shown();
  const again = aFinding('gpu.startup.graph-capture', { id: 'snap_2', files: { 'incident.json': '{}' } });
  const { key, cluster, namespace, workload } = (await store.incident(id)) ?? exampleIncident;
  await store.recordFinding({
    draft: { key, cluster, namespace, workload, pod: POD, verdict: again.diagnosis.verdict },
    ...{ snapshot: { id: 'snap_2', files: { 'incident.json': '{}' } }, diagnosis: again.diagnosis },
    ...{ actor: 'U_ONCALL', at: clock.now(), windowMs: QUIET_MS },
  });
  await showAfterRun(quiet, id);

  expect(closed).toContain('Resolved: ');
  expect(notices()).toHaveLength(1);
  expect(shown()).toContain(', reopened');
  expect(shown()).not.toContain('Resolved: ');
});

it('a card that was drawn while its incident was closed shows it closed', async () => {
  const { store, clock, id, quiet, chat } = await withIncident();
  const diagnose: typeof quiet.diagnose = async (source) => {
    const told = await quiet.diagnose(source);
    await store.closeIncident(id, { actor: 'U_ONCALL', why: 'fixed', at: clock.now() });
    return told;
  };

  await redrawCards({ ...quiet, diagnose }, id);

  await expect
    .poll(() => textOf(chat.posts.find(({ thread }) => thread === undefined)?.message))
    .toContain('Resolved: ');
});

it('what nothing had failed in is closed without a word', async () => {
  const { store, chat, quiet } = await withIncident();
  const snapshot = { id: 'snap_well', files: {} };
  const { diagnosis } = aFinding(
    'none.other',
    snapshot.id === '' ? snapshot : { ...snapshot, files: { 'incident.json': '{}' } },
  );
  const verdict = { ...diagnosis.verdict, plane: 'none' as const };
  const { incident } = await store.recordFinding({
    draft: { key: 'well', cluster: 'prod', namespace: 'llm', pod: POD, workload: 'Pod/x', verdict, isHealthy: true },
    ...{ snapshot, diagnosis: { ...diagnosis, verdict }, actor: 'U_ONCALL', at: START, windowMs: QUIET_MS },
  });
  await storePlace(store, incident.id, 'card', { conversation: ROOM, ts: '9.9' });
  const before = chat.posts.length;

  await closeQuietIncidents(quiet);

  expect(chat.posts).toHaveLength(before);
});
