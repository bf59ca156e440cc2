import type { DomainEvent } from '../../model/events.ts';
import type { Fact, Facts } from '../../model/fact.ts';
import type { CountersSince, HandedSetting, IncidentHandover, Read } from '../../model/handover.ts';
import type { Incident } from '../../model/incident.ts';
import type { Plan, Run } from '../../model/plan.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { TemporaryChange } from '../../model/temporary-change.ts';
import { alternativesWords, mostWanted } from '../../report/words/confidence.ts';
import type { ActStore } from '../acting-ports.ts';
import { failureTime, textOf } from '../budget/engine-figures.ts';
import type { PodState } from '../incident-ports.ts';
import type { LedgerStore } from '../ledger-ports.ts';
import type { Chat, SnapshotSource, Store, StoredFinding } from '../ports.ts';
import type { Diagnosed } from '../triage/investigate.ts';
import { type LiveDeps, type LiveState, readLive } from './live-state.ts';
import { replicasOf } from './shift-handover.ts';

export type HandoverDeps = LiveDeps & {
  readonly store: Pick<Store, 'findings' | 'snapshot' | 'events' | 'messages'>;
  readonly acts: Pick<ActStore, 'plansOf' | 'runsOf' | 'now'>;
  readonly ledger: Pick<LedgerStore, 'openChanges'>;
  readonly source: (snapshot: Snapshot) => SnapshotSource;
  readonly diagnose: (source: SnapshotSource) => Promise<Diagnosed>;
  /** Absent where messages have no links. */
  readonly permalink?: Chat['permalink'] | undefined;
};

/** An incident as the next shift needs it. Settings, replicas and counters are read now; what cannot be read says why. */
export async function readHandover(
  deps: HandoverDeps,
  incident: Incident,
  signal?: AbortSignal,
): Promise<IncidentHandover> {
  const { store, acts, ledger } = deps;
  const [findings, events, plans, runs, open] = await Promise.all([
    store.findings(incident.id),
    store.events(incident.id),
    acts.plansOf(incident.id),
    acts.runsOf(incident.id),
    ledger.openChanges(),
  ]);
  const changes = open.filter((change) => isOf(change, incident));
  const last = lastRun(runs, plans);
  const applied = Math.max(
    ...changes.map(({ appliedAt }) => appliedAt),
    last?.run.state === 'done' ? last.run.updatedAt : 0,
  );
  const since = applied > 0 ? applied : incident.openedAt;
  const latest = findings.at(-1);
  const live = await readLive(deps, incident, { since, signal });
  const before = latest === undefined ? undefined : await factsOf(deps, latest);
  const at = await acts.now();
  const { pods, pool, prompts } = live;
  return {
    ...{ at, incident, pool, prompts, changes, last, events, plans },
    settings: settingsOf(before, live.facts.kind === 'read' ? live.facts.value : undefined, changes),
    settingsFault: live.facts.kind === 'unknown' ? live.facts.why : undefined,
    replicas: pods.kind === 'unknown' ? pods : replicasOf({ kind: 'read', pods: pods.value }, at),
    counters: countersOf(live, events, { since, ofChange: applied > 0 }),
    missing: latest === undefined ? [] : mostWanted(latest.diagnosis.verdict.notRuledOut),
    alternatives: latest === undefined ? '' : alternativesWords(latest.diagnosis.verdict),
    links: await linksOf(deps, incident, plans),
  };
}

/** Whether a change is one of the workload of an incident. */
export function isOf({ incidentId, target }: TemporaryChange, incident: Incident): boolean {
  const { cluster, object } = target;
  const isSame = cluster === incident.cluster && object.namespace === incident.namespace;
  return incidentId === incident.id || (isSame && `${object.kind}/${object.name}` === incident.workload);
}

function lastRun(runs: readonly Run[], plans: readonly Plan[]): IncidentHandover['last'] {
  const run = runs
    .filter(({ outcome }) => outcome !== null)
    .toSorted((a, b) => a.updatedAt - b.updatedAt)
    .at(-1);
  const plan = plans.find(({ id }) => id === run?.planId);
  return run === undefined || plan === undefined ? undefined : { run, plan };
}

