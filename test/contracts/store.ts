import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IncidentStore, StartStore } from '../../src/app/incident-ports.ts';
import type { OutboxStore, RequestStore, UnsentMessage } from '../../src/app/outbox-ports.ts';
import type { IncidentDraft, Store } from '../../src/app/ports.ts';
import type { TriageRun } from '../../src/model/incident.ts';
import type { KeptRequest } from '../../src/model/kept-request.ts';
import type { MeasuredStart } from '../../src/model/measured-start.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import type { Cause } from '../../src/model/taxonomy.ts';
import type { Diagnosis } from '../../src/model/verdict.ts';
import { type AuditSource, verifyAudit } from '../../src/store/database/audit-chain.ts';
import { START } from '../fakes/clock.ts';
import { storePlace } from '../fakes/place-message.ts';
import { exampleDiagnosis, exampleIncident, exampleTriageRun } from '../model/examples.ts';

const MINUTE = 60_000;
const WINDOW = 360 * MINUTE;

type Recording = Parameters<Store['recordFinding']>[0];

function aDiagnosis(cause: Cause = 'gpu.startup.graph-capture', causeCertain = false): Diagnosis {
  return { ...exampleDiagnosis, verdict: { ...exampleDiagnosis.verdict, cause, certain: causeCertain, causeCertain } };
}

export function aSnapshot(id: string, files: Record<string, string> = { 'previous.log': `log of ${id}\n` }): Snapshot {
  return { id, files };
}

let made = 0;
export function aFinding(over: Partial<Omit<Recording, 'draft'>> & { draft?: Partial<IncidentDraft> } = {}): Recording {
  made += 1;
  const diagnosis = over.diagnosis ?? aDiagnosis();
  const { key, cluster, namespace, pod, workload } = exampleIncident;
  return {
    snapshot: aSnapshot(`snap_${made}`),
    actor: 'U_ONCALL',
    at: START,
    windowMs: WINDOW,
    ...over,
    diagnosis,
    draft: { key, cluster, namespace, pod, workload, verdict: diagnosis.verdict, ...over.draft },
  };
}

/** So many open incidents of different keys, recorded one after the other; their ids. */
export async function recordIncidents(store: Store, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    ids.push((await store.recordFinding(aFinding({ draft: { key: `key-${i}` } }))).incident.id);
  }
  return ids;
}

const aTriage = (over: Partial<TriageRun> = {}): TriageRun => ({ ...exampleTriageRun, ...over });

