import { changedValues } from '../../../actions/ledger/changed-values.ts';
import { permanentPatch } from '../../../actions/ledger/permanent-patch.ts';
import { type WrittenValue, writtenValues } from '../../../actions/ledger/written-values.ts';
import { isSameJson } from '../../../model/json-patch.ts';
import { type Run, workloadOf } from '../../../model/plan.ts';
import type { ChangeDraft, ChangedValue } from '../../../model/temporary-change.ts';
import type { LedgerEffect } from '../../ledger-ports.ts';
import type { ActDeps, Work } from '../acts/act-work.ts';

/** What the end of a run means for the ledger; undefined where it changed nothing, or has ended before. */
export async function ledgerEffect(work: Work, state: Run['state']): Promise<LedgerEffect | undefined> {
  // A rollback closes the entry in the store; a report that is tried again finds the entry made.
  const isFirstEnd = work.run.state === 'running' || work.run.state === 'compensating';
  return state === 'rolled-back' || !isFirstEnd ? undefined : effectOf(work, state);
}

/** Enters what a run has changed that was cut off, since it could not do so itself. Safe to repeat. */
export async function enterLost(deps: ActDeps, runId: string): Promise<void> {
  const run = await deps.store.run(runId);
  const plan = run && (await deps.store.plan(run.planId));
  const cluster = run && deps.clusters.get(run.target.cluster);
  if (run === undefined || plan === undefined || cluster === undefined) return;
  const context = {
    signal: AbortSignal.timeout(READ_MS),
    agent: `oombot/${deps.version} (incident ${run.incidentId})`,
  };
  const effect = await effectOf({ deps, run, plan, cluster, context }, run.state);
  if (effect?.enters) await deps.store.enterChange(effect.enters);
}

const READ_MS = 8000;

type Ended = Pick<Work, 'deps' | 'run' | 'plan' | 'cluster' | 'context'>;

async function effectOf(work: Ended, state: Run['state']): Promise<LedgerEffect | undefined> {
  const { run, plan, deps } = work;
  const live = await readWritten(work);
  // A pod that is taken out of its Service and replaced leaves nothing behind.
  const values = writtenValues(plan, run, live.get(plan.target.object.uid)).filter(
    ({ object }) => object.kind !== 'Pod',
  );
  if (values.length === 0) return undefined;
  const undoes = await undoneBy(work, values);
  if (undoes.length > 0) return { enters: null, undoes };
  const shown = changedValues(values, plan, { state });
  const appliedAt = await deps.store.now();
  const incident = await deps.store.incident(run.incidentId);
  const said = await deps.store.approvals(plan.id);
  const enters: ChangeDraft = {
    id: run.id.replace(/^run_/, 'chg_'),
    ...{ runId: run.id, planId: plan.id, incidentId: run.incidentId },
    ...{ action: plan.action, target: plan.target, values: [...shown] },
    patch: permanentPatch(values, live, plan) ?? inWords(shown, work),
    requestedBy: plan.proposedBy,
    approvedBy: said.flatMap(({ who, decision }) => (decision === 'approve' ? [who] : [])),
    cause: incident?.cause ?? 'unknown',
    appliedAt,
    expiresAt: appliedAt + deps.changeMs,
  };
  return { enters, undoes };
}

async function readWritten({ plan, cluster, context }: Ended): Promise<ReadonlyMap<string, unknown>> {
  const refs = new Map(plan.steps.flatMap((step) => (step.kind === 'write' ? [[step.object.uid, step.object]] : [])));
  const live = new Map<string, unknown>();
  for (const [uid, ref] of refs) {
    const read = await cluster.read(ref, context);
    if (read.kind === 'found') live.set(uid, read.object);
  }
  return live;
}

/** Open entries of which this run has brought back every value: it is their rollback, and nothing new to remember. */
async function undoneBy({ deps, run }: Ended, values: readonly WrittenValue[]): Promise<readonly string[]> {
  const undone: string[] = [];
  let restored = 0;
  const ofWorkload = (await deps.store.openChanges()).filter(
    ({ target }) => workloadOf(target) === workloadOf(run.target),
  );
  for (const change of ofWorkload) {
    const [ranBefore, planned] = [await deps.store.run(change.runId), await deps.store.plan(change.planId)];
    if (change.runId === run.id || ranBefore === undefined || planned === undefined) continue;
    const older = writtenValues(planned, ranBefore);
    if (older.length === 0 || !older.every((old) => values.some((now) => isBack(old, now)))) continue;
    undone.push(change.id);
    restored += older.length;
  }
  return restored >= values.length ? undone : [];
}

function isBack(old: WrittenValue, now: WrittenValue): boolean {
  return old.object.uid === now.object.uid && old.path === now.path && isSameJson(old.from ?? null, now.to ?? null);
}

function inWords(values: readonly ChangedValue[], { plan }: Ended): string {
  const { kind, name } = plan.target.object;
  const container = plan.target.container === null ? '' : `, container ${plan.target.container}`;
  const lines = values.map(({ label, to }) => (to === null ? `remove ${label}` : `set ${label} to ${to}`));
  return `In the manifest or Helm values of ${kind}/${name}${container}:\n${lines.join('\n')}\n`;
}
