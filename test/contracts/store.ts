import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IncidentDraft, Store } from '../../src/app/ports.ts';
import type { TriageRun } from '../../src/model/incident.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import type { Cause } from '../../src/model/taxonomy.ts';
import type { Diagnosis } from '../../src/model/verdict.ts';
import { type AuditSource, verifyAudit } from '../../src/store/database/audit-chain.ts';
import { START } from '../fakes/clock.ts';
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
export function storeContract(name: string, make: () => Promise<Store & AuditSource>): void {
  describe(`store: ${name}`, () => {
    let store: Store & AuditSource;

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

      it('after the incident was closed open another, even within the window', async () => {
        const first = await store.recordFinding(aFinding());
        await store.closeIncident(first.incident.id, { actor: 'U_ONCALL', why: 'fixed', at: START + 1 });

        const again = await store.recordFinding(aFinding({ at: START + 2 }));

        expect(again.isNew).toBe(true);
        expect(await store.incident(first.incident.id)).toMatchObject({ state: 'closed', seen: 1 });
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
        expect(await store.openPlaces()).toEqual(all.map(({ id, cluster, namespace }) => ({ id, cluster, namespace })));
        const [b, c, a] = all;
        expect(await store.openIncidents([a?.id ?? '', b?.id ?? ''])).toEqual([b, a]);
        expect(await store.openIncidents([])).toEqual([]);
        await store.closeIncident(c?.id ?? '', { actor: 'U_APPROVER', why: 'fixed', at: START + 5 });
        expect(await store.openIncidents([c?.id ?? ''])).toEqual([]);
        expect(await store.openPlaces()).toHaveLength(2);
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

        expect(await store.incident(incident.id)).toMatchObject({ state: 'closed', closedAt: START + 5 });
        expect((await store.events(incident.id)).filter((e) => e.kind === 'incident-closed')).toEqual([
          { kind: 'incident-closed', at: START + 5, incidentId: incident.id, actor: 'U_APPROVER', why: 'fixed' },
        ]);
        expect((await auditOf()).at(-1)).toEqual(['incident-closed', 'U_APPROVER', incident.id]);
      });

      it.each([
        ['closeIncident', (s: Store) => s.closeIncident('inc_none', { actor: 'U_ONCALL', why: '', at: 1 })],
        ['saveMessage', (s: Store) => s.saveMessage('inc_none', 'card', { conversation: 'C', ts: '1' })],
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

      for (const ref of refs) await store.saveMessage(incident.id, 'card', ref);

      expect(await store.messages(incident.id, 'card')).toEqual([refs[0], refs[1]]);
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
