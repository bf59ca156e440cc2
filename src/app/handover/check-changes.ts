import { type Drift, isOwnManager, judgeDrift } from '../../actions/ledger/judge-drift.ts';
import { writtenValues } from '../../actions/ledger/written-values.ts';
import { type Run, workloadOf } from '../../model/plan.ts';
import { reminderAt, type TemporaryChange } from '../../model/temporary-change.ts';
import { nameOf, valuesOf } from '../acting/describe.ts';
import type { ActingCluster, ActStore } from '../acting-ports.ts';
import type { ChangeMove, LedgerStore } from '../ledger-ports.ts';
import type { Log } from '../ports.ts';
import { type NoticeDeps, sendNotice } from './change-notices.ts';

export type CheckDeps = NoticeDeps & {
  readonly ledger: Pick<LedgerStore, 'openChanges' | 'claimCheck' | 'noteCheck' | 'moveChange'>;
  readonly acts: Pick<ActStore, 'now' | 'run' | 'plan' | 'openRuns'>;
  readonly clusters: ReadonlyMap<string, ActingCluster>;
  /** Redraws the card of a run; never waited for. */
  readonly draw: (runId: string) => void;
  readonly version: string;
  readonly log: Log;
};

const EVERY_MS = 15 * 60_000;
const READ_MS = 10_000;

/**
 * One look at the open changes that are due: what has become of their values, and whether people are to be reminded. All it
 * goes by is in the store, so a restart loses nothing; of several replicas one takes each check. Never rejects.
 */
export async function checkChanges(deps: CheckDeps, stop?: AbortSignal): Promise<void> {
  const { ledger, acts, log } = deps;
  try {
    const now = await acts.now();
    const due = (await ledger.openChanges()).filter(({ nextCheckAt }) => nextCheckAt <= now);
    const running = due.length === 0 ? [] : await acts.openRuns();
    for (const change of due) {
      if (stop?.aborted) return;
      if (!(await ledger.claimCheck(change, nextCheck(change, now)))) continue;
      await check(deps, change, { now, running, stop }).catch((error: unknown) =>
        log.warn('change not checked', { error, change: change.id }),
      );
    }
  } catch (error) {
    log.warn('changes not checked', { error });
  }
}

function nextCheck(change: TemporaryChange, now: number): number {
  const marks = [reminderAt(change), change.expiresAt].filter((at) => at > now);
  return Math.min(now + EVERY_MS, ...marks);
}

type Moment = { readonly now: number; readonly running: readonly Run[]; readonly stop?: AbortSignal | undefined };

async function check(deps: CheckDeps, change: TemporaryChange, moment: Moment): Promise<void> {
  const { now, running } = moment;
  // What a run is changing is nobody's drift.
  const isChanging = running.some(({ target }) => workloadOf(target) === workloadOf(change.target));
  const seen = isChanging ? change : await look(deps, change, moment);
  if (seen !== undefined) await remind(deps, seen, now);
}

/** The change as it is after a look at its objects; undefined where it is closed by that. */
async function look(
  deps: CheckDeps,
  change: TemporaryChange,
  { now, stop }: Moment,
): Promise<TemporaryChange | undefined> {
  const read = await readDrift(deps, change, stop);
  const fault = read.kind === 'unknown' ? read.why : null;
  await deps.ledger.noteCheck(change.id, { at: now, fault });
  if (read.kind === 'unknown') return { ...change, checkFault: fault };
  const checked = { ...change, checkedAt: now, checkFault: null };
  const move = moveOf(read, change, now);
  if (move === undefined) return checked;
  const { by: stateBy, at: stateAt, ...rest } = move;
  const next = { ...checked, ...rest, stateBy, stateAt };
  // The message first: after a restart in between it is not stored twice, and the move is made then.
  if (isTold(move)) await sendNotice(deps, next, move.state);
  await deps.ledger.moveChange(change.id, move);
  deps.draw(change.runId);
  return move.state === 'permanent' || move.state === 'rolled-back' ? undefined : next;
}

type Seen = Drift | { readonly kind: 'gone' } | { readonly kind: 'unknown'; readonly why: string };

async function readDrift(
  { acts, clusters, version }: CheckDeps,
  change: TemporaryChange,
  stop: AbortSignal = new AbortController().signal,
): Promise<Seen> {
  const { runId, planId, incidentId, target } = change;
  const [run, plan] = [await acts.run(runId), await acts.plan(planId)];
  const cluster = clusters.get(target.cluster);
  if (cluster === undefined || run === undefined || plan === undefined) {
    return { kind: 'unknown', why: `cluster ${target.cluster} is not configured for acting` };
  }
  const values = writtenValues(plan, run);
  const live = new Map<string, unknown>();
  for (const ref of new Map(values.map(({ object }) => [object.uid, object])).values()) {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(READ_MS)]);
    const context = { signal, agent: `oombot/${version} (incident ${incidentId})` };
    const read = await cluster.read(ref, context);
    if (read.kind === 'gone') return { kind: 'gone' };
    if (read.kind === 'forbidden') return { kind: 'unknown', why: `no permission: ${read.rule}` };
    if (read.kind === 'unavailable') return { kind: 'unknown', why: `can't reach ${target.cluster}: ${read.why}` };
    live.set(ref.uid, read.object);
  }
  // The API server's books know whole seconds.
  return judgeDrift(values, live, Math.floor(run.startedAt / 1000) * 1000);
}

function moveOf(seen: Exclude<Seen, { kind: 'unknown' }>, change: TemporaryChange, at: number): Move | undefined {
  const isSame = seen.kind === change.state;
  if (seen.kind === 'temporary' || seen.kind === 'gone') {
    return isSame ? undefined : { state: seen.kind, by: null, why: null, at };
  }
  const { by } = seen;
  if (seen.kind === 'reverted' && isOwnManager(by)) return { state: 'rolled-back', by, why: null, at };
  if (isSame) return undefined;
  if (seen.kind !== 'changed') return { state: seen.kind, by, why: null, at };
  const { path, expected, found } = seen.value;
  return { state: 'changed', by, why: `${nameOf(change.target.object)}: ${valuesOf(path, expected, found)}.`, at };
}

type Move = ChangeMove & { readonly state: 'temporary' | 'gone' | 'rolled-back' | Drift['kind'] };
type Told = Move & { readonly state: 'gone' | 'permanent' | 'reverted' | 'changed' };

// Of a later run its own card tells.
function isTold(move: Move): move is Told {
  return move.state !== 'temporary' && move.state !== 'rolled-back' && !isOwnManager(move.by);
}

// Of values that are no longer ours people were told, and nothing expires.
async function remind(deps: CheckDeps, change: TemporaryChange, now: number): Promise<void> {
  if (change.state !== 'temporary') return;
  if (now >= change.expiresAt) await sendNotice(deps, change, 'expired');
  else if (now >= reminderAt(change)) await sendNotice(deps, change, 'soon');
}