/** What every store keeps to. `make` gives an empty one. */
export function storeContract(
  name: string,
  make: () => Promise<Store & StartStore & IncidentStore & OutboxStore & RequestStore & AuditSource>,
): void {
  describe(`store: ${name}`, () => {
    let store: Store & StartStore & IncidentStore & OutboxStore & RequestStore & AuditSource;

    beforeEach(async () => {
      store = await make();
    });

    afterEach(async () => {
      expect(await verifyAudit(store)).toMatchObject({ kind: 'intact' });
      await store.close();
    });

    const auditOf = async () =>
      (await store.auditRows(1, 1000)).map(({ action, actor, subject }) => [action, actor, subject]);
    const kinds = async (id: string) => (await store.events(id)).map((event) => event.kind);

    describe('findings', () => {
      it('open an incident and keep snapshot, verdict, events and audit with it', async () => {
        const input = aFinding({
          snapshot: aSnapshot('snap_kept', { 'previous.log': 'a\r\n\u0000é€😀\n'.repeat(500), 'args.txt': '' }),
        });

        const { incident, isNew, findingId } = await store.recordFinding(input);

        expect(isNew).toBe(true);
        expect(incident).toEqual({ ...exampleIncident, id: incident.id, openedAt: START, lastSeenAt: START });
        expect(await store.incident(incident.id)).toEqual(incident);
        expect(await store.snapshot('snap_kept')).toEqual(input.snapshot);
        expect(await store.findings(incident.id)).toEqual([
          { id: findingId, incidentId: incident.id, snapshotId: 'snap_kept', at: START, diagnosis: input.diagnosis },
        ]);
        expect(await kinds(incident.id)).toEqual(['incident-opened', 'verdict-given']);
        expect(await auditOf()).toEqual([['finding-recorded', 'U_ONCALL', incident.id]]);
      });

      it('keep what is proved of an incident: its memory, and not its cause where that is open', async () => {
        const { verdict } = exampleDiagnosis;
        const diagnosis = { ...exampleDiagnosis, verdict: { ...verdict, certain: true, causeCertain: false } };

        const { incident } = await store.recordFinding(aFinding({ diagnosis }));

        expect(incident).toMatchObject({ certain: true, causeCertain: false });
        expect(await store.incident(incident.id)).toEqual(incident);
      });

      it('of the same key within the window join the open incident, with the newest pod and verdict', async () => {
        const first = await store.recordFinding(aFinding());

        const [pod, at] = ['vllm-server-7d8f6f9c6b-zzzzz', START + WINDOW];
        const diagnosis = aDiagnosis('gpu.startup.graph-capture', true);

        const again = await store.recordFinding(aFinding({ at, diagnosis, draft: { pod } }));

        expect(again).toMatchObject({ isNew: false, incident: { id: first.incident.id, seen: 2, certain: true } });
        expect(again.incident).toMatchObject({ pod, openedAt: START, lastSeenAt: at });
        const events = ['incident-opened', 'verdict-given', 'incident-seen-again', 'verdict-given'];
        expect(await kinds(first.incident.id)).toEqual(events);
        expect((await store.findings(first.incident.id)).map((f) => f.id)).toEqual([first.findingId, again.findingId]);
      });

      it('of one death count once, however often it is looked at', async () => {
        const deaths = ['a', 'a', 'b', 'a', 'b'];
        for (const death of deaths) await store.recordFinding(aFinding({ draft: { death } }));

        const [incident] = await store.openIncidents();

        expect(incident).toMatchObject({ seen: 2 });
        expect(await store.findings(incident?.id ?? '')).toHaveLength(5);
      });

      it('that come late do not move the last sighting back', async () => {
        await store.recordFinding(aFinding());

        const late = await store.recordFinding(aFinding({ at: START - MINUTE }));

        expect(late.incident).toMatchObject({ seen: 2, lastSeenAt: START });
      });

      it('after the window close the old incident and open another', async () => {
        const first = await store.recordFinding(aFinding());
        const at = START + WINDOW + 1;

        const later = await store.recordFinding(aFinding({ at }));

        expect(later.isNew).toBe(true);
        expect(later.incident.id).not.toBe(first.incident.id);
        expect(await store.incident(first.incident.id)).toMatchObject({ state: 'closed', closedAt: at });
        expect((await store.openIncidents()).map((i) => i.id)).toEqual([later.incident.id]);
      });

      it('after the incident was closed reopen it within the window, and nobody is on it', async () => {
        const { incident } = await store.recordFinding(aFinding());
        await store.acknowledge(incident.id, { by: 'U_ONCALL', at: START });
        await store.closeIncident(incident.id, { actor: 'U_ONCALL', why: 'fixed', at: START + 1 });
        const at = START + 1 + WINDOW;

        const again = await store.recordFinding(aFinding({ at }));

        expect(again).toMatchObject({ isNew: false, reopened: { closedBy: 'U_ONCALL', closedWhy: 'fixed' } });
        expect(again.incident).toEqual({ ...incident, seen: 2, lastSeenAt: at, reopenedAt: at });
        expect(await store.incident(incident.id)).toEqual(again.incident);
        expect((await kinds(incident.id)).slice(-3)).toEqual([
          'incident-reopened',
          'incident-seen-again',
          'verdict-given',
        ]);
        expect((await auditOf()).at(-2)).toEqual(['incident-reopened', 'U_ONCALL', incident.id]);
      });

      it('after that open another', async () => {
        const first = await store.recordFinding(aFinding());
        await store.closeIncident(first.incident.id, { actor: 'U_ONCALL', why: 'fixed', at: START + 1 });

        const later = await store.recordFinding(aFinding({ at: START + 2 + WINDOW }));

        expect(later.isNew).toBe(true);
        expect(await store.incident(first.incident.id)).toMatchObject({ state: 'closed', seen: 1 });
      });

      it('of a death that is known leave a closed incident closed, and an open one as it was seen', async () => {
        const death = { draft: { death: 'a' } };
        const { incident } = await store.recordFinding(aFinding(death));

        await store.recordFinding(aFinding({ ...death, at: START + 9 }));
        expect(await store.incident(incident.id)).toEqual(incident);
        await store.closeIncident(incident.id, { actor: 'U_ONCALL', why: 'fixed', at: START + 10 });
        const again = await store.recordFinding(aFinding({ ...death, at: START + 11 }));

        expect(again.reopened).toBeUndefined();
        expect(await store.incident(incident.id)).toMatchObject({ state: 'closed', seen: 1, lastSeenAt: START });
        expect(await store.findings(incident.id)).toHaveLength(3);
      });

      it('in which nothing had failed are kept and never open', async () => {
        const healthy = { draft: { key: 'well', isHealthy: true } };

        const first = await store.recordFinding(aFinding(healthy));
        const again = await store.recordFinding(aFinding({ ...healthy, at: START + 5 }));

        expect(first.incident).toMatchObject({ state: 'closed', closedAt: START, closedBy: 'oombot' });
        expect(again.incident).toEqual(first.incident);
        expect(await store.openIncidents()).toEqual([]);
      });

      it('of another key stand alone', async () => {
        await store.recordFinding(aFinding());

        const other = await store.recordFinding(aFinding({ draft: { key: 'other' } }));

        expect(other.isNew).toBe(true);
        expect(await store.openIncidents()).toHaveLength(2);
      });

      it('of one key that come at the same moment give one incident', async () => {
        const all = await Promise.all(Array.from({ length: 20 }, () => store.recordFinding(aFinding())));

        expect(new Set(all.map((r) => r.incident.id)).size).toBe(1);
        expect(all.filter((r) => r.isNew)).toHaveLength(1);
        const counts = all.map((r) => r.incident.seen).toSorted((a, b) => a - b);
        expect(counts).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
        expect(await store.findings(all[0]!.incident.id)).toHaveLength(20);
      });

      it('may use a snapshot twice, but never another one of the same id', async () => {
        const first = aFinding();
        const { incident } = await store.recordFinding(first);

        await store.recordFinding(aFinding({ snapshot: first.snapshot }));
        const snapshot = aSnapshot(first.snapshot.id, { 'args.txt': 'other' });

        await expect(store.recordFinding(aFinding({ snapshot }))).rejects.toMatchObject({
          name: 'OomError',
          code: 'store-failed',
        });
        expect(await store.incident(incident.id)).toMatchObject({ seen: 2 });
        expect(await store.snapshot(first.snapshot.id)).toEqual(first.snapshot);
        expect(await store.findings(incident.id)).toHaveLength(2);
        expect(await store.auditRows(1, 10)).toHaveLength(2);
      });
    });

    describe('incidents', () => {
      it('that are open come with the last seen first, all of them or some, whole or by place', async () => {
        const place = (key: string, cluster: string, namespace: string, at: number) =>
          store.recordFinding(aFinding({ at, draft: { key, cluster, namespace } }));
        await place('a', 'prod', 'llm-a', START);
        await place('b', 'prod', 'llm-b', START + 2);
        await place('c', 'stage', 'llm-a', START + 1);

        const all = await store.openIncidents();
        expect(all.map(({ key }) => key)).toEqual(['b', 'c', 'a']);
        const places = all.map(({ id, cluster, namespace, workload }) => ({ id, cluster, namespace, workload }));
        expect(await store.openPlaces()).toEqual(places);
        const [b, c, a] = all;
        expect(await store.openIncidents([a?.id ?? '', b?.id ?? ''])).toEqual([b, a]);
        expect(await store.openIncidents([])).toEqual([]);
        await store.closeIncident(c?.id ?? '', { actor: 'U_APPROVER', why: 'fixed', at: START + 5 });
        expect(await store.openIncidents([c?.id ?? ''])).toEqual([]);
        expect(await store.openPlaces()).toHaveLength(2);
        expect(await store.incidentPlaces()).toMatchObject(places);
        expect((await store.incidents([c?.id ?? '', a?.id ?? ''])).map(({ state }) => state)).toEqual([
          'closed',
          'open',
        ]);
        expect((await store.closedSince(START + 5)).map(({ id }) => id)).toEqual([c?.id]);
        expect(await store.closedSince(START + 6)).toEqual([]);
      });

      it('of a workload are found if seen since', async () => {
        const { incident } = await store.recordFinding(aFinding());
        const { cluster, namespace, workload } = incident;

        expect(await store.openIncidentOf({ cluster, namespace, workload }, START)).toEqual(incident);
        expect(await store.openIncidentOf({ cluster, namespace, workload }, START + 1)).toBeUndefined();
        expect(await store.openIncidentOf({ cluster, namespace: 'other', workload }, START)).toBeUndefined();
      });

      it('close once, with who and why', async () => {
        const { incident } = await store.recordFinding(aFinding());
        await store.closeIncident(incident.id, { actor: 'U_APPROVER', why: 'fixed', at: START + 5 });

        await store.closeIncident(incident.id, { actor: 'U_STRANGER', why: 'again', at: START + 9 });

        const told = { closedAt: START + 5, closedBy: 'U_APPROVER', closedWhy: 'fixed' };
        expect(await store.incident(incident.id)).toMatchObject({ state: 'closed', ...told });
        expect((await store.events(incident.id)).filter((e) => e.kind === 'incident-closed')).toEqual([
          { kind: 'incident-closed', at: START + 5, incidentId: incident.id, actor: 'U_APPROVER', why: 'fixed' },
        ]);
        expect((await auditOf()).at(-1)).toEqual(['incident-closed', 'U_APPROVER', incident.id]);
      });

      it('close only if they were not seen since, where that is asked', async () => {
        const { incident } = await store.recordFinding(aFinding());
        await store.recordFinding(aFinding({ at: START + 1 }));
        const quiet = { actor: 'oombot', why: 'quiet', at: START + 2 };

        await store.closeIncident(incident.id, { ...quiet, seenAt: START });
        expect(await store.openIncidents()).toHaveLength(1);
        const [one, other] = await Promise.all(
          [1, 2].map(() => store.closeIncident(incident.id, { ...quiet, seenAt: START + 1 })),
        );

        expect([one?.state, other?.state].toSorted()).toEqual(['closed', 'open']);
        expect((await kinds(incident.id)).filter((kind) => kind === 'incident-closed')).toHaveLength(1);
      });

      it('have one person on them, until another takes over or they are closed', async () => {
        const { incident } = await store.recordFinding(aFinding());
        const take = (by: string, at: number) => store.acknowledge(incident.id, { by, at });

        const before = [await take('U_ONCALL', START + 1), await take('U_ONCALL', START + 2)];
        before.push(await take('U_APPROVER', START + 3));
        await store.closeIncident(incident.id, { actor: 'U_APPROVER', why: '', at: START + 4 });
        await take('U_STRANGER', START + 5);

        expect(before.map(({ ackBy, ackAt }) => [ackBy, ackAt])).toEqual([
          [null, null],
          ['U_ONCALL', START + 1],
          ['U_ONCALL', START + 1],
        ]);
        expect(await store.incident(incident.id)).toMatchObject({ ackBy: 'U_APPROVER', ackAt: START + 3 });
        const audited = (await auditOf()).filter(([action]) => action === 'incident-acknowledged');
        expect(audited.map(([, actor]) => actor)).toEqual(['U_ONCALL', 'U_APPROVER']);
      });

      it('keep the newest answer about each finding, and the audit all of them', async () => {
        const { incident } = await store.recordFinding(aFinding());
        const first = { incidentId: incident.id, finding: 'gpu-burst', right: true, actual: null, note: null };
        const changed = {
          ...first,
          right: false,
          actual: 'not-memory',
          note: 'a driver',
          by: 'U_APPROVER',
          at: START + 2,
        };

        await store.saveFeedback({ ...first, by: 'U_ONCALL', at: START + 1 });
        await store.saveFeedback(changed);
        await store.saveFeedback({ ...first, finding: 'gpu-startup', by: 'U_ONCALL', at: START + 3 });

        const { cluster, namespace } = incident;
        expect(await store.feedback()).toEqual([
          { ...changed, cluster, namespace },
          { ...first, finding: 'gpu-startup', by: 'U_ONCALL', at: START + 3, cluster, namespace },
        ]);
        expect((await auditOf()).filter(([action]) => action === 'feedback-given')).toHaveLength(3);
      });

      it.each([
        ['acknowledge', (s: IncidentStore) => s.acknowledge('inc_none', { by: 'U_ONCALL', at: 1 })],
        ['closeIncident', (s: IncidentStore) => s.closeIncident('inc_none', { actor: 'U_ONCALL', why: '', at: 1 })],
        ['queueMessage', (s: OutboxStore) => storePlace(s, 'inc_none', 'card', { conversation: 'C', ts: '1' })],
        ['endTriage', (s: Store) => s.endTriage('tri_none', { state: 'done', outcome: '', incidentId: null, at: 1 })],
        ['placeTriage', (s: Store) => s.placeTriage('tri_none', { conversation: 'C', ts: '1' })],
      ])('that are not there are refused by %s and leave no audit', async (_name, act) => {
        await expect(act(store)).rejects.toMatchObject({ name: 'OomError', code: 'not-found' });
        expect(await store.auditRows(1, 10)).toEqual([]);
      });

      it('that are not there are undefined when read', async () => {
        expect(await store.incident('none')).toBeUndefined();
        expect(await store.snapshot('none')).toBeUndefined();
        expect(await store.findings('none')).toEqual([]);
        expect(await store.events('none')).toEqual([]);
        expect(await store.messages('none', 'card')).toEqual([]);
      });
    });

    describe('triages', () => {
      it('are unfinished until they end', async () => {
        await store.startTriage(aTriage({ id: 'tri_b', startedAt: START + 1 }));
        await store.startTriage(aTriage({ id: 'tri_a', startedAt: START }));
        await store.placeTriage('tri_a', { conversation: 'C_LLM', ts: '17.1' });

        const unfinished = await store.unfinishedTriages();
        await store.endTriage('tri_a', { state: 'failed', outcome: 'deadline', incidentId: null, at: START + 9 });

        expect(unfinished).toEqual([
          aTriage({ id: 'tri_a', startedAt: START, conversation: 'C_LLM', ts: '17.1' }),
          aTriage({ id: 'tri_b', startedAt: START + 1 }),
        ]);
        expect((await store.unfinishedTriages()).map((t) => t.id)).toEqual(['tri_b']);
        const actions = (await auditOf()).map(([action]) => action);
        expect(actions).toEqual(['triage-started', 'triage-started', 'triage-placed', 'triage-ended']);
      });

      it('keep their first end', async () => {
        await store.startTriage(aTriage());
        await store.endTriage(exampleTriageRun.id, { state: 'done', outcome: 'told', incidentId: null, at: START });

        const late = { state: 'interrupted', outcome: 'boot', incidentId: null, at: START + 1 } as const;
        await store.endTriage(exampleTriageRun.id, late);

        expect((await auditOf()).map(([action]) => action)).toEqual(['triage-started', 'triage-ended']);
      });

      it('cannot start twice', async () => {
        await store.startTriage(aTriage());

        await expect(store.startTriage(aTriage())).rejects.toMatchObject({ code: 'store-failed' });
        expect(await store.auditRows(1, 10)).toHaveLength(1);
      });
    });

    it('keeps the places of cards in order, each once', async () => {
      const { incident } = await store.recordFinding(aFinding());
      const refs = ['2', '1', '2'].map((ts) => ({ conversation: 'C_LLM', ts }));

      for (const ref of refs) await storePlace(store, incident.id, 'card', ref);

      expect(await store.messages(incident.id, 'card')).toEqual([refs[0], refs[1]]);
    });

    describe('a message that is stored before it is posted', () => {
      const kind = 'plan/plan_1';
      const at = (ts: string) => ({ conversation: 'C_LLM', ts });
      const queued = async (over: Partial<UnsentMessage> = {}) => {
        const { incident } = await store.recordFinding(aFinding());
        const { id: incidentId } = incident;
        const message = { summary: 'A plan.', blocks: [] };
        const unsent = { id: 'msg_1', incidentId, kind, conversation: 'C_LLM', thread: at('1'), ref: null, message };
        await store.queueMessage({ ...unsent, ...over } as UnsentMessage);
        return { incidentId, unsent: { ...unsent, ...over } as UnsentMessage };
      };

      it('is unsent until its place is noted, and shown after that', async () => {
        const { incidentId, unsent } = await queued();
        expect(await store.unsentMessages()).toEqual([unsent]);
        expect(await store.messages(incidentId, kind)).toEqual([]);

        expect(await store.placeMessage('msg_1', at('2'))).toBeUndefined();

        expect(await store.unsentMessages()).toEqual([]);
        expect(await store.messages(incidentId, kind)).toEqual([at('2')]);
      });

      it('is stored once where that is asked for, sent or not', async () => {
        const { unsent } = await queued();

        expect(await store.queueMessage({ ...unsent, id: 'msg_2' }, true)).toBe(false);
        await store.placeMessage('msg_1', at('2'));
        expect(await store.queueMessage({ ...unsent, id: 'msg_2' }, true)).toBe(false);
        expect(await store.unsentMessages()).toEqual([]);
      });

      it('gives way to its next copy, and both to the one that is clicked', async () => {
        const { incidentId } = await queued();
        expect(await store.repostMessage('msg_1', 'msg_2')).toBe(true);
        expect((await store.unsentMessages()).map(({ id }) => id)).toEqual(['msg_2']);

        expect(await store.adoptMessage(incidentId, kind, at('1.5'))).toEqual({ isNew: true, others: [] });

        expect(await store.unsentMessages()).toEqual([]);
        expect(await store.repostMessage('msg_2', 'msg_3')).toBe(false);
        // Slack answers late: that copy has to point to the current one.
        expect(await store.placeMessage('msg_2', at('2'))).toEqual(at('1.5'));
        expect(await store.messages(incidentId, kind)).toEqual([at('1.5')]);
      });

      it('that changes a known one is tried again without a copy, until a newer change takes its place', async () => {
        const { incidentId, unsent } = await queued();
        await store.placeMessage('msg_1', at('2'));
        await store.queueMessage({ ...unsent, id: 'msg_2', ref: at('2') });
        expect(await store.repostMessage('msg_2', 'msg_3')).toBe(true);
        expect(await store.unsentMessages()).toEqual([{ ...unsent, id: 'msg_3', ref: at('2') }]);

        await store.queueMessage({ ...unsent, id: 'msg_4', ref: at('2') });
        expect(await store.repostMessage('msg_3', 'msg_5')).toBe(false);
        await store.placeMessage('msg_4', at('2'));
        expect(await store.repostMessage('msg_4', 'msg_6')).toBe(false);
        expect(await store.messages(incidentId, kind)).toEqual([at('2')]);
      });

      it('is the clicked one itself where Slack answers after the click', async () => {
        const { incidentId } = await queued();
        await store.adoptMessage(incidentId, kind, at('2'));

        expect(await store.placeMessage('msg_1', at('2'))).toBeUndefined();
        expect(await store.messages(incidentId, kind)).toEqual([at('2')]);
        expect(await store.adoptMessage(incidentId, kind, at('2'))).toEqual({ isNew: false, others: [] });
      });

      it('is not adopted where it is known as another one', async () => {
        const { incidentId } = await queued();
        await storePlace(store, incidentId, 'card', at('1'));

        expect(await store.adoptMessage(incidentId, 'plan/p', at('1'))).toEqual({ isNew: false, others: [] });
        expect(await store.messages(incidentId, 'plan/p')).toEqual([]);
      });

      it('that is adopted supersedes what was known, and can be superseded by that again', async () => {
        const { incidentId } = await queued();
        await store.placeMessage('msg_1', at('2'));

        expect(await store.adoptMessage(incidentId, kind, at('3'))).toEqual({ isNew: true, others: [at('2')] });
        expect(await store.adoptMessage(incidentId, kind, at('2'))).toEqual({ isNew: true, others: [at('3')] });
        expect(await store.messages(incidentId, kind)).toEqual([at('2')]);
      });

      it('is forgotten where it is refused, and keeps its place where only a change of it is', async () => {
        const { incidentId, unsent } = await queued();
        await store.dropMessage('msg_1');
        expect(await store.unsentMessages()).toEqual([]);

        await storePlace(store, incidentId, kind, at('2'));
        await store.queueMessage({ ...unsent, id: 'msg_2', ref: at('2') });
        expect((await store.unsentMessages()).map(({ ref }) => ref)).toEqual([at('2')]);
        await store.dropMessage('msg_2');

        expect(await store.unsentMessages()).toEqual([]);
        expect(await store.messages(incidentId, kind)).toEqual([at('2')]);
      });
    });

    it('a notice that Slack refuses is neither sent nor stored again', async () => {
      const { incident } = await store.recordFinding(aFinding());
      const [incidentId, kind] = [incident.id, 'closed/1/C_LLM' as const];
      const unsent = { incidentId, kind, conversation: 'C_LLM', thread: null, ref: null };
      const message = { summary: 'Closed.', blocks: [] };
      expect(await store.hasMessage(incidentId, kind)).toBe(false);
      await store.queueMessage({ ...unsent, id: 'msg_1', message }, true);
      expect(await store.hasMessage(incidentId, kind)).toBe(true);

      await store.dropMessage('msg_1');

      expect(await store.hasMessage(incidentId, kind)).toBe(true);
      expect(await store.queueMessage({ ...unsent, id: 'msg_2', message }, true)).toBe(false);
      expect(await store.unsentMessages()).toEqual([]);
      expect(await store.messages(incidentId, kind)).toEqual([]);
    });

    describe('a request', () => {
      const request: KeptRequest = {
        ...{ id: 'req_1', at: START, asked: { use: 'act', verb: 'plan' }, text: 'inc_1', user: 'U_ONCALL' },
        ...{ channel: 'C_LLM', externallyShared: false, clicked: null, isCut: false, isRetried: false },
      };

      it('is kept until it is answered, and remembers that it was carried out again', async () => {
        await store.keepRequest(request);
        await store.retryRequest('req_1');
        expect(await store.keptRequests()).toEqual([{ ...request, isRetried: true }]);

        await store.releaseRequest('req_1');
        expect(await store.keptRequests()).toEqual([]);
      });

      it('ends with the start of the triage that it asks for', async () => {
        await store.keepRequest(request);

        await store.startTriage(aTriage(), 'req_1');

        expect(await store.keptRequests()).toEqual([]);
        expect(await store.unfinishedTriages()).toHaveLength(1);
      });
    });

    describe('measured starts', () => {
      const start = (over: Partial<MeasuredStart>): MeasuredStart => ({
        id: 'uid_1',
        cluster: 'prod',
        engine: 'vllm',
        version: '0.11.0',
        product: 'NVIDIA-L4',
        model: null,
        errorBytes: 1.5e9,
        at: START,
        ...over,
      });

      it('are those of the cluster and engine, the last first, and one of each pod', async () => {
        const last = start({ errorBytes: -0.5e9, at: START + MINUTE });
        const other = start({ id: 'uid_2', version: null });
        for (const one of [start({}), other, start({ id: 'uid_3', cluster: 'test' }), last]) await store.keepStart(one);

        expect(await store.measuredStarts({ cluster: 'prod', engine: 'vllm' })).toEqual([last, other]);
        expect(await store.measuredStarts({ cluster: 'prod', engine: 'sglang' })).toEqual([]);
      });

      it('go with the incidents of their time', async () => {
        await store.keepStart(start({ at: 1 }));

        await store.sweep({ snapshotsBefore: START, incidentsBefore: START });

        expect(await store.measuredStarts({ cluster: 'prod', engine: 'vllm' })).toEqual([]);
      });
    });

    describe('sweep', () => {
      it('deletes what is older than the marks and nothing else', async () => {
        const found = (key: string, at: number) =>
          store.recordFinding(aFinding({ at, snapshot: aSnapshot(`snap_${key}`), draft: { key } }));
        const old = await found('old', START);
        const mid = await found('mid', START + 10);
        const young = await found('new', START + 20);

        const gone = await store.sweep({ snapshotsBefore: START + 20, incidentsBefore: START + 10 });

        expect(gone).toEqual({ snapshots: 2, incidents: 1 });
        expect(await store.incident(old.incident.id)).toBeUndefined();
        expect(await store.events(old.incident.id)).toEqual([]);
        expect(await store.findings(old.incident.id)).toEqual([]);
        expect(await store.snapshot('snap_mid')).toBeUndefined();
        expect(await store.findings(mid.incident.id)).toHaveLength(1);
        expect(await store.snapshot('snap_new')).toBeDefined();
        expect(await store.incident(young.incident.id)).toEqual(young.incident);
        expect((await auditOf()).at(-1)?.[0]).toBe('swept');
      });

      it('leaves a triage that still runs, and no trace where nothing was old', async () => {
        await store.startTriage(aTriage({ startedAt: 1 }));

        const gone = await store.sweep({ snapshotsBefore: START, incidentsBefore: START });

        expect(gone).toEqual({ snapshots: 0, incidents: 0 });
        expect(await store.unfinishedTriages()).toHaveLength(1);
        expect(await store.auditRows(1, 10)).toHaveLength(1);
      });
    });
  });
}
