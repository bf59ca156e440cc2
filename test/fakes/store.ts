import { createHash } from 'node:crypto';
import type { Clock, Ids, Store, StoredFinding } from '../../src/app/ports.ts';
import { covers } from '../../src/model/authorise.ts';
import { OomError } from '../../src/model/errors.ts';
import type { DomainEvent } from '../../src/model/events.ts';
import type { Incident, MessageRef, TriageRun } from '../../src/model/incident.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { type AuditRow, type AuditSource, chainOn, FIRST_HASH } from '../../src/store/database/audit-chain.ts';
import { createFakeClock } from './clock.ts';
import { createFakeIds } from './ids.ts';

type State = {
  incidents: Map<string, Incident>;
  findings: StoredFinding[];
  snapshots: Map<string, { snapshot: Snapshot; incidentId: string; at: number }>;
  triages: Map<string, TriageRun>;
  messages: { incidentId: string; kind: string; ref: MessageRef }[];
  events: DomainEvent[];
  audit: AuditRow[];
};

/** A store in memory, held to the real one by the contract suite. `fail` makes the next calls throw. */
export type FakeStore = Store & AuditSource & { fail(error: OomError | undefined): void };

export function createFakeStore(options: { clock?: Clock; ids?: Ids } = {}): FakeStore {
  const clock = options.clock ?? createFakeClock();
  const ids = options.ids ?? createFakeIds();
  const state: State = {
    incidents: new Map(),
    findings: [],
    snapshots: new Map(),
    triages: new Map(),
    messages: [],
    events: [],
    audit: [],
  };
  let fault: OomError | undefined;
  const store = build(state, clock, ids);
  const guarded = Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        if (fault !== undefined) throw fault;
        // Values in and out are copies, as with a real store.
        return structuredClone(await (method as (...a: unknown[]) => unknown)(...structuredClone(args)));
      },
    ]),
  ) as unknown as Store & AuditSource;
  return {
    ...guarded,
    fail(error) {
      fault = error;
    },
  };
}