// Evidence is deleted earlier than its finding.
async function factsOf(
  { store, source, diagnose }: HandoverDeps,
  { snapshotId }: StoredFinding,
): Promise<Facts | undefined> {
  const snapshot = await store.snapshot(snapshotId);
  return snapshot && (await diagnose(source(snapshot))).facts;
}

// The knob that an engine names, by the fact that says its value.
const SETTINGS = [
  ['knob.length', 'engine.max-model-len', 'maximum length'],
  ['knob.sequences', 'engine.max-num-seqs', 'sequences'],
  ['knob.fraction', 'engine.utilization', 'memory fraction'],
  ['knob.batched-tokens', 'engine.max-batched-tokens', 'tokens per step'],
] as const;

function settingsOf(
  before: Facts | undefined,
  now: Facts | undefined,
  changes: readonly TemporaryChange[],
): readonly HandedSetting[] {
  const known = SETTINGS.flatMap(([knob, fact, words]): HandedSetting[] => {
    const label = [now, before].flatMap((facts) => (facts && textOf(facts, knob)) ?? [])[0] ?? words;
    const [was, is] = [before, now].map((facts) => shown(facts?.get(fact)));
    // An engine that has no such knob has no such setting.
    if (was === null && is === null && label === words) return [];
    const values = changes.flatMap((change) => change.values);
    // What was set by us is known even where the evidence from before was deleted.
    const changed = values.find((value) => value.label === label);
    return [{ label, before: was ?? changed?.from ?? null, now: is ?? null }];
  });
  const labels = new Set(known.map(({ label }) => label));
  const others = changes.flatMap(({ values }) => values.filter(({ label }) => !labels.has(label)));
  return [...known, ...others.map(({ label, from, to }) => ({ label, before: from ?? 'unset', now: to ?? 'unset' }))];
}

function shown(fact: Fact | undefined): string | null {
  if (fact?.kind !== 'known') return null;
  return `${fact.value}${fact.byDefault ? ' (default)' : ''}`;
}

const FAILED: ReadonlySet<DomainEvent['kind']> = new Set(['incident-seen-again', 'incident-reopened']);
// The API server gives times in whole seconds.
const SECOND_MS = 1000;

function countersOf(
  { facts, pods, rejected }: LiveState,
  events: readonly DomainEvent[],
  { since, ofChange }: Pick<CountersSince, 'since' | 'ofChange'>,
): CountersSince {
  const seen = events.filter(({ kind, at }) => FAILED.has(kind) && at > since).length + (ofChange ? 0 : 1);
  const diedAt = facts.kind === 'read' ? failureTime(facts.value) : undefined;
  const isNew = diedAt !== undefined && diedAt > since;
  const ooms: Read<number> =
    facts.kind === 'unknown' && seen === 0 ? facts : { kind: 'read', value: Math.max(seen, isNew ? 1 : 0) };
  return { since, ofChange, ooms, restarts: restartsSince(pods, since), rejected };
}

function restartsSince(pods: LiveState['pods'], since: number): Read<number> {
  if (pods.kind === 'unknown') return pods;
  const ofPod = ({ createdAt, restartedAt, restarts }: PodState): number => {
    if (createdAt >= since - SECOND_MS) return restarts;
    return restartedAt !== undefined && restartedAt > since ? 1 : 0;
  };
  return { kind: 'read', value: pods.value.reduce((sum, pod) => sum + ofPod(pod), 0) };
}

const MOST_LINKS = 3;

async function linksOf(
  { store, permalink }: HandoverDeps,
  { id }: Incident,
  plans: readonly Plan[],
): Promise<ReadonlyMap<string, string>> {
  if (permalink === undefined) return new Map();
  const wanted = [
    { name: 'finding', kind: 'card' as const },
    ...plans.slice(-MOST_LINKS).map((plan) => ({ name: plan.id, kind: `plan/${plan.id}` as const })),
  ];
  const links = wanted.map(async ({ name, kind }) => {
    const ref = (await store.messages(id, kind)).at(-1);
    const url = ref && (await permalink(ref));
    return url === undefined ? [] : [[name, url] as const];
  });
  return new Map((await Promise.all(links)).flat());
}