function build(state: State, clock: Clock, ids: Ids): Store & AuditSource {
  const open = () => [...state.incidents.values()].filter((i) => i.state === 'open').sort(newestFirst);
  const audit = (at: number, actor: string, action: string, subject: string, data: object) =>
    state.audit.push(chainOn(headOf(state), { at, actor, action, subject, data: JSON.stringify(data) }));
  const close = (incident: Incident, input: { actor: string; why: string; at: number }) => {
    state.incidents.set(incident.id, { ...incident, state: 'closed', closedAt: input.at });
    state.events.push({ kind: 'incident-closed', incidentId: incident.id, ...input });
    audit(input.at, input.actor, 'incident-closed', incident.id, { why: input.why });
  };
  const findOrOpen = ({ draft, at, actor, windowMs }: Parameters<Store['recordFinding']>[0]) => {
    const { plane, phase, cause, certain, causeCertain } = draft.verdict;
    const latest = { pod: draft.pod, plane, phase, cause, certain, causeCertain };
    const before = open().find((i) => i.key === draft.key);
    if (before !== undefined && before.lastSeenAt >= at - windowMs) {
      const incident = { ...before, ...latest, seen: before.seen + 1, lastSeenAt: Math.max(before.lastSeenAt, at) };
      state.incidents.set(incident.id, incident);
      state.events.push({ kind: 'incident-seen-again', at, incidentId: incident.id, actor, seen: incident.seen });
      return { incident, isNew: false };
    }
    if (before !== undefined)
      close(before, { actor, at, why: 'Not seen again within the window; a new one was opened.' });
    const { key, cluster, namespace, workload } = draft;
    const times = { openedAt: at, lastSeenAt: at, closedAt: null };
    const id = ids.next('inc');
    const incident: Incident = { id, key, cluster, namespace, workload, ...latest, state: 'open', seen: 1, ...times };
    state.incidents.set(id, incident);
    state.events.push({ kind: 'incident-opened', at, incidentId: id, actor, workload });
    return { incident, isNew: true };
  };
  return {
    async startTriage(run) {
      if (state.triages.has(run.id)) throw new OomError('store-failed', 'twice', { next: '' });
      state.triages.set(run.id, run);
      audit(run.startedAt, run.asker, 'triage-started', run.id, {});
    },
    async placeTriage(id, ref) {
      const run = triageOf(state, id);
      state.triages.set(id, { ...run, conversation: ref.conversation, ts: ref.ts });
      audit(clock.now(), run.asker, 'triage-placed', id, ref);
    },
    async endTriage(id, end) {
      const run = triageOf(state, id);
      if (run.state !== 'running') return;
      const { at, ...rest } = end;
      state.triages.set(id, { ...run, ...rest, endedAt: at });
      audit(at, run.asker, 'triage-ended', id, rest);
    },
    async unfinishedTriages() {
      return [...state.triages.values()].filter((t) => t.state === 'running').sort((a, b) => a.startedAt - b.startedAt);
    },
    async recordFinding(input) {
      const stored = state.snapshots.get(input.snapshot.id);
      if (stored !== undefined && digest(stored.snapshot) !== digest(input.snapshot)) {
        throw new OomError('store-failed', 'another snapshot has this id', { next: '' });
      }
      const opened = findOrOpen(input);
      const incidentId = opened.incident.id;
      const { snapshot, diagnosis, at, actor } = input;
      if (stored === undefined) state.snapshots.set(snapshot.id, { snapshot, incidentId, at });
      const findingId = ids.next('find');
      state.findings.push({ id: findingId, incidentId, snapshotId: snapshot.id, at, diagnosis });
      const verdict = diagnosis.verdict;
      state.events.push({ kind: 'verdict-given', at, incidentId, actor, snapshotId: snapshot.id, verdict });
      audit(at, actor, 'finding-recorded', incidentId, { findingId, snapshotId: snapshot.id });
      return { ...opened, findingId };
    },
    async incident(id) {
      return state.incidents.get(id);
    },
    async openIncidents(scope = {}) {
      const wanted = { clusters: [scope.cluster ?? '*'], namespaces: [...(scope.namespaces ?? ['*'])] };
      return open().filter((i) => covers(wanted, i));
    },
    async openIncidentOf({ cluster, namespace, workload }, sinceMs) {
      const same = (i: Incident) => i.cluster === cluster && i.namespace === namespace && i.workload === workload;
      return open().find((i) => same(i) && i.lastSeenAt >= sinceMs);
    },
    async findings(incidentId) {
      return state.findings.filter((f) => f.incidentId === incidentId);
    },
    async snapshot(id) {
      return state.snapshots.get(id)?.snapshot;
    },
    async closeIncident(id, input) {
      const incident = incidentOf(state, id);
      if (incident.state === 'open') close(incident, input);
    },
    async saveMessage(incidentId, kind, ref) {
      incidentOf(state, incidentId);
      const key = JSON.stringify({ incidentId, kind, ref });
      if (state.messages.some((m) => JSON.stringify(m) === key)) return;
      state.messages.push({ incidentId, kind, ref });
      audit(clock.now(), 'oombot', 'message-saved', incidentId, { kind, ...ref });
    },
    async messages(incidentId, kind) {
      return state.messages.filter((m) => m.incidentId === incidentId && m.kind === kind).map((m) => m.ref);
    },
    async events(incidentId) {
      return state.events.filter((e) => e.incidentId === incidentId);
    },
    async sweep({ snapshotsBefore, incidentsBefore }) {
      const old = new Set([...state.incidents.values()].filter((i) => i.lastSeenAt < incidentsBefore).map((i) => i.id));
      const snapshots = [...state.snapshots].filter(([, s]) => s.at < snapshotsBefore || old.has(s.incidentId));
      for (const [id] of snapshots) state.snapshots.delete(id);
      for (const id of old) state.incidents.delete(id);
      state.findings = state.findings.filter((f) => !old.has(f.incidentId));
      state.messages = state.messages.filter((m) => !old.has(m.incidentId));
      state.events = state.events.filter((e) => !old.has(e.incidentId));
      for (const [id, t] of state.triages) {
        if (t.endedAt !== null && t.endedAt < incidentsBefore) state.triages.delete(id);
      }
      const gone = { snapshots: snapshots.length, incidents: old.size };
      if (gone.snapshots + gone.incidents > 0) audit(clock.now(), 'oombot', 'swept', 'store', gone);
      return gone;
    },
    async close() {},
    async auditHead() {
      return headOf(state);
    },
    async auditRows(fromSeq, limit) {
      return state.audit.filter((row) => row.seq >= fromSeq).slice(0, limit);
    },
  };
}

function newestFirst(a: Incident, b: Incident): number {
  return b.lastSeenAt - a.lastSeenAt || (a.id < b.id ? 1 : -1);
}

function headOf(state: State) {
  const last = state.audit.at(-1);
  return { seq: last?.seq ?? 0, hash: last?.hash ?? FIRST_HASH };
}

function digest(snapshot: Snapshot): string {
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(snapshot.files).sort()))
    .digest('hex');
}

function triageOf(state: State, id: string): TriageRun {
  const run = state.triages.get(id);
  if (run === undefined) throw new OomError('not-found', 'no such triage', { next: '' });
  return run;
}

function incidentOf(state: State, id: string): Incident {
  const incident = state.incidents.get(id);
  if (incident === undefined) throw new OomError('not-found', 'no such incident', { next: '' });
  return incident;
}
